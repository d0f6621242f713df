#pragma once

#include <Eigen/Core>
#include <vector>

#include "linear_data.hpp"
#include "quadratic_constraint.hpp"
#include "softradial/affine_hull.hpp"

namespace softradial::layers {

// The gauge of a set of linear and quadratic constraints seen from any interior point p, in double:
//   gamma(p, w) = inf { t > 0 : p + w / t in C },
// the maximum of a.w / (b - a.p) over the rows, and of the positive root of
//   v(p) gamma^2 + (grad v(p) . w) gamma + 1/2 w'P w = 0
// over the quadratic constraints v <= 0. Rows that are constant on the hull do not count.
class BoundaryGauge {
 public:
  BoundaryGauge(LinearData linear, std::vector<QuadraticConstraint> curved, const AffineHull& hull);

  // The normal is the gradient in w. The gradient in p is gamma times it, because p + w / gamma stays on the boundary.
  struct At {
    double gamma = 0;
    Eigen::VectorXd normal;
  };
  [[nodiscard]] double value(const Eigen::VectorXd& p, const Eigen::VectorXd& w) const;
  [[nodiscard]] At at(const Eigen::VectorXd& p, const Eigen::VectorXd& w) const;

 private:
  struct Largest {
    double gamma = 0;
    Eigen::Index row = -1;    // the row of A that attains gamma, or
    Eigen::Index curve = -1;  // the quadratic constraint that does
    double root = 0;          // square root of the discriminant
  };
  [[nodiscard]] Largest largest(const Eigen::VectorXd& p, const Eigen::VectorXd& w) const;

  Eigen::MatrixXd A_;
  Eigen::VectorXd b_;
  std::vector<QuadraticConstraint> curved_;
};

}  // namespace softradial::layers
