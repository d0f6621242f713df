#include "anchor/chebyshev.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "anchor/always_active.hpp"
#include "anchor/barrier_objective.hpp"
#include "anchor/max_slack.hpp"
#include "anchor/wording.hpp"

namespace softradial {
namespace {

// Share by which the ball may shrink to become central in the directions that it does not fill.
constexpr double kShrink = 1e-3;
// A flat set's point touches the rows that are within this many times the flatness: it sits between opposite rows, and
// is off each of them by the rounding of its coordinates as well.
constexpr double kTouching = 10;
// Rounding is this small a part of the flatness (1e-14 of 1e-11).
constexpr double kRounding = 1e-3;

std::string contradiction(const LinearPart& part, const MaxSlack& solution) {
  std::vector<std::string> names;
  for (const FreeRow& free_row : solution.tight) names.push_back(part.row(free_row).name);
  return name_list(names) + " contradict each other" +
         (part.hull().codimension() > 0 ? " where the equalities hold" : "") + ": every point misses one of them by " +
         amount_text(-solution.level) + " or more";
}

// The centres of the largest balls fill the face of {x : slack_i >= t norm_i} on which the tight rows hold with equality.
// Returns the face's analytic centre, with the other rows held at (1 - kShrink) t so that there is room around the face.
std::optional<Eigen::VectorXd> center_of_face(const LinearPart& part, const MaxSlack& solution) {
  LinearSystem face(part.dim());
  for (const LinearSystem::Row& row : part.independent_equalities()) face.add_equality(row);
  auto tight = solution.tight.begin();
  for (const FreeRow& free_row : part.free_rows()) {
    LinearSystem::Row row = part.row(free_row);
    if (tight != solution.tight.end() && tight->inequality == free_row.inequality) {
      row.bound -= solution.level * free_row.norm;
      face.add_equality(std::move(row));
      ++tight;
    } else {
      row.bound -= (1 - kShrink) * solution.level * free_row.norm;
      face.add_inequality(std::move(row));
    }
  }
  const LinearPart face_part(std::move(face));
  if (face_part.status() != AnchorStatus::found) return std::nullopt;
  const Eigen::VectorXd start = onto_hull(face_part.hull(), solution.point);
  if (!(smallest_distance(face_part, start) > 0)) return std::nullopt;
  const double size = std::max({1.0, solution.size, solution.level});
  return barrier_minimiser(barrier_objective(face_part), face_part.hull(), start, size);
}

// Replaces the solution's point by a central one if the ball is not unique: fewer rows touch it than pin down a point.
void center_among_optima(const LinearPart& part, MaxSlack& solution) {
  const bool unique = solution.tight.size() + part.hull().codimension() > part.dim();
  if (unique || solution.capped || part.dim() > kMaxNewtonDim) return;
  const std::optional<Eigen::VectorXd> center = center_of_face(part, solution);
  if (!center) return;
  const Eigen::VectorXd candidate = onto_hull(part.hull(), *center);
  if (smallest_distance(part, candidate) >= (1 - 2 * kShrink) * solution.level) solution.point = candidate;
}

// All implicit equalities at once; if that fails, those that the multipliers prove.
std::vector<std::size_t> implicit_equalities(const LinearPart& part, const MaxSlack& solution) {
  std::vector<std::size_t> implicit =
      always_active_rows(part, solution.point, kTouching * kFlatTolerance, kTouching * solution.resolution);
  if (implicit.empty()) {
    for (const FreeRow& free_row : solution.tight) implicit.push_back(free_row.inequality);
  }
  return implicit;
}

ChebyshevCenter center_in(LinearPart& part) {
  ChebyshevCenter center;
  while (part.status() == AnchorStatus::found) {
    if (part.free_rows().empty()) {
      center.status = AnchorStatus::found;
      center.point = part.least_norm_point();
      center.radius = std::numeric_limits<double>::infinity();
      return center;
    }
    std::optional<MaxSlack> solution = maximise_smallest_slack(part);
    if (!solution) {
      center.reason = "the linear programme for an interior point could not be solved";
      return center;
    }
    const double flat = std::max(kFlatTolerance * solution->size, solution->resolution);
    if (solution->level < -flat) {
      center.status = AnchorStatus::empty;
      center.reason = contradiction(part, *solution);
      return center;
    }
    if (solution->level > flat) {
      center_among_optima(part, *solution);
      center.point = std::move(solution->point);
      center.radius = smallest_distance(part, center.point);
      center.status = center.radius > 0 ? AnchorStatus::found : AnchorStatus::not_found;
      if (center.status != AnchorStatus::found) center.reason = "the largest ball is too small for double precision";
      return center;
    }
    const std::size_t num_free = part.free_rows().size();
    part.add_implicit_equalities(implicit_equalities(part, *solution), solution->point, kRounding * kFlatTolerance,
                                 std::max(kRounding * solution->resolution, solution->rounding));
    // Every round makes a row constant, or there would be no last one.
    if (part.status() == AnchorStatus::found && part.free_rows().size() >= num_free) {
      center.reason = "the set is flat to rounding, and double precision does not tell which rows are equalities";
      return center;
    }
  }
  center.status = part.status();
  center.reason = part.reason();
  return center;
}

// The largest ball in the sizes of the coordinates, an ellipsoid whose axes have the lengths of these.
ChebyshevCenter center_in_sizes(LinearPart& part) {
  LinearPart in_sizes = part.in_sizes();
  ChebyshevCenter center = center_in(in_sizes);
  if (center.status != AnchorStatus::found) return center;
  part.add_equalities_of(in_sizes);
  center.status = part.status();
  center.reason = part.reason();
  if (center.status != AnchorStatus::found) return center;
  center.point = onto_hull(part.hull(), part.sizes().cwiseProduct(center.point));
  center.radius = smallest_distance(part, center.point);
  return center;
}

}  // namespace

// In mixed units the answer with fewer implicit equalities is the better one: tolerances of one unit make equalities of rows in
// others.
ChebyshevCenter chebyshev_center(LinearPart& part) {
  if (part.has_like_coordinates()) return center_in(part);
  LinearPart sized = part;
  ChebyshevCenter in_sizes = center_in_sizes(sized);
  const bool found = in_sizes.status == AnchorStatus::found && in_sizes.radius > 0;
  if (found && sized.hull().codimension() == part.hull().codimension()) {
    part = std::move(sized);
    return in_sizes;
  }
  LinearPart plain = part;
  ChebyshevCenter center = center_in(plain);
  const bool is_better = center.status == AnchorStatus::found && center.radius > 0 &&
                         (!found || plain.hull().codimension() < sized.hull().codimension());
  part = is_better ? std::move(plain) : std::move(sized);
  return is_better ? center : in_sizes;
}

}  // namespace softradial
