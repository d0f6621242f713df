#pragma once

#include "softradial/set.hpp"

namespace softradial {

// {x : |M x + s| <= c.x + e}: cones, balls, halfspaces (no rows in M). Slack: c.x + e - |M x + s|.
class SecondOrderCone final : public SmoothSet {
 public:
  [[nodiscard]] static SetType type();
  SecondOrderCone(Eigen::MatrixXd M, Eigen::VectorXd s, Eigen::VectorXd c, double e);

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(c_.size()); }
  [[nodiscard]] Description describe() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;

 private:
  Eigen::MatrixXd M_;
  Eigen::VectorXd s_;
  Eigen::VectorXd c_;
  double e_;
};

}  // namespace softradial
