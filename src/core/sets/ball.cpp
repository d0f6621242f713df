#include "softradial/sets/ball.hpp"

#include <cmath>

#include "sets/log_barrier.hpp"
#include "sets/validation.hpp"

namespace softradial {
namespace {

constexpr std::string_view kBall = "ball";

}  // namespace

Ball::Ball(Eigen::VectorXd center, double radius) : center_(std::move(center)), radius_(radius) {
  require_dim(kBall, dim());
  require_finite(kBall, "center", center_);
  require_positive(kBall, "radius", radius_);
}

Description Ball::describe() const { return {std::string(kBall), {{"center", center_}, {"radius", radius_}}}; }

// radius - |x - center|. A long double's exponent holds the square of every double.
void Ball::slacks(std::span<const double> x, std::span<double> out) const {
  long double square = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const long double d = static_cast<long double>(x[j]) - center_[j];
    square += d * d;
  }
  out[0] = static_cast<double>(radius_ - std::sqrt(square));
}

// -log(w),  w = (R + t)^2 - |d|^2,  d = x - center,  on R + t > |d|: the barrier of the second-order cone.
//   grad w = (-2 d, 2 (R + t)),   Hess w = diag(-2, ..., -2, 2)
std::optional<BarrierTerms> Ball::barrier(const Eigen::VectorXd& x, double t) const {
  const Eigen::VectorXd d = x - center_;
  const double reach = radius_ + t;
  const double distance = d.stableNorm();
  if (!(reach > distance)) return std::nullopt;

  const Eigen::Index last = d.size();
  Eigen::VectorXd gradient(last + 1);
  gradient << -2 * d, 2 * reach;
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(last + 1, last + 1);
  hessian.diagonal().setConstant(-2);
  hessian(last, last) = 2;
  return log_barrier((reach - distance) * (reach + distance), gradient, hessian);
}

}  // namespace softradial
