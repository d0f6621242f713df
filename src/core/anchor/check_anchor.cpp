#include <cmath>
#include <utility>

#include "algebra/row_length.hpp"
#include "anchor/chebyshev.hpp"
#include "anchor/linear_part.hpp"
#include "anchor/relevant_inequalities.hpp"
#include "anchor/wording.hpp"
#include "sets/number_text.hpp"
#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"

namespace softradial {
namespace {

// A given point may be this far off an equality, relative to its size: points that were printed with seven digits pass.
constexpr double kOffHull = 1e-6;

void require_point(const Set& set, const Eigen::VectorXd& point) {
  if (static_cast<std::size_t>(point.size()) != set.dim()) {
    throw ShapeError("anchor: it has " + std::to_string(point.size()) + " entries, the set has dimension " +
                     std::to_string(set.dim()));
  }
  for (Eigen::Index j = 0; j < point.size(); ++j) {
    if (!std::isfinite(point[j])) {
      throw NonFiniteInput("anchor: entry " + std::to_string(j) + " is " + number_text(point[j]));
    }
  }
}

// The point, moved onto the hull of the part.
Eigen::VectorXd on_hull_of(const LinearPart& part, const Eigen::VectorXd& point) {
  if (part.status() == AnchorStatus::empty) throw NoInterior("anchor: the set is empty: " + part.reason());
  if (part.status() != AnchorStatus::found) throw NoInterior("anchor: " + part.reason());
  for (const LinearSystem::Row& equality : part.independent_equalities()) {
    const double off = residual(equality, point.data());
    if (std::abs(off) > kOffHull * row_size(equality, point)) {
      throw AnchorNotInterior("anchor: " + equality.name + " is off by " + amount_text(-off));
    }
  }
  return onto_hull(part.hull(), point);
}

}  // namespace

// A point that is clearly inside every linear row proves that the stated equalities are all there are. One that touches
// rows may do so because no point does better: the implicit equalities are looked for, and the point is checked again
// without them.
Anchor check_anchor(const Set& set, const Eigen::VectorXd& point) {
  require_point(set, point);
  LinearSystem system(set.dim());
  set->append_linear(system);
  LinearPart part(std::move(system));
  Eigen::VectorXd anchor = on_hull_of(part, point);
  const bool is_close = smallest_distance(part, anchor) >= -kOffHull * anchor.norm();
  if (is_close && !is_clearly_inside(part, anchor)) {
    LinearPart flat = part;
    if (chebyshev_center(flat).status == AnchorStatus::found) {
      part = std::move(flat);
      anchor = on_hull_of(part, point);
    }
  }
  const NamedSlack worst = RelevantInequalities(*set, part).smallest(anchor);
  if (!(worst.slack > 0)) throw AnchorNotInterior("anchor: " + worst.name + " has slack " + amount_text(worst.slack));
  return {.status = AnchorStatus::found,
          .source = AnchorSource::given,
          .point = std::move(anchor),
          .hull = part.hull(),
          .slack = worst.slack,
          .reason = {}};
}

}  // namespace softradial
