#include <algorithm>
#include <cmath>
#include <limits>

#include "sets/log_barrier.hpp"
#include "sets/validation.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets/levels.hpp"

namespace softradial {
namespace {

// A convex function out of two callables.
class CallableFunction final : public ConvexFunction {
 public:
  CallableFunction(std::size_t dim, LevelSet::Value value, LevelSet::Gradient gradient)
      : dim_(dim), value_(std::move(value)), gradient_(std::move(gradient)) {
    if (!value_) reject("level_set", "the value callable is empty");
    if (!gradient_) reject("level_set", "the gradient callable is empty");
  }

  [[nodiscard]] std::size_t dim() const noexcept override { return dim_; }
  [[nodiscard]] double value(std::span<const double> x) const noexcept override { return value_(x); }
  void gradient(std::span<const double> x, std::span<double> out) const noexcept override { gradient_(x, out); }

 private:
  std::size_t dim_;
  LevelSet::Value value_;
  LevelSet::Gradient gradient_;
};

}  // namespace

// The formula is not known. So 64 roundings are assumed, of terms as large as h at the anchor, or as 1.
double ConvexFunction::value_error(std::span<const double> anchor) const noexcept {
  constexpr double kRoundings = 64;
  return kRoundings * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(value(anchor)));
}

std::optional<double> ConvexFunction::inner_radius(std::span<const double> /*anchor*/, double slack) const {
  const std::optional<double> slope = steepest();
  if (!slope) return std::nullopt;
  return slack / *slope;
}

// Column j: (grad h(x + s e_j) - grad h(x - s e_j)) / (2 s), then the symmetric part. The step cbrt(eps) max(1, |x_j|)
// balances the truncation s^2 against the rounding eps / s.
Eigen::MatrixXd ConvexFunction::hessian(const Eigen::VectorXd& x) const {
  const double relative_step = std::cbrt(std::numeric_limits<double>::epsilon());
  const std::size_t n = dim();
  Eigen::MatrixXd columns(x.size(), x.size());
  Eigen::VectorXd point = x;
  Eigen::VectorXd after(x.size());
  Eigen::VectorXd before(x.size());
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double step = relative_step * std::max(1.0, std::abs(x[j]));
    point[j] = x[j] + step;
    gradient({point.data(), n}, {after.data(), n});
    point[j] = x[j] - step;
    gradient({point.data(), n}, {before.data(), n});
    point[j] = x[j];
    columns.col(j) = (after - before) / (2 * step);
  }
  return (columns + columns.transpose()) / 2;
}

TensorFunction ConvexFunction::in_tensors(const TensorSpace& /*space*/) const {
  throw InvalidSet("level_set: a function given as C++ callables has no form in tensors");
}

LevelSet::LevelSet(std::shared_ptr<const ConvexFunction> function, std::string name)
    : function_(std::move(function)), name_(std::move(name)) {
  if (!function_) reject(name_, "there is no function");
  require_dim(name_, function_->dim());
}

LevelSet::LevelSet(std::size_t dim, Value value, Gradient gradient)
    : LevelSet(std::make_shared<const CallableFunction>(dim, std::move(value), std::move(gradient))) {}

Description LevelSet::describe() const { return {name_, {{"dim", static_cast<double>(dim())}}}; }

void LevelSet::slacks(std::span<const double> x, std::span<double> out) const { out[0] = -function_->value(x); }

// -log(t - h(x)):  the slack's gradient is (-grad h, 1), its Hessian -Hess h.
std::optional<BarrierTerms> LevelSet::barrier(const Eigen::VectorXd& x, double t) const {
  const double slack = t - function_->value({x.data(), dim()});
  if (!(slack > 0)) return std::nullopt;
  const Eigen::Index last = x.size();
  Eigen::VectorXd gradient(last + 1);
  function_->gradient({x.data(), dim()}, {gradient.data(), dim()});
  gradient.head(last) *= -1;
  gradient[last] = 1;
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(last + 1, last + 1);
  hessian.topLeftCorner(last, last) = -function_->hessian(x);
  return log_barrier(slack, gradient, hessian);
}

}  // namespace softradial
