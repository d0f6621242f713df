#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/levels.hpp"

namespace softradial {
namespace {

constexpr std::string_view kLogSumExp = "log_sum_exp";

// log sum_j exp(x_j) = m + log sum_j exp(x_j - m),  m = max_j x_j: no exponential overflows.
template <class Real, class X>
Real log_sum_exp(const X& x) {
  using std::exp, std::log;
  const Real m = frozen(largest_over<Real>(x, [](const Real& xj) { return xj; }));
  return m + log(sum_over<Real>(x, [&m](const Real& xj) { return exp(xj - m); }));
}

// h(x) = log sum_j exp(x_j) - bound
class LogSumExpFunction final : public ConvexFunction {
 public:
  LogSumExpFunction(std::size_t dim, double bound) : dim_(dim), bound_(bound) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return dim_; }

  [[nodiscard]] double value(std::span<const double> x) const noexcept override {
    return log_sum_exp<double>(x) - bound_;
  }

  // The softmax p_j = exp(x_j - log sum exp(x)).
  void gradient(std::span<const double> x, std::span<double> out) const noexcept override {
    const double total = log_sum_exp<double>(x);
    for (std::size_t j = 0; j < x.size(); ++j) out[j] = std::exp(x[j] - total);
  }

  // diag(p) - p p'
  [[nodiscard]] Eigen::MatrixXd hessian(const Eigen::VectorXd& x) const override {
    Eigen::VectorXd p(x.size());
    gradient({x.data(), dim_}, {p.data(), dim_});
    Eigen::MatrixXd result = p.asDiagonal();
    result -= p * p.transpose();
    return result;
  }

  // With u = eps / 2, z_j = m - x_j and p the softmax: z_j carries an error u z_j, so that the sum has a relative error
  // of u sum_j p_j z_j <= u log n from it, 2 u from exp (1 ulp) and n u from adding; the logarithm adds 2 u log n, the
  // sum with m adds u |bound| near h = 0, where the subtraction of bound is exact.
  // Together (n + 2 + 3 log n + |bound|) u; eps leaves a factor 2.
  [[nodiscard]] double value_error(std::span<const double> /*anchor*/) const noexcept override {
    const auto n = static_cast<double>(dim_);
    return (n + 2 + 3 * std::log(n) + std::abs(bound_)) * std::numeric_limits<double>::epsilon();
  }

  // The softmax is not longer than 1.
  [[nodiscard]] std::optional<double> steepest() const override { return 1; }
  [[nodiscard]] TensorFunction in_tensors(const TensorSpace& /*space*/) const override {
    return [bound = bound_](const Tensor& x, const Tensor& v) -> TensorSlope {
      const Tensor total = log_sum_exp<Tensor>(x);
      return {total - bound, dot(exp(x - total), v)};
    };
  }

 private:
  std::size_t dim_;
  double bound_;
};

std::shared_ptr<const ConvexFunction> checked_function(std::size_t dim, double bound) {
  require_dim(kLogSumExp, dim);
  require_finite(kLogSumExp, "bound", bound);
  return std::make_shared<const LogSumExpFunction>(dim, bound);
}

}  // namespace

LogSumExp::LogSumExp(std::size_t dim, double bound)
    : LevelSet(checked_function(dim, bound), std::string(kLogSumExp)), bound_(bound) {}

Description LogSumExp::describe() const {
  return {std::string(kLogSumExp), {{"dim", static_cast<double>(dim())}, {"bound", bound_}}};
}

void LogSumExp::slacks(std::span<const double> x, std::span<double> out) const {
  out[0] = static_cast<double>(bound_ - log_sum_exp<long double>(x));
}

// All coordinates equal, with slack 1: log(n exp(y)) = y + log n = bound - 1.
std::optional<Eigen::VectorXd> LogSumExp::closed_form_anchor() const {
  const auto n = static_cast<double>(dim());
  return Eigen::VectorXd::Constant(static_cast<Eigen::Index>(dim()), bound_ - std::log(n) - 1);
}

SetType LogSumExp::type() {
  return {.name = kLogSumExp,
          .title = "LogSumExp",
          .formula = "{log sum_j exp(x_j) <= bound}",
          .fields = {{.name = "dim", .kind = FieldKind::count, .meaning = "the number of coordinates"},
                     {.name = "bound", .kind = FieldKind::number, .meaning = "a number"}},
          .sample_data = {},
          .example = R"({"type": "log_sum_exp", "dim": 3, "bound": 1})",
          .make = [](const Fields& f) -> Set { return LogSumExp(f.count("dim"), f.number("bound")); }};
}

}  // namespace softradial
