#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "guard.hpp"
#include "hull_projector.hpp"
#include "kernels/ray_kernels.hpp"
#include "kernels/row_kernels.hpp"
#include "profile.hpp"
#include "ray_cotangent.hpp"
#include "softradial/gauge.hpp"
#include "softradial/projection.hpp"
#include "softradial/rows.hpp"

namespace softradial {

// One row of a batch seen from the anchor: u = u0 + 2^exponent d on the hull, with d of ordinary size.
template <class T>
struct Ray {
  int exponent = 0;     // 0 unless |u - u0| is extreme
  bool finite = true;   // false: u has a NaN or an infinity; d is 0 then
  T rho = 0;            // |d|^2
  T gamma = 0;          // guarded: gamma(d) + kappa |d|
  GaugeAt<T> at;        // the gauge without kappa |d|
  double off_hull = 0;  // length of the part of u - u0 that the hull's projection removed

  [[nodiscard]] T norm() const noexcept { return std::sqrt(rho); }
};

// Makes the ray of u from an anchor, without its gauge, and writes its direction to d. A row that is not finite gives d = 0.
template <class T>
[[nodiscard]] Ray<T> make_ray(std::span<const T> u, std::span<const T> anchor, const HullProjector<T>& hull,
                              std::span<T> d) noexcept;

// A set at its anchor, as every map needs it, compiled for one precision.
template <class T>
struct AnchoredSet {
  std::vector<T> anchor;
  HullProjector<T> hull;
  GaugePtr<T> gauge;
  T kappa;

  [[nodiscard]] std::size_t dim() const noexcept { return anchor.size(); }
  // `count` rows that all are the anchor.
  [[nodiscard]] Rows<const T> anchors(std::size_t count) const noexcept { return {anchor.data(), count, dim(), 0}; }
};

// The rays of a block of rows, without their gauges, and the buffers for them. All rows share one anchor (stride 0), or each
// has its own.
template <class T>
class RayRows {
 public:
  RayRows(const HullProjector<T>& hull, std::size_t max_rows);

  // Fills ray(i), except its gauge, and direction(i), for each row of u. The hull is that of the constructor.
  void load(Rows<const T> u, Rows<const T> anchor, const HullProjector<T>& hull) noexcept;
  // x = u0 + step d with the steps in `numbers`; NaN for rows that have none.
  void step(Rows<const T> anchor, Rows<T> x) const noexcept;

  [[nodiscard]] Ray<T>& ray(std::size_t i) noexcept { return rays_[i]; }
  [[nodiscard]] const Ray<T>& ray(std::size_t i) const noexcept { return rays_[i]; }
  [[nodiscard]] std::span<T> direction(std::size_t i) noexcept { return {directions_.data() + i * dim_, dim_}; }
  [[nodiscard]] const T* directions() const noexcept { return directions_.data(); }
  // Buffers for the caller: a number, the terms of a cotangent and a normal for each row.
  [[nodiscard]] std::span<T> numbers() noexcept { return numbers_; }
  [[nodiscard]] std::span<kernels::CotangentRow<T>> cotangents() noexcept { return cotangents_; }
  [[nodiscard]] std::span<kernels::RayNormal<T>> normals() noexcept { return normals_; }
  [[nodiscard]] HullScratch<T>& hull_scratch() noexcept { return hull_scratch_; }

 private:
  std::size_t dim_;
  std::vector<T> directions_;
  std::vector<T> numbers_;
  std::vector<kernels::CotangentRow<T>> cotangents_;
  std::vector<kernels::RayNormal<T>> normals_;
  std::vector<Ray<T>> rays_;
  HullScratch<T> hull_scratch_;
};

// The rays of a block of rows with the gauges of one set.
template <class T>
class RayBlock : public RayRows<T> {
 public:
  RayBlock(const AnchoredSet<T>& set, std::size_t max_rows);

  // Fills ray(i) and direction(i) for each row of u. With `state` (packed RayStates) the gauge is read from it instead of
  // being evaluated.
  void load(const AnchoredSet<T>& set, Rows<const T> u, std::span<const RowState<T>> state = {}) noexcept;

  // A spare row for the caller, and a state for each row.
  [[nodiscard]] std::span<T> spare() noexcept { return spare_; }
  [[nodiscard]] std::span<RowState<T>> states() noexcept { return states_; }
  [[nodiscard]] GaugeScratch& gauge_scratch() noexcept { return *gauge_scratch_; }

 private:
  std::vector<T> spare_;
  std::vector<RowState<T>> states_;
  std::vector<GaugeAt<T>> at_;
  std::unique_ptr<GaugeScratch> gauge_scratch_;
};

// phi and its elasticities on a ray. Rows of ordinary size stay in T; scaled rows go through double, where rho and gamma
// of a float row cannot overflow and those of a double row overflow to infinity, which the profiles take.
template <class T, class M>
inline RayScale<T> scale_ray(const M& method, const Ray<T>& ray, std::span<const T> d) noexcept {
  if (ray.exponent == 0) {
    const auto at = profile(method, ray.rho, ray.gamma);
    return {at.phi, at};
  }
  const double size = std::ldexp(1.0, ray.exponent);
  const double gamma = static_cast<double>(ray.gamma) * size;
  const auto at = profile(method, static_cast<double>(ray.rho) * size * size, gamma);
  double step = gamma > 1 ? (1 - at.slack) / static_cast<double>(ray.gamma) : at.phi * size;
  // Along directions that never leave the set x grows with u: keep u0 + step d below the largest finite number.
  double longest = 1;
  for (const T v : d) longest = std::max(longest, std::abs(static_cast<double>(v)));
  step = std::min(step, static_cast<double>(std::numeric_limits<T>::max()) / 4 / longest);
  // The step of denormals underflows, phi itself does not.
  const double phi = ray.exponent < 0 ? at.phi : std::ldexp(step, -ray.exponent);
  return {static_cast<T>(step),
          {static_cast<T>(phi), static_cast<T>(at.e_rho), static_cast<T>(at.e_gamma), static_cast<T>(at.e_radial),
           static_cast<T>(at.slack)}};
}

// The scalars of a ray's VJP; `along` is d.g.
template <class T, class M>
inline RayCotangent<T> cotangent_of(const M& method, const Ray<T>& ray, std::span<const T> d, T along,
                                    T kappa) noexcept {
  return ray_cotangent(scale_ray(method, ray, d), ray.rho, ray.gamma, along, kappa, ray.norm());
}

extern template class RayRows<float>;
extern template class RayRows<double>;
extern template class RayBlock<float>;
extern template class RayBlock<double>;

}  // namespace softradial
