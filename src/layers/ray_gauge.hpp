#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "hull_projector.hpp"
#include "softradial/gauge.hpp"
#include "softradial/projection.hpp"

namespace softradial::layers {

// 1 / (1 + exp(-s)), without overflow.
template <class T>
[[nodiscard]] T sigmoid(T s) noexcept {
  const T e = std::exp(-std::abs(s));
  return s >= 0 ? 1 / (1 + e) : e / (1 + e);
}

// The guarded gauge of a set at its anchor, one direction at a time, for methods that choose their rays themselves.
template <class T>
class RayGauge {
 public:
  RayGauge(const Set& set, const ProjectionOptions& options);

  struct At {
    T gamma = 0;  // guarded: kappa |d| is added
    T norm = 0;   // |d|
    GaugeAt<T> at;
  };

  [[nodiscard]] std::size_t dim() const noexcept { return anchor_.size(); }
  [[nodiscard]] std::size_t hull_dim() const noexcept { return dim() - hull_.codimension(); }
  [[nodiscard]] std::span<const T> anchor() const noexcept { return anchor_; }
  // Rows: an orthonormal basis of the hull's directions (hull_dim x dim).
  [[nodiscard]] const Eigen::MatrixXd& basis() const noexcept { return basis_; }
  [[nodiscard]] double lipschitz() const noexcept { return gauge_->lipschitz(); }

  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch() const { return gauge_->make_scratch(1); }
  void to_hull(std::span<T> d) const noexcept { hull_.project(d); }
  [[nodiscard]] At evaluate(std::span<const T> d, GaugeScratch& scratch) const noexcept;
  // out += scale grad gamma(d)
  void add_gradient(T scale, std::span<const T> d, const At& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept;

 private:
  std::vector<T> anchor_;
  HullProjector<T> hull_;
  GaugePtr<T> gauge_;
  T kappa_;
  Eigen::MatrixXd basis_;
};

extern template class RayGauge<float>;
extern template class RayGauge<double>;

}  // namespace softradial::layers
