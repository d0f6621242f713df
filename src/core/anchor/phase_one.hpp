#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "anchor/linear_part.hpp"
#include "anchor/newton.hpp"
#include "anchor/relevant_inequalities.hpp"
#include "softradial/anchor.hpp"

namespace softradial {

struct InteriorPoint {
  AnchorStatus status = AnchorStatus::not_found;
  Eigen::VectorXd point;
  std::string reason;
};

// (start, t) with t large enough for the barrier to be defined there; empty if there is none.
[[nodiscard]] std::optional<Eigen::VectorXd> enter_barrier(const NewtonObjective& barrier,
                                                           const RelevantInequalities& inequalities,
                                                           const Eigen::VectorXd& start);

// A strictly feasible point of a set from any start on its hull, by following the path of minimisers of
//   tau t + B(x, t) + 1/2 |x - start|^2 / (confinement size)^2,   tau -> infinity,
// B the barrier of the relaxed inequalities slack_i(x) + t >= 0, until x is strictly feasible. On the path t exceeds
// its smallest value t* by about nu / tau for a constant nu of the barrier, so that it tells from a few points whether
// t* > 0 (empty) or t* = 0 (no interior: a guess, where slacks come in very different units). Gives up (not_found)
// where Newton's method does: see interior_by_cuts for functions with kinks.
// `size` is a length that fits the data. Ref: docs/math/anchors.md.
[[nodiscard]] InteriorPoint follow_path(const NewtonObjective& barrier, const RelevantInequalities& inequalities,
                                        const AffineHull& hull, const Eigen::VectorXd& start, double size,
                                        double confinement);

}  // namespace softradial
