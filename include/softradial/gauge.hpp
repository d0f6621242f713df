#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "softradial/rows.hpp"
#include "softradial/tensor.hpp"

namespace softradial {

// gamma(d) and the index of the piece of the set that attains it. Together with d, this is all that the gradient needs.
template <class T>
struct GaugeAt {
  T gamma = 0;
  std::int32_t active = 0;
};

// Buffers that one gauge needs for a block of rows. Allocated before evaluation, owned by the caller's workspace.
struct GaugeScratch {
  virtual ~GaugeScratch() = default;
};

// Guarded reciprocal slacks of the coordinates; 0 on an open side. `active` counts the upper sides, then the lower ones.
template <class T>
struct CoordinateSides {
  std::span<const T> up;
  std::span<const T> down;
};

// The gauge of C - u0 for a fixed interior anchor u0, compiled for one precision:
//
//   gamma(d) = inf { t > 0 : u0 + d / t in C },   0 where the ray never leaves C.
//
// Sublinear: gamma(t d) = t gamma(d) for t >= 0, gamma(d + e) <= gamma(d) + gamma(e).
//
// The guard (docs/math/margin.md). The returned gauge belongs to a set that is a few ulp smaller than C: with
//   gamma_guarded(d) = gamma(d) + kappa |d|,
// every rounded point x = fl(u0 + phi d) with phi * gamma_guarded(d) <= 1 is strictly inside every inequality of C in
// exact arithmetic, for any direction d that was itself computed with rounding. The part of the margin that does not
// depend on |d| (the resolution of the anchor) is inside gamma already; the caller adds kappa |d|.
template <class T>
class Gauge {
 public:
  virtual ~Gauge() = default;

  [[nodiscard]] virtual std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const = 0;

  // at[i] = gamma(d_i) without kappa |d_i|. Needs finite d of ordinary size (|d|^2 does not overflow). Ties: smallest index.
  virtual void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept = 0;

  // out += scale * grad gamma(d) for one row. The gradient is zero where gamma = 0.
  virtual void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                            GaugeScratch& scratch) const noexcept = 0;

  // Pointer to grad gamma(d) as a stored row, if the gauge is a maximum of linear functions and gamma > 0; null otherwise.
  [[nodiscard]] virtual const T* gradient_row(const GaugeAt<T>&) const noexcept { return nullptr; }

  // Number of values that `active` can take: 0 ... num_pieces - 1.
  [[nodiscard]] virtual std::int32_t num_pieces() const noexcept { return 1; }

  // kappa() is that of the guard. lipschitz() is an upper bound of gamma(v) over unit vectors v: the reciprocal of the radius
  // of a ball around u0 inside C.
  [[nodiscard]] virtual double kappa() const noexcept = 0;
  [[nodiscard]] virtual double lipschitz() const noexcept = 0;

  // For each coordinate an upper bound of gamma(e_j) and gamma(-e_j): the reciprocal of how far the set reaches along it.
  [[nodiscard]] virtual std::vector<double> steepness(std::size_t dim) const {
    return std::vector<double>(dim, lipschitz());
  }

  // How much smaller than C the set of this gauge is, relative to C, before kappa |d| is added.
  [[nodiscard]] virtual double sigma() const noexcept = 0;

  // The result of `evaluate`, computed by tensors: the same formula with the same numbers, without kappa |d|.
  [[nodiscard]] virtual TensorGauge in_tensors(const TensorSpace& space) const = 0;

  // Not empty where gamma(d) = max_j max(d_j up_j, -d_j down_j, 0): fused passes project onto such sets.
  [[nodiscard]] virtual CoordinateSides<T> coordinate_sides() const noexcept { return {}; }
};

template <class T>
using GaugePtr = std::unique_ptr<const Gauge<T>>;

}  // namespace softradial
