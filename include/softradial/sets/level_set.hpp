#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "softradial/sets/smooth_set.hpp"

namespace softradial {

// A convex function h : R^n -> R u {+infinity}, finite and differentiable at least on the interior of {h <= 0}.
class ConvexFunction {
 public:
  virtual ~ConvexFunction() = default;
  [[nodiscard]] virtual std::size_t dim() const noexcept = 0;
  [[nodiscard]] virtual double value(std::span<const double> x) const noexcept = 0;
  // A subgradient where h has a kink.
  virtual void gradient(std::span<const double> x, std::span<double> out) const noexcept = 0;
  // Bound of the absolute rounding error of value(x) near h = 0, for points as large as the anchor given.
  [[nodiscard]] virtual double value_error(std::span<const double> anchor) const noexcept;
  [[nodiscard]] virtual Eigen::MatrixXd hessian(const Eigen::VectorXd& x) const;  // central differences of gradient
  // h as plain data; nothing where it is known by its values alone.
  [[nodiscard]] virtual std::optional<LevelFunction> form() const { return std::nullopt; }
};

// {x : h(x) <= 0} for any convex h given as value and gradient. Slack: -h(x).
// The ray's exit is a bracketed Newton iteration in double precision.
class LevelSet : public SmoothSet {
 public:
  explicit LevelSet(std::shared_ptr<const ConvexFunction> function, std::string name = "level_set");

  // From two callables. They may be called from several threads and must not throw.
  using Value = std::function<double(std::span<const double>)>;
  using Gradient = std::function<void(std::span<const double>, std::span<double>)>;
  LevelSet(std::size_t dim, Value value, Gradient gradient);

  [[nodiscard]] std::size_t dim() const noexcept override { return function_->dim(); }
  [[nodiscard]] Description describe() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;

 protected:
  [[nodiscard]] const ConvexFunction& function() const noexcept { return *function_; }

 private:
  std::shared_ptr<const ConvexFunction> function_;
  std::string name_;
};

}  // namespace softradial
