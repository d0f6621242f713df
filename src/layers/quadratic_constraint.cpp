#include "quadratic_constraint.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace softradial::layers {
namespace {

template <class V>
const V& field(const Description& description, std::string_view name) {
  for (const auto& [key, value] : description.fields) {
    if (key == name) return std::get<V>(value);
  }
  throw std::logic_error("a " + description.type + " describes no " + std::string(name));
}

}  // namespace

QuadraticConstraint::QuadraticConstraint(Eigen::VectorXd center, const Eigen::MatrixXd& P, Eigen::VectorXd q, double c)
    : center_(std::move(center)), P_(P), q_(std::move(q)), c_(c) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(P_);
  V_ = eigen.eigenvectors();
  s_ = eigen.eigenvalues().cwiseMax(0.0);
  Vq_ = V_.transpose() * q_;
}

std::optional<QuadraticConstraint> QuadraticConstraint::of(const Set& set) {
  const Description d = set->describe();
  const auto n = static_cast<Eigen::Index>(set.dim());
  if (d.type == "ball") {
    const double radius = field<double>(d, "radius");
    return QuadraticConstraint(field<Eigen::VectorXd>(d, "center"), Eigen::MatrixXd::Identity(n, n) / (radius * radius),
                               Eigen::VectorXd::Zero(n), -0.5);
  }
  if (d.type == "ellipsoid") {
    return QuadraticConstraint(field<Eigen::VectorXd>(d, "center"), field<Eigen::MatrixXd>(d, "shape"),
                               Eigen::VectorXd::Zero(n), -0.5);
  }
  if (d.type == "quadratic") {
    return QuadraticConstraint(Eigen::VectorXd::Zero(n), field<Eigen::MatrixXd>(d, "P"), field<Eigen::VectorXd>(d, "q"),
                               field<double>(d, "c"));
  }
  return std::nullopt;
}

double QuadraticConstraint::value(const Eigen::VectorXd& x) const {
  const Eigen::VectorXd y = x - center_;
  return 0.5 * y.dot(P_ * y) + q_.dot(y) + c_;
}

Eigen::VectorXd QuadraticConstraint::gradient(const Eigen::VectorXd& x) const { return P_ * (x - center_) + q_; }

Eigen::VectorXd QuadraticConstraint::project(const Eigen::VectorXd& u, std::size_t& steps) const {
  if (!u.allFinite()) return Eigen::VectorXd::Constant(u.size(), std::numeric_limits<double>::quiet_NaN());
  const Eigen::VectorXd w = V_.transpose() * (u - center_);
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
    const double value = form / 2 + Vq_.dot(y) + c_;
    if (step == 0 && value <= 0) return u;
    ++steps;
    if (std::abs(value) <=
        4 * std::numeric_limits<double>::epsilon() * (form / 2 + std::abs(c_) + std::abs(Vq_.dot(y))))
      break;
    (value > 0 ? low : high) = lambda;
    const double falling = (slope.square() / weight).sum();
    double next = lambda + value / falling;
    if (centred)
      next =
          lambda + (std::sqrt(form / (-2 * c_)) - 1) * form / (s_.array().square() * y.array().square() / weight).sum();
    if (!(next > low && next < high)) next = std::isinf(high) ? 2 * low + 1 : low / 2 + high / 2;
    if (next == lambda) break;
    lambda = next;
  }
  return center_ + V_ * y;
}

}  // namespace softradial::layers
