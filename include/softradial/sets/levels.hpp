#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "softradial/set.hpp"

namespace softradial {

// h(point) and its slope along v, grad h(point).v: (..., dim) -> (..., 1) each, in double.
struct TensorSlope {
  Tensor value;
  Tensor slope;
};
using TensorFunction = std::function<TensorSlope(const Tensor& point, const Tensor& v)>;

// A convex function h : R^n -> R u {+infinity}, finite and differentiable at least on the interior of {h <= 0}.
class ConvexFunction {
 public:
  virtual ~ConvexFunction() = default;
  [[nodiscard]] virtual std::size_t dim() const noexcept = 0;
  [[nodiscard]] virtual double value(std::span<const double> x) const noexcept = 0;
  // The gradient, or a subgradient where h has a kink.
  virtual void gradient(std::span<const double> x, std::span<double> out) const noexcept = 0;
  // Bound of the absolute rounding error of value(x) near h = 0, for points as large as the anchor given.
  [[nodiscard]] virtual double value_error(std::span<const double> anchor) const noexcept;
  [[nodiscard]] virtual Eigen::MatrixXd hessian(const Eigen::VectorXd& x) const;  // central differences of gradient
  // A bound of |grad h| on the points that matter; empty if none is known.
  [[nodiscard]] virtual std::optional<double> steepest() const { return std::nullopt; }
  // The radius of a ball around the anchor on which h < 0; slack is -h(anchor). Needs a bound of the slope, else empty.
  [[nodiscard]] virtual std::optional<double> inner_radius(std::span<const double> anchor, double slack) const;
  // h computed by tensors. Throws InvalidSet for a function that is known by its values alone.
  [[nodiscard]] virtual TensorFunction in_tensors(const TensorSpace& space) const;
};

// {x : h(x) <= 0} for any convex h given as value and gradient. Slack: -h(x).
// A bracketed Newton iteration in double precision finds the point where a ray leaves the set.
class LevelSet : public SmoothSet {
 public:
  explicit LevelSet(std::shared_ptr<const ConvexFunction> function, std::string name = "level_set");

  // A level set from two callables, which may be called from several threads and must not throw.
  using Value = std::function<double(std::span<const double>)>;
  using Gradient = std::function<void(std::span<const double>, std::span<double>)>;
  LevelSet(std::size_t dim, Value value, Gradient gradient);

  [[nodiscard]] std::size_t dim() const noexcept override { return function_->dim(); }
  [[nodiscard]] Description describe() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;

 protected:
  [[nodiscard]] const ConvexFunction& function() const noexcept { return *function_; }

 private:
  std::shared_ptr<const ConvexFunction> function_;
  std::string name_;
};

// {x : |x - center|_p <= radius}, 1 <= p <= infinity. Slack: radius - |x - center|_p.
// From the centre gamma(d) = |d|_p / radius. From any other anchor gamma is found as for a level set, by its root.
class LpBall final : public LevelSet {
 public:
  [[nodiscard]] static SetType type();
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

// {x : log sum_j exp(x_j) <= bound}: a smooth maximum, unbounded below.
class LogSumExp final : public LevelSet {
 public:
  [[nodiscard]] static SetType type();
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
  [[nodiscard]] static SetType type();
  KlBall(const Eigen::VectorXd& reference, double radius);
  [[nodiscard]] Description describe() const override;
  bool append_linear(LinearSystem& out) const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override { return reference_; }
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;

 private:
  Eigen::VectorXd reference_;
  double radius_;
};

}  // namespace softradial
