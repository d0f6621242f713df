#include "anchor/analytic_center.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "anchor/barrier_objective.hpp"
#include "anchor/center_walk.hpp"
#include "anchor/cutting_planes.hpp"
#include "anchor/linear_barrier.hpp"
#include "anchor/newton.hpp"
#include "anchor/relevant_inequalities.hpp"
#include "anchor/wording.hpp"

namespace softradial {
namespace {

// Phase I is confined to the surroundings of its start, so that unbounded sets give moderate points. If the set is much
// further away, the confinement outweighs the barrier along the path and Newton's method does not end. It is then given
// more room, in these multiples of the data's size.
constexpr std::array kConfinements = {1.0, 1e2, 1e4, 1e6};

// A set thinner than this, relative to the size of its points, is flat, as with linear rows.
constexpr double kThinnest = kFlatTolerance;
constexpr double kSuspicious = 1e-8;

// A length that the data suggest: the largest of 1, the start's own size, and its distance from the linear rows.
double data_size(const LinearPart& part, const Eigen::VectorXd& start) {
  const double distance = smallest_distance(part, start);
  return std::max({1.0, start.cwiseAbs().maxCoeff(), std::isfinite(distance) ? distance : 0.0});
}

InteriorPoint phase_one(const NewtonObjective& barrier, const RelevantInequalities& inequalities,
                        const LinearPart& part, const Eigen::VectorXd& start) {
  const double size = data_size(part, start);
  InteriorPoint answer;
  double best_slack = -std::numeric_limits<double>::infinity();
  for (const double confinement : kConfinements) {
    InteriorPoint next = follow_path(barrier, inequalities, part.hull(), start, size, confinement);
    if (next.status == AnchorStatus::found || next.status == AnchorStatus::empty) return next;
    const double slack = inequalities.smallest(next.point).slack;
    if (answer.status == AnchorStatus::not_found && !(slack < best_slack)) {
      answer = std::move(next);
      best_slack = slack;
    }
  }
  if (answer.status == AnchorStatus::not_found) {
    if (std::optional<Eigen::VectorXd> point = interior_by_cuts(part, inequalities, start, size)) {
      answer = {.status = AnchorStatus::found, .point = std::move(*point), .reason = {}};
    }
  }
  return answer;
}

// The free rows of a linear part along its hull, scaled to norm 1 there, in the form that walk_to_center takes.
class FreeRowsOnHull {
 public:
  using Vector = Eigen::ArrayXd;
  using Number = double;
  using Truth = bool;

  explicit FreeRowsOnHull(const LinearPart& part)
      : part_(part), barrier_(part), normals_(normals_with_t(part.hull(), true)) {}

  [[nodiscard]] Vector slacks(const Vector& x) const { return barrier_.slacks(x, 0); }
  [[nodiscard]] Vector times(const Vector& x) const { return barrier_.rows_times(x); }
  [[nodiscard]] Vector norms() const { return Vector::Ones(static_cast<Eigen::Index>(part_.free_rows().size())); }
  [[nodiscard]] bool everywhere(bool truth) const noexcept { return truth; }
  [[nodiscard]] Vector step(const Vector& w, const Vector& r) const {
    BarrierTerms terms(part_.dim());
    barrier_.add_derivatives(terms, w);
    if ((r != 0).any()) barrier_.add_rows(terms, w * w * r);
    const std::optional<Eigen::VectorXd> step = newton_step(terms, normals_);
    const auto n = static_cast<Eigen::Index>(part_.dim());
    return step ? Vector(step->head(n)) : Vector::Constant(n, std::numeric_limits<double>::quiet_NaN());
  }

 private:
  const LinearPart& part_;
  LinearBarrier barrier_;
  Eigen::MatrixXd normals_;
};

// The minimiser of the barrier, from a point inside. Where rows alone bound the set it is found as it is for a batch of
// polyhedra; curved sets, and those without a minimiser, need the search of barrier_minimiser.
Eigen::VectorXd center_from(const Eigen::VectorXd& start, const NewtonObjective& barrier,
                            const RelevantInequalities& inequalities, const LinearPart& part) {
  if (inequalities.size() > 0 && inequalities.size() == part.free_rows().size()) {
    const CenterWalk<FreeRowsOnHull> walked = walk_to_center(FreeRowsOnHull(part), start.array());
    if (walked.arrived) return walked.y;
  }
  return barrier_minimiser(barrier, part.hull(), start, data_size(part, start));
}

// False where rounding alone makes a point of a flat set look interior: a linear row is too close, in its own units, or a
// step of kThinnest along some axis leaves a curved inequality. Only small slacks raise the question, which costs two
// evaluations for each axis.
bool has_room(const RelevantInequalities& inequalities, const LinearPart& part, const Eigen::VectorXd& x) {
  const double slack = inequalities.smallest(x).slack;
  const double size = x.cwiseAbs().maxCoeff();
  if (!(slack > 0) || slack > kSuspicious * size) return slack > 0;
  if (!is_clearly_inside(part, x)) return false;
  std::unordered_set<std::string_view> linear;
  for (const LinearSystem::Row& row : part.system().inequalities()) linear.insert(row.name);
  std::vector<bool> is_curved;
  for (std::size_t i = 0; i < inequalities.size(); ++i) is_curved.push_back(!linear.contains(inequalities.name(i)));
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    for (const double step : {kThinnest * size, -kThinnest * size}) {
      const Eigen::VectorXd beside = part.hull().project(x + step * Eigen::VectorXd::Unit(x.size(), j));
      const Eigen::VectorXd slacks = inequalities.slacks(beside);
      for (std::size_t i = 0; i < is_curved.size(); ++i) {
        if (is_curved[i] && !(slacks[static_cast<Eigen::Index>(i)] > 0)) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::optional<Eigen::VectorXd> center_of_rows(const LinearPart& part) {
  if (part.free_rows().empty() || part.dim() > kMaxNewtonDim) return std::nullopt;
  const CenterWalk<FreeRowsOnHull> walked = walk_to_center(FreeRowsOnHull(part), part.least_norm_point().array());
  if (!walked.arrived) return std::nullopt;
  return onto_hull(part.hull(), walked.y);
}

InteriorPoint analytic_center(const ConvexSet& set, const LinearPart& part, const Eigen::VectorXd& start) {
  const RelevantInequalities inequalities(set, part);
  const auto is_interior = [&](const Eigen::VectorXd& x) { return inequalities.smallest(x).slack > 0; };
  if (part.dim() > kMaxNewtonDim) {
    if (is_interior(start)) return {.status = AnchorStatus::found, .point = start, .reason = {}};
    return {.status = AnchorStatus::not_found,
            .point = start,
            .reason = "the search for an interior point is limited to dimension " + std::to_string(kMaxNewtonDim)};
  }

  const NewtonObjective barrier = barrier_objective(part, set);
  InteriorPoint found{.status = AnchorStatus::found, .point = start, .reason = {}};
  if (!is_interior(start)) found = phase_one(barrier, inequalities, part, start);
  if (found.status != AnchorStatus::found) return found;

  found.point = onto_hull(part.hull(), found.point);
  const Eigen::VectorXd center = onto_hull(part.hull(), center_from(found.point, barrier, inequalities, part));
  if (is_interior(center)) found.point = center;
  if (!has_room(inequalities, part, found.point)) {
    found.status = AnchorStatus::no_interior;
    found.reason = "no point has room around it in double precision: " + inequalities.smallest(found.point).name +
                   " has at best slack " + amount_text(inequalities.smallest(found.point).slack);
  }
  return found;
}

}  // namespace softradial
