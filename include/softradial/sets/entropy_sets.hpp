#pragma once

#include "softradial/sets/level_set.hpp"

namespace softradial {

// {x : log sum_j exp(x_j) <= bound}: a smooth maximum, unbounded below.
class LogSumExp final : public LevelSet {
 public:
  LogSumExp(std::size_t dim, double bound);
  [[nodiscard]] Description describe() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override;

 private:
  double bound_;
};

// {x >= 0 : sum(x) = 1, sum_j x_j log(x_j / reference_j) <= radius}: distributions close to a reference, which is
// positive and sums to 1 to rounding. Its anchor is the reference.
class KlBall final : public LevelSet {
 public:
  KlBall(const Eigen::VectorXd& reference, double radius);
  [[nodiscard]] Description describe() const override;
  bool append_linear(LinearSystem& out) const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override { return reference_; }
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;

 private:
  Eigen::VectorXd reference_;
  double radius_;
};

}  // namespace softradial
