#include "softradial/sets/second_order_cone.hpp"

#include <cmath>

#include "sets/log_barrier.hpp"
#include "sets/validation.hpp"

namespace softradial {
namespace {

constexpr std::string_view kSecondOrderCone = "second_order_cone";

}  // namespace

SecondOrderCone::SecondOrderCone(Eigen::MatrixXd M, Eigen::VectorXd s, Eigen::VectorXd c, double e)
    : M_(std::move(M)), s_(std::move(s)), c_(std::move(c)), e_(e) {
  require_dim(kSecondOrderCone, dim());
  if (M_.rows() == 0) M_.resize(0, c_.size());
  require_entries(kSecondOrderCone, "c", c_.size(), M_.cols(), "columns of M");
  require_entries(kSecondOrderCone, "s", s_.size(), M_.rows(), "rows of M");
  require_finite(kSecondOrderCone, "M", M_);
  require_finite(kSecondOrderCone, "s", s_);
  require_finite(kSecondOrderCone, "c", c_);
  require_finite(kSecondOrderCone, "e", e_);
}

Description SecondOrderCone::describe() const {
  return {std::string(kSecondOrderCone), {{"M", M_}, {"s", s_}, {"c", c_}, {"e", e_}}};
}

// c.x + e - |M x + s|
void SecondOrderCone::slacks(std::span<const double> x, std::span<double> out) const {
  long double height = e_;
  for (Eigen::Index j = 0; j < c_.size(); ++j) height += static_cast<long double>(c_[j]) * x[j];
  long double square = 0;
  for (Eigen::Index i = 0; i < M_.rows(); ++i) {
    long double entry = s_[i];
    for (Eigen::Index j = 0; j < c_.size(); ++j) entry += static_cast<long double>(M_(i, j)) * x[j];
    square += entry * entry;
  }
  out[0] = static_cast<double>(height - std::sqrt(square));
}

// -log(w),  w = a^2 - |r|^2,  a = c.x + e + t,  r = M x + s,  on a > |r|.
//   grad w = 2 a (c, 1) - 2 (M'r, 0),   Hess w = 2 (c, 1)(c, 1)' - 2 diag(M'M, 0)
std::optional<BarrierTerms> SecondOrderCone::barrier(const Eigen::VectorXd& x, double t) const {
  const Eigen::VectorXd r = M_ * x + s_;
  const double height = c_.dot(x) + e_ + t;
  const double norm = r.stableNorm();
  if (!(height > norm)) return std::nullopt;

  const Eigen::Index last = c_.size();
  Eigen::VectorXd axis(last + 1);
  axis << c_, 1;
  Eigen::VectorXd gradient = 2 * height * axis;
  gradient.head(last) -= 2 * (M_.transpose() * r);
  Eigen::MatrixXd hessian = 2 * axis * axis.transpose();
  hessian.topLeftCorner(last, last) -= 2 * (M_.transpose() * M_);
  return log_barrier((height - norm) * (height + norm), gradient, hessian);
}

}  // namespace softradial
