#pragma once

#include <Eigen/Core>
#include <optional>

#include "softradial/sets/quadratics.hpp"

namespace softradial::layers {

// The inequality of a QuadraticSet, with the projection onto it.
class QuadraticConstraint {
 public:
  // Empty if the set is of another kind.
  [[nodiscard]] static std::optional<QuadraticConstraint> of(const Set& set);

  [[nodiscard]] double value(const Eigen::VectorXd& x) const;
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& x) const;
  [[nodiscard]] const Eigen::MatrixXd& hessian() const noexcept { return form_.P; }

  struct Sphere {
    Eigen::VectorXd center;
    double radius;
  };
  // The set as a ball, if it is one.
  [[nodiscard]] std::optional<Sphere> as_ball() const;

  // The orthogonal projection: y(lambda) = (I + lambda P)^-1 (u - center - lambda q) with the lambda >= 0 at which the
  // constraint holds with equality. In the eigenbasis of P this is a scalar equation, convex and falling, which is solved
  // by Newton's method in a bracket. If q = 0, Newton's method is applied to 1 / sqrt(y'P y), which is nearly linear, so
  // that far points take only a few steps too.
  [[nodiscard]] Eigen::VectorXd project(const Eigen::VectorXd& u, std::size_t& steps) const;

 private:
  explicit QuadraticConstraint(QuadraticForm form);

  QuadraticForm form_;
  Eigen::MatrixXd V_;  // P = V diag(s) V'
  Eigen::VectorXd s_;
  Eigen::VectorXd Vq_;
};

}  // namespace softradial::layers
