#pragma once

#include <Eigen/Core>

#include "anchor/linear_part.hpp"
#include "anchor/phase_one.hpp"
#include "softradial/set.hpp"

namespace softradial {

// The minimiser of the barrier of a set whose linear rows are `part`, from a start on the hull that satisfies the free
// rows of the part strictly: an interior point first (phase I), where the start is none, then Newton's method.
[[nodiscard]] InteriorPoint analytic_center(const ConvexSet& set, const LinearPart& part, const Eigen::VectorXd& start);

// The analytic centre of a set that its linear rows alone bound, from anywhere on the hull; nothing where there is none, or
// where the dimension is beyond Newton's method.
[[nodiscard]] std::optional<Eigen::VectorXd> center_of_rows(const LinearPart& part);

}  // namespace softradial
