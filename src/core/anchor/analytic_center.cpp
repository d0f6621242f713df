#include "anchor/analytic_center.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "anchor/barrier_objective.hpp"
#include "anchor/cutting_planes.hpp"
#include "anchor/relevant_inequalities.hpp"

namespace softradial {
namespace {

// Phase I stays near its start, so that unbounded sets give moderate points. Where that slows Newton's method down too
// much (steep functions, with the set far away) it gets this much more room.
constexpr double kFarConfinement = 100;

// A length that the data suggest: at least 1, the start's own size, its distance from the linear rows.
double data_size(const LinearPart& part, const Eigen::VectorXd& start) {
  const double distance = smallest_distance(part, start);
  return std::max({1.0, start.cwiseAbs().maxCoeff(), std::isfinite(distance) ? distance : 0.0});
}

}  // namespace

InteriorPoint analytic_center(const ConvexSet& set, const LinearPart& part, const Eigen::VectorXd& start) {
  const RelevantInequalities inequalities(set, part);
  const auto is_interior = [&](const Eigen::VectorXd& x) { return inequalities.smallest(x).slack > 0; };
  InteriorPoint found{.status = AnchorStatus::found, .point = start, .reason = {}};
  if (part.dim() > kMaxNewtonDim) {
    if (!is_interior(start)) {
      found.status = AnchorStatus::not_found;
      found.reason = "the search for an interior point is limited to dimension " + std::to_string(kMaxNewtonDim);
    }
    return found;
  }

  const NewtonObjective barrier = barrier_objective(part, set);
  if (!is_interior(start)) {
    const double size = data_size(part, start);
    found.status = AnchorStatus::not_found;
    for (const double confinement : {size, kFarConfinement * size}) {
      if (found.status == AnchorStatus::not_found) {
        found = follow_path(barrier, inequalities, part.hull(), start, confinement);
      }
    }
    if (found.status == AnchorStatus::not_found) {
      if (std::optional<Eigen::VectorXd> point = interior_by_cuts(part, inequalities, start, size)) {
        found = {.status = AnchorStatus::found, .point = std::move(*point), .reason = {}};
      }
    }
    if (found.status != AnchorStatus::found) return found;
  }

  found.point = onto_hull(part.hull(), found.point);
  const double size = data_size(part, found.point);
  const Eigen::VectorXd center =
      onto_hull(part.hull(), barrier_minimiser(barrier, part.hull(), found.point, size));
  if (is_interior(center)) found.point = center;
  if (!is_interior(found.point)) {
    found.status = AnchorStatus::not_found;
    found.reason = "the interior point that was found is too close to the boundary for double precision";
  }
  return found;
}

}  // namespace softradial
