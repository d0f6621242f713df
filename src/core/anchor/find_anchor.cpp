#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "anchor/analytic_center.hpp"
#include "anchor/barrier_objective.hpp"
#include "anchor/chebyshev.hpp"
#include "anchor/linear_part.hpp"
#include "anchor/phase_one.hpp"
#include "anchor/relevant_inequalities.hpp"
#include "guard.hpp"
#include "sets/combinators/parts.hpp"
#include "sets/sized_gauge.hpp"
#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets/combinators.hpp"
#include "softradial/sets/coordinates.hpp"

namespace softradial {
namespace {

constexpr std::string_view kAdvice = "; a point of your own may be given as the anchor";

Anchor failure(AnchorStatus status, std::string reason) {
  if (status == AnchorStatus::not_found) reason += kAdvice;
  Anchor anchor;
  anchor.status = status;
  anchor.reason = std::move(reason);
  return anchor;
}

// The anchor for a point on the hull of `part`; empty if the point is not strictly inside.
std::optional<Anchor> verified(const ConvexSet& set, const LinearPart& part, AnchorSource source,
                               Eigen::VectorXd point) {
  const double slack = RelevantInequalities(set, part).smallest(point).slack;
  if (!(slack > 0)) return std::nullopt;
  return Anchor{.status = AnchorStatus::found,
                .source = source,
                .point = std::move(point),
                .hull = part.hull(),
                .slack = slack,
                .reason = {}};
}

Anchor found_or_failure(const ConvexSet& set, const LinearPart& part, AnchorSource source, Eigen::VectorXd point) {
  std::optional<Anchor> anchor = verified(set, part, source, std::move(point));
  if (!anchor) return failure(AnchorStatus::not_found, "the interior is too small for double precision");
  return *std::move(anchor);
}

// The closed-form anchor of a set that only bounds and a sum constrain, if it is clearly inside: then the rows need not be
// written down. Empty if it is not inside, or if bounds fix a coordinate.
std::optional<Anchor> closed_form_of_bounds(const CoordinateSet& set) {
  std::optional<Eigen::VectorXd> point = set.closed_form_anchor();
  if (!point) return std::nullopt;
  std::vector<LinearSystem::Row> equalities;
  if (set.total()) {
    LinearSystem::Row& sum = equalities.emplace_back();
    sum.bound = *set.total();
    for (std::size_t j = 0; j < set.dim(); ++j) sum.entries.push_back({j, 1.0});
  }
  EqualityHull found = equality_hull(set.dim(), equalities);
  if (found.status != AnchorStatus::found || found.hull.codimension() == set.dim()) return std::nullopt;
  *point = onto_hull(found.hull, *point);
  double smallest = std::numeric_limits<double>::infinity();
  for (Eigen::Index j = 0; j < point->size(); ++j) {
    const double x = (*point)[j];
    for (const double bound : {set.lower()[j], set.upper()[j]}) {
      if (std::isinf(bound)) continue;
      const double slack = std::abs(bound - x);
      if (!(slack > kWitnessTolerance * (std::abs(bound) + std::abs(x)))) return std::nullopt;
      smallest = std::min(smallest, slack);
    }
  }
  return Anchor{.status = AnchorStatus::found,
                .source = AnchorSource::closed_form,
                .point = *std::move(point),
                .hull = std::move(found.hull),
                .slack = smallest,
                .reason = {}};
}

// Anchors that the members of an intersection carry or have in closed form: good starts for the search.
void append_starts(const Set& set, std::vector<Eigen::VectorXd>& starts) {
  if (const auto* intersection = dynamic_cast<const Intersection*>(&*set)) {
    for (const Set& part : intersection->parts()) append_starts(part, starts);
  } else if (std::optional<Eigen::VectorXd> anchor = given_or_closed_form_anchor(set)) {
    if (anchor->allFinite()) starts.push_back(std::move(*anchor));
  }
}

struct Start {
  Eigen::VectorXd point;
  double slack = -std::numeric_limits<double>::infinity();  // the smallest slack; -infinity if one is not defined
};

// Moves the points onto the hull and returns the one with the largest smallest slack among those that satisfy the linear
// rows strictly.
std::optional<Start> best_start(const ConvexSet& set, const LinearPart& part,
                                const std::vector<Eigen::VectorXd>& points) {
  const RelevantInequalities inequalities(set, part);
  std::optional<Start> best;
  for (const Eigen::VectorXd& point : points) {
    Start start{.point = onto_hull(part.hull(), point)};
    if (!is_clearly_inside(part, start.point)) continue;
    const double slack = inequalities.smallest(start.point).slack;
    if (!std::isnan(slack)) start.slack = slack;
    if (!best || start.slack > best->slack) best = std::move(start);
  }
  return best;
}

// A start that spares the linear programme. The point of ones and its negative are for functions that are defined on
// one side of 0 only: logarithms, powers, entropies.
std::optional<Eigen::VectorXd> linearly_interior_start(const Set& set, const LinearPart& part) {
  std::vector<Eigen::VectorXd> points;
  append_starts(set, points);
  points.push_back(part.least_norm_point());
  std::optional<Start> start = best_start(*set, part, points);
  if (!start || std::isinf(start->slack)) {
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(part.dim()));
    std::optional<Start> other = best_start(*set, part, {ones, -ones});
    if (other && (!start || other->slack > start->slack)) start = std::move(other);
  }
  if (!start) return std::nullopt;
  return std::move(start->point);
}

// The anchors of the blocks side by side, with the block-diagonal hull. The ball around them is the largest in the
// product if theirs are, and the barrier of the product is the sum of theirs.
Anchor find_in_product(const Product& product, AnchorSearch search) {
  std::vector<Anchor> blocks;
  Eigen::Index codimension = 0;
  for (std::size_t k = 0; k < product.parts().size(); ++k) {
    Anchor block = find_anchor(product.parts()[k], search);
    if (block.status != AnchorStatus::found) {
      block.reason = "sets[" + std::to_string(k) + "]: " + block.reason;
      return block;
    }
    codimension += block.hull.normals.rows();
    blocks.push_back(std::move(block));
  }
  const auto dim = static_cast<Eigen::Index>(product.dim());
  Anchor anchor{.status = AnchorStatus::found,
                .source = AnchorSource::given,
                .point = Eigen::VectorXd(dim),
                .hull = {.normals = Eigen::MatrixXd::Zero(codimension, dim),
                         .offsets = Eigen::VectorXd(codimension),
                         .rounding = 0},
                .slack = std::numeric_limits<double>::infinity(),
                .reason = {}};
  Eigen::Index row = 0;
  Eigen::Index column = 0;
  for (const Anchor& block : blocks) {
    const Eigen::Index rows = block.hull.normals.rows();
    const Eigen::Index columns = block.point.size();
    anchor.source = std::max(anchor.source, block.source);
    anchor.point.segment(column, columns) = block.point;
    anchor.hull.normals.block(row, column, rows, columns) = block.hull.normals;
    anchor.hull.offsets.segment(row, rows) = block.hull.offsets;
    anchor.hull.rounding = std::max(anchor.hull.rounding, block.hull.rounding);
    anchor.slack = std::min(anchor.slack, block.slack);
    row += rows;
    column += columns;
  }
  return anchor;
}

// Whether Newton's method reaches a centre long before the simplex method does. The simplex method's time grows with the cube
// of the size: 0.4 s for 200 x 600, 3.3 s for 400 x 1200 dense rows, more than a minute for 1000 x 3000, where the walk takes
// 8 s.
bool is_for_newton(const LinearPart& part) {
  constexpr std::size_t kMostForSimplex = 1'000'000;  // non-zero entries
  std::size_t entries = 0;
  for (const FreeRow& free_row : part.free_rows()) entries += part.row(free_row).entries.size();
  return entries > kMostForSimplex && part.dim() <= kMaxNewtonDim;
}

// Curved sets are searched as they are if the sizes of their coordinates are ordinary numbers: up to this, and from its reciprocal on.
constexpr double kOrdinarySize = 1 << 10;

// The sizes of the coordinates as the set's barrier sees them from the start, inside or from however far outside; empty if they are
// ordinary. The longest is no less than 1: a start next to the boundary sees all of them as small.
std::optional<Eigen::VectorXd> sizes_at(const Set& set, const LinearPart& part, const Eigen::VectorXd& start) {
  if (part.dim() > kMaxNewtonDim) return std::nullopt;
  const RelevantInequalities inequalities(*set, part);
  const NewtonObjective barrier = barrier_objective(part, *set);
  std::optional<Eigen::VectorXd> z(std::in_place, start.size() + 1);
  *z << start, 0;
  if (!(inequalities.smallest(start).slack > 0)) z = enter_barrier(barrier, inequalities, start);
  const std::optional<BarrierTerms> terms = z ? barrier(*z) : std::nullopt;
  if (!terms) return std::nullopt;
  const Eigen::VectorXd steepness = terms->hessian.diagonal().head(start.size()).cwiseMax(0).cwiseSqrt();
  std::optional<Eigen::VectorXd> sizes = unlike_sizes({steepness.data(), part.dim()}, 0, guard::kLargestNorm<double>);
  if (!sizes) return std::nullopt;
  *sizes *= std::exp2(-std::round(std::log2(steepness.maxCoeff())));
  *sizes /= std::min(1.0, sizes->maxCoeff());
  if (sizes->maxCoeff() <= kOrdinarySize && sizes->minCoeff() >= 1 / kOrdinarySize) return std::nullopt;
  return sizes;
}

// The analytic centre of the set in the sizes of its coordinates: what Newton's method and the bounds of the search measure then
// means the same along each. Empty where they are ordinary, or where nothing is known of the set in these sizes.
std::optional<Anchor> find_in_sizes(const Set& set, const LinearPart& part, const Eigen::VectorXd& start) {
  const std::optional<Eigen::VectorXd> sizes = sizes_at(set, part, start);
  if (!sizes) return std::nullopt;
  const Set in_y = set_in_sizes(set, *sizes);
  LinearSystem system(part.dim());
  in_y->append_linear(system);
  const LinearPart part_in_y(std::move(system));
  if (part_in_y.status() != AnchorStatus::found) return std::nullopt;
  const Eigen::VectorXd start_in_y = onto_hull(part_in_y.hull(), start.cwiseQuotient(*sizes));
  if (!is_clearly_inside(part_in_y, start_in_y)) return std::nullopt;
  const InteriorPoint center = analytic_center(*in_y, part_in_y, start_in_y);
  if (center.status != AnchorStatus::found) return failure(center.status, center.reason);
  return verified(*set, part, AnchorSource::analytic, onto_hull(part.hull(), center.point.cwiseProduct(*sizes)));
}

Anchor find_analytic(const Set& set, LinearPart& part) {
  std::optional<Eigen::VectorXd> start = linearly_interior_start(set, part);
  if (!start && is_for_newton(part)) {
    start = center_of_rows(part);
    if (start && !is_clearly_inside(part, *start)) start.reset();
  }
  if (!start) {
    ChebyshevCenter center = chebyshev_center(part);
    if (center.status != AnchorStatus::found) return failure(center.status, std::move(center.reason));
    start = std::move(center.point);
  }
  if (std::optional<Anchor> anchor = find_in_sizes(set, part, *start)) return *std::move(anchor);
  InteriorPoint center = analytic_center(*set, part, *start);
  if (center.status != AnchorStatus::found) return failure(center.status, std::move(center.reason));
  return found_or_failure(*set, part, AnchorSource::analytic, std::move(center.point));
}

Anchor find_chebyshev(const Set& set, LinearPart& part) {
  ChebyshevCenter center = chebyshev_center(part);
  if (center.status != AnchorStatus::found) return failure(center.status, std::move(center.reason));
  return found_or_failure(*set, part, AnchorSource::chebyshev, std::move(center.point));
}

}  // namespace

