#pragma once

#include <vector>

#include "softradial/set.hpp"

namespace softradial {

// {x : F[0] + sum_i x_i F[i] >= 0} (positive semidefinite), F symmetric. Slack: the smallest eigenvalue.
class Lmi final : public SmoothSet {
 public:
  [[nodiscard]] static SetType type();
  explicit Lmi(std::vector<Eigen::MatrixXd> F);

  [[nodiscard]] std::size_t dim() const noexcept override { return F_.size() - 1; }
  [[nodiscard]] Description describe() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;

 private:
  [[nodiscard]] Eigen::MatrixXd value(const Eigen::VectorXd& x) const;

  std::vector<Eigen::MatrixXd> F_;
};

}  // namespace softradial
