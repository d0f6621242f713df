#include "quadratic_constraint.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <utility>

namespace softradial::layers {

QuadraticConstraint::QuadraticConstraint(QuadraticForm form) : form_(std::move(form)) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(form_.P);
  V_ = eigen.eigenvectors();
  s_ = eigen.eigenvalues().cwiseMax(0.0);
  Vq_ = V_.transpose() * form_.q;
}

std::optional<QuadraticConstraint> QuadraticConstraint::of(const Set& set) {
  const auto* const quadratic = dynamic_cast<const QuadraticSet*>(&*set);
  if (quadratic == nullptr) return std::nullopt;
  return QuadraticConstraint(quadratic->form());
}

double QuadraticConstraint::value(const Eigen::VectorXd& x) const {
  const Eigen::VectorXd y = x - form_.center;
  return 0.5 * y.dot(form_.P * y) + form_.q.dot(y) + form_.c;
}

Eigen::VectorXd QuadraticConstraint::gradient(const Eigen::VectorXd& x) const {
  return form_.P * (x - form_.center) + form_.q;
}

std::optional<QuadraticConstraint::Sphere> QuadraticConstraint::as_ball() const {
  const Eigen::MatrixXd& P = form_.P;
  const double curvature = P(0, 0);
  if (!(curvature > 0) || P != curvature * Eigen::MatrixXd::Identity(P.rows(), P.cols())) return std::nullopt;
  const Eigen::VectorXd offset = form_.q / curvature;
  return Sphere{form_.center - offset, std::sqrt(offset.squaredNorm() - 2 * form_.c / curvature)};
}

Eigen::VectorXd QuadraticConstraint::project(const Eigen::VectorXd& u, std::size_t& steps) const {
  if (!u.allFinite()) return Eigen::VectorXd::Constant(u.size(), std::numeric_limits<double>::quiet_NaN());
  const Eigen::VectorXd w = V_.transpose() * (u - form_.center);
  const bool centred = Vq_.isZero(0);
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double lambda = 0;
  Eigen::VectorXd y = w;
  constexpr int kSteps = 200;  // more than bisection needs to exhaust a bracket of doubles
  for (int step = 0; step < kSteps; ++step) {
    const Eigen::ArrayXd weight = 1 + lambda * s_.array();
    y = (w.array() - lambda * Vq_.array()) / weight;
    const Eigen::ArrayXd slope = s_.array() * y.array() + Vq_.array();
    const double form = (s_.array() * y.array().square()).sum();
    const double value = form / 2 + Vq_.dot(y) + form_.c;
    if (step == 0 && value <= 0) return u;
    ++steps;
    if (std::abs(value) <=
        4 * std::numeric_limits<double>::epsilon() * (form / 2 + std::abs(form_.c) + std::abs(Vq_.dot(y))))
      break;
    (value > 0 ? low : high) = lambda;
    const double falling = (slope.square() / weight).sum();
    double next = lambda + value / falling;
    if (centred)
      next = lambda +
             (std::sqrt(form / (-2 * form_.c)) - 1) * form / (s_.array().square() * y.array().square() / weight).sum();
    if (!(next > low && next < high)) next = std::isinf(high) ? 2 * low + 1 : low / 2 + high / 2;
    if (next == lambda) break;
    lambda = next;
  }
  return form_.center + V_ * y;
}

}  // namespace softradial::layers
