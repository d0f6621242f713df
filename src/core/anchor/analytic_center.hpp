#pragma once

#include <Eigen/Core>

#include "anchor/linear_part.hpp"
#include "anchor/phase_one.hpp"
#include "softradial/set.hpp"

namespace softradial {

// The minimiser of the barrier of a set whose linear rows are `part`. The start lies on the hull and satisfies the free rows
// of the part strictly. If it is not inside the set, phase I finds an interior point first; then Newton's method runs.
[[nodiscard]] InteriorPoint analytic_center(const ConvexSet& set, const LinearPart& part, const Eigen::VectorXd& start);

// The analytic centre of a set that only linear rows bound, from anywhere on the hull. Empty if there is none, or if the
// dimension is too large for Newton's method.
[[nodiscard]] std::optional<Eigen::VectorXd> center_of_rows(const LinearPart& part);

}  // namespace softradial
