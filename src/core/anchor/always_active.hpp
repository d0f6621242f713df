#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "anchor/linear_part.hpp"

namespace softradial {

// The inequalities (by their numbers in the linear system) that hold with equality at every point of a polyhedron, all
// of them from one linear programme at one feasible point x on the hull. With T the rows that x touches (a slack of at most
// `relative` of the row's size, or a distance of at most `distance`; other rows do not hinder small steps):
//   maximise sum_T s_i  subject to  a_i.d + s_i norm_i <= 0,  E d = 0,  0 <= s_i <= 1.
// Directions d may be scaled and added, so that s_i = 1 for every row that some feasible step moves away from, at once;
// s_i = 0 marks the rows from which no feasible step moves away. The result is empty if the solver fails.
// Ref: Freund, Roundy, Todd, Identifying the set of always-active constraints in a system of linear inequalities by a
// single linear program, 1985 (there without a feasible point).
[[nodiscard]] std::vector<std::size_t> always_active_rows(const LinearPart& part, const Eigen::VectorXd& x,
                                                          double relative, double distance);

}  // namespace softradial
