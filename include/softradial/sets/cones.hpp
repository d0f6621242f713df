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
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;

 private:
  Eigen::MatrixXd M_;
  Eigen::VectorXd s_;
  Eigen::VectorXd c_;
  double e_;
};

// Base class for the cones K of R^3: {x : M x + s in K}, M (3 x dim). The gauge is that of K in the variables w = M x + s.
class ThreeDimensionalCone : public SmoothSet {
 public:
  [[nodiscard]] std::size_t dim() const noexcept final { return static_cast<std::size_t>(M_.cols()); }
  void slacks(std::span<const double> x, std::span<double> out) const final;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const final;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const final { return image_->gauge_f32(at); }
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const final { return image_->gauge_f64(at); }
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const final {
    return image_->gauge_in_tensors(anchor, data);
  }
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const final {
    return image_->in_sizes(sizes);
  }

 protected:
  using Point = Eigen::Matrix<long double, 3, 1>;
  struct Terms {  // a barrier of K and its derivatives
    double value;
    Eigen::Vector3d gradient;
    Eigen::Matrix3d hessian;
  };

  // `cone` is K itself. `inward` is an interior direction of K: every w + t inward is in K for t large enough.
  ThreeDimensionalCone(std::string_view name, Eigen::MatrixXd M, Eigen::VectorXd s, const Set& cone,
                       Eigen::Vector3d inward);
  [[nodiscard]] const Eigen::MatrixXd& matrix() const noexcept { return M_; }
  [[nodiscard]] const Eigen::VectorXd& offset() const noexcept { return s_; }

 private:
  [[nodiscard]] virtual long double slack(const Point& w) const = 0;
  [[nodiscard]] virtual std::optional<Terms> cone_barrier(const Eigen::Vector3d& w) const = 0;

  Eigen::MatrixXd M_;
  Eigen::VectorXd s_;
  Eigen::Vector3d inward_;
  Set image_;
};

// {x : M x + s in K}, K the closure of {(a, b, c) : b exp(a / b) <= c, b > 0}. Slack: min(b, c - b exp(a / b)).
class ExponentialCone final : public ThreeDimensionalCone {
 public:
  [[nodiscard]] static SetType type();
  ExponentialCone(Eigen::MatrixXd M, Eigen::VectorXd s);
  [[nodiscard]] Description describe() const override;

 private:
  [[nodiscard]] long double slack(const Point& w) const override;
  [[nodiscard]] std::optional<Terms> cone_barrier(const Eigen::Vector3d& w) const override;
};

// {x : M x + s in K}, K = {(a, b, c) : |c| <= a^alpha b^(1 - alpha), a >= 0, b >= 0}, 0 < alpha < 1.
// Slack: min(a, b, a^alpha b^(1 - alpha) - |c|).
class PowerCone final : public ThreeDimensionalCone {
 public:
  [[nodiscard]] static SetType type();
  PowerCone(Eigen::MatrixXd M, Eigen::VectorXd s, double alpha);
  [[nodiscard]] Description describe() const override;

 private:
  [[nodiscard]] long double slack(const Point& w) const override;
  [[nodiscard]] std::optional<Terms> cone_barrier(const Eigen::Vector3d& w) const override;

  double alpha_;
};

}  // namespace softradial
