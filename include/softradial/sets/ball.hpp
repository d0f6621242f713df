#pragma once

#include "softradial/sets/smooth_set.hpp"

namespace softradial {

// {x : |x - center| <= radius}; slack: radius - |x - center|.
class Ball final : public SmoothSet {
 public:
  Ball(Eigen::VectorXd center, double radius);

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(center_.size()); }
  [[nodiscard]] Description describe() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override { return center_; }
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;

 private:
  Eigen::VectorXd center_;
  double radius_;
};

}  // namespace softradial
