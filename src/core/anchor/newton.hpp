#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <optional>

#include "softradial/set.hpp"

namespace softradial {

// A convex function of z = (x, t), t last, with its derivatives; empty outside its domain.
using NewtonObjective = std::function<std::optional<BarrierTerms>(const Eigen::VectorXd& z)>;

struct NewtonLimits {
  int max_steps = 100;
  // Stop when the Newton decrement sqrt(g' H^-1 g), the distance to the minimiser in the local norm, falls below this.
  double decrement = 1e-9;
  // Stop early if this returns true.
  std::function<bool(const Eigen::VectorXd& z)> enough = [](const Eigen::VectorXd&) { return false; };
};

enum class NewtonEnd { minimum, enough, step_limit, stalled };

struct NewtonResult {
  Eigen::VectorXd z;
  NewtonEnd end = NewtonEnd::stalled;
  double decrement = std::numeric_limits<double>::infinity();  // of the last step
};

// The step of `minimise` with the smallest lambda; empty if the matrix is not positive definite.
[[nodiscard]] std::optional<Eigen::VectorXd> newton_step(const BarrierTerms& terms, const Eigen::MatrixXd& normals);

// Damped Newton method from a start in the domain, along directions that are orthogonal to the rows of `normals`
// (orthonormal; any number of rows). The step solves
//   (P H P + h N'N + lambda D) step = -P g,   P = I - N'N,   D = the diagonal of the matrix,   h = its mean
// with the smallest lambda in 1e-13, 1e-11, ... for which the matrix is positive definite and the backtracking search
// along the step decreases the function: lambda keeps flat directions (a set with a lineality space) at rest and turns
// the step towards the gradient where the Hessian misleads (functions with kinks). Every iterate is in the domain.
[[nodiscard]] NewtonResult minimise(const NewtonObjective& objective, const Eigen::MatrixXd& normals,
                                    const Eigen::VectorXd& start, const NewtonLimits& limits);

}  // namespace softradial
