#pragma once

#include "softradial/sets/level_set.hpp"

namespace softradial {

// {x : |x - center|_p <= radius}, 1 <= p <= infinity. Slack: radius - |x - center|_p.
// From the centre gamma(d) = |d|_p / radius; from any other anchor by the level set's root.
class LpBall final : public LevelSet {
 public:
  LpBall(const Eigen::VectorXd& center, double radius, double p);

  [[nodiscard]] Description describe() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override { return center_; }
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;

 private:
  Eigen::VectorXd center_;
  double radius_;
  double p_;
};

}  // namespace softradial
