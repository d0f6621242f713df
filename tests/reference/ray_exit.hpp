#pragma once

#include <Eigen/Core>

#include "softradial/set.hpp"

namespace softradial::reference {

// sup { t >= 0 : anchor + t direction in C }, by bisection on the set's slacks: no gauge is involved. Infinity where the
// ray is still inside at 10^12 times the unit of `direction`. Inequalities whose slack at the anchor is no more than
// rounding are constant on the affine hull and take no part; the direction is assumed to run along the hull.
[[nodiscard]] long double ray_exit(const ConvexSet& set, const Eigen::VectorXd& anchor,
                                   const Eigen::VectorXd& direction);

// gamma(d) = 1 / ray_exit(d), 0 where the ray never leaves.
[[nodiscard]] long double gauge_by_bisection(const ConvexSet& set, const Eigen::VectorXd& anchor,
                                             const Eigen::VectorXd& direction);

}  // namespace softradial::reference
