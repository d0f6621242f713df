#pragma once

#include <Eigen/Core>
#include <optional>

#include "anchor/linear_part.hpp"
#include "anchor/relevant_inequalities.hpp"

namespace softradial {

// A strictly feasible point by cutting planes, for constraints that Newton's method does not get along with (a maximum
// of functions). The centre of the largest ball in what is left of a box around the start is tried; each inequality
// that it violates cuts off the half that cannot be feasible (slacks are concave):
//   slack_i(x) + grad slack_i(x) . (x' - x) >= 0.
// Gradients are central differences of the slacks. The result is empty if no ball of a sensible size is left.
// Ref: Elzinga and Moore, A central cutting plane algorithm for the convex programming problem, 1975.
[[nodiscard]] std::optional<Eigen::VectorXd> interior_by_cuts(const LinearPart& part,
                                                              const RelevantInequalities& inequalities,
                                                              const Eigen::VectorXd& start, double size);

}  // namespace softradial
