#include "softradial/sets/quadratic.hpp"

#include <cmath>
#include <limits>

#include "sets/log_barrier.hpp"
#include "sets/psd_factor.hpp"
#include "sets/validation.hpp"

namespace softradial {
namespace {

constexpr std::string_view kQuadratic = "quadratic";
constexpr std::string_view kEllipsoid = "ellipsoid";

using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

LongVector widened(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())).cast<long double>();
}

long double quadratic_form(const Eigen::MatrixXd& S, const LongVector& d) {
  long double sum = 0;
  for (Eigen::Index j = 0; j < S.cols(); ++j) sum += d[j] * S.col(j).cast<long double>().dot(d);
  return sum;
}

// -log(s + t) for a slack s(x) with gradient g and Hessian -S, S symmetric.
std::optional<BarrierTerms> slack_barrier(double slack, double t, const Eigen::VectorXd& g, const Eigen::MatrixXd& S) {
  const Eigen::Index last = g.size();
  Eigen::VectorXd gradient(last + 1);
  gradient << g, 1;
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(last + 1, last + 1);
  hessian.topLeftCorner(last, last) = -S;
  return log_barrier(slack + t, gradient, hessian);
}

}  // namespace

Quadratic::Quadratic(Eigen::MatrixXd P, Eigen::VectorXd q, double c) : P_(std::move(P)), q_(std::move(q)), c_(c) {
  require_dim(kQuadratic, dim());
  require_symmetric(kQuadratic, "P", P_);
  require_entries(kQuadratic, "q", q_.size(), P_.rows(), "rows of P");
  require_finite(kQuadratic, "q", q_);
  require_finite(kQuadratic, "c", c_);
  factor_ = psd_factor(kQuadratic, "P", P_);
}

Description Quadratic::describe() const { return {std::string(kQuadratic), {{"P", P_}, {"q", q_}, {"c", c_}}}; }

void Quadratic::slacks(std::span<const double> x, std::span<double> out) const {
  const LongVector wide = widened(x);
  out[0] = static_cast<double>(-(quadratic_form(P_, wide) / 2 + q_.cast<long double>().dot(wide) + c_));
}

std::optional<BarrierTerms> Quadratic::barrier(const Eigen::VectorXd& x, double t) const {
  double slack = 0;
  slacks({x.data(), dim()}, {&slack, 1});
  return slack_barrier(slack, t, -(P_ * x + q_), P_);
}

// The minimiser of the quadratic, x = -P^+ q, provided q lies in the range of P (otherwise the quadratic has none) and
// its value there is negative beyond rounding. With the rows V_i of the factor, |V_i|^2 = lambda_i:
//   P^+ q = sum_i V_i' (V_i.q) / lambda_i^2.
std::optional<Eigen::VectorXd> Quadratic::closed_form_anchor() const {
  // Components of q outside the range come out at a few dim * eps; a real one is as large as q itself.
  constexpr double kOutsideRange = 1e-9;
  const Eigen::ArrayXd eigenvalues = factor_.rowwise().squaredNorm().array();
  const Eigen::VectorXd components = ((factor_ * q_).array() / eigenvalues).matrix();
  if ((q_ - factor_.transpose() * components).norm() > kOutsideRange * q_.norm()) return std::nullopt;
  Eigen::VectorXd x = -factor_.transpose() * (components.array() / eigenvalues).matrix();

  double slack = 0;
  slacks({x.data(), dim()}, {&slack, 1});
  // At the minimiser 1/2 x'Px = -1/2 q'x: the largest of the terms that cancel in the slack is |q'x| or |c|.
  const double rounding = static_cast<double>(dim()) * std::numeric_limits<double>::epsilon() *
                          (q_.cwiseAbs().dot(x.cwiseAbs()) + std::abs(c_));
  if (!(slack > rounding)) return std::nullopt;
  return x;
}

Ellipsoid::Ellipsoid(Eigen::VectorXd center, Eigen::MatrixXd shape)
    : center_(std::move(center)), shape_(std::move(shape)) {
  require_dim(kEllipsoid, dim());
  require_symmetric(kEllipsoid, "shape", shape_);
  require_entries(kEllipsoid, "center", center_.size(), shape_.rows(), "rows of shape");
  require_finite(kEllipsoid, "center", center_);
  factor_ = psd_factor(kEllipsoid, "shape", shape_);
}

Description Ellipsoid::describe() const { return {std::string(kEllipsoid), {{"center", center_}, {"shape", shape_}}}; }

void Ellipsoid::slacks(std::span<const double> x, std::span<double> out) const {
  out[0] = static_cast<double>(1 - quadratic_form(shape_, widened(x) - center_.cast<long double>()));
}

std::optional<BarrierTerms> Ellipsoid::barrier(const Eigen::VectorXd& x, double t) const {
  double slack = 0;
  slacks({x.data(), dim()}, {&slack, 1});
  return slack_barrier(slack, t, -2 * (shape_ * (x - center_)), 2 * shape_);
}

}  // namespace softradial