std::string_view to_string(AnchorSource source) noexcept {
  switch (source) {
    case AnchorSource::given:
      return "given";
    case AnchorSource::closed_form:
      return "closed_form";
    case AnchorSource::chebyshev:
      return "chebyshev";
    case AnchorSource::analytic:
      return "analytic";
  }
  return "unknown";
}

Anchor find_anchor(const Set& set, AnchorSearch search) {
  if (search == AnchorSearch::automatic && set.anchor()) return check_anchor(set, *set.anchor());
  if (const auto* product = dynamic_cast<const Product*>(&*set)) return find_in_product(*product, search);

  if (const auto* bounds = dynamic_cast<const CoordinateSet*>(&*set); bounds && search == AnchorSearch::automatic) {
    if (std::optional<Anchor> anchor = closed_form_of_bounds(*bounds)) return *std::move(anchor);
  }

  LinearSystem system(set.dim());
  const bool all_linear = set->append_linear(system);
  if (search == AnchorSearch::chebyshev && !all_linear) {
    throw InvalidOption("anchor: the Chebyshev centre is that of a polyhedron, and the set has nonlinear constraints");
  }
  LinearPart part(std::move(system));
  if (part.status() == AnchorStatus::empty && !part.has_like_coordinates() &&
      part.in_sizes().status() == AnchorStatus::found) {
    return failure(AnchorStatus::not_found,
                   "the units of the coordinates differ by more than double precision resolves");
  }
  if (part.status() != AnchorStatus::found) return failure(part.status(), part.reason());
  if (search == AnchorSearch::automatic) {
    if (std::optional<Eigen::VectorXd> point = set->closed_form_anchor(); point && point->allFinite()) {
      *point = onto_hull(part.hull(), *point);
      if (is_clearly_inside(part, *point)) {
        std::optional<Anchor> anchor = verified(*set, part, AnchorSource::closed_form, *std::move(point));
        if (anchor) return *std::move(anchor);
      }
    }
  }
  const bool by_programme =
      search == AnchorSearch::chebyshev || (search == AnchorSearch::automatic && all_linear && !is_for_newton(part));
  return by_programme ? find_chebyshev(set, part) : find_analytic(set, part);
}

Anchor require_anchor(const Set& set, AnchorSearch search) {
  Anchor anchor = find_anchor(set, search);
  switch (anchor.status) {
    case AnchorStatus::found:
      return anchor;
    case AnchorStatus::empty:
      throw NoInterior("anchor: the set is empty: " + anchor.reason);
    case AnchorStatus::no_interior:
      throw NoInterior("anchor: the set has no interior: " + anchor.reason);
    case AnchorStatus::not_found:
      break;
  }
  throw NoInterior("anchor: no interior point was found: " + anchor.reason);
}

}  // namespace softradial
