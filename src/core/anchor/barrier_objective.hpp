#pragma once

#include <cstddef>

#include "anchor/linear_part.hpp"
#include "anchor/newton.hpp"
#include "softradial/set.hpp"

namespace softradial {

// Largest dimension for Newton's method, which holds dense Hessians (128 MB at this dimension).
inline constexpr std::size_t kMaxNewtonDim = 4000;

// The barrier in z = (x, t) of a linear part, or of a set whose linear rows are `part`: the part's free rows plus the
// set's nonlinear inequalities. It refers to its arguments.
[[nodiscard]] NewtonObjective barrier_objective(const LinearPart& part);
[[nodiscard]] NewtonObjective barrier_objective(const LinearPart& part, const ConvexSet& set);

// objective + 1/2 |x - center|^2 / size^2: keeps Newton's method near the centre if the objective does not. Refers
// to its arguments.
[[nodiscard]] NewtonObjective confined(const NewtonObjective& objective, const Eigen::VectorXd& center, double size);

// The minimiser over x of the barrier at t = 0, from a strictly feasible start on the hull: the analytic centre.
// Sets without one (a halfspace: the barrier falls for ever) are those where Newton's method runs away, to a distance
// of kRunaway sizes; there the barrier is confined to the surroundings of the start, and its minimiser is about one
// size away from the constraints that bind. `size` is a length that fits the data. The result is strictly feasible in
// any case.
[[nodiscard]] Eigen::VectorXd barrier_minimiser(const NewtonObjective& barrier, const AffineHull& hull,
                                                const Eigen::VectorXd& start, double size);
inline constexpr double kRunaway = 1e4;

// The hull's normals in the variables (x, t); with `fix_t` also e_t, which keeps t where it is.
[[nodiscard]] Eigen::MatrixXd normals_with_t(const AffineHull& hull, bool fix_t);

}  // namespace softradial
