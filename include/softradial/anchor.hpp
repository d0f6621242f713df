#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>

#include "softradial/affine_hull.hpp"
#include "softradial/set.hpp"

namespace softradial {

// How an interior point is looked for.
//   automatic   the set's own anchor, else its closed form, else Chebyshev for polyhedra (up to 10^6 non-zeros), else analytic
//   chebyshev   centre of the largest ball in the set (polyhedra; a linear programme)
//   analytic    minimiser of the barrier (everything; Newton's method after a phase I)
enum class AnchorSearch { automatic, chebyshev, analytic };

// How the anchor was found.
enum class AnchorSource { given, closed_form, chebyshev, analytic };
[[nodiscard]] std::string_view to_string(AnchorSource source) noexcept;

enum class AnchorStatus {
  found,
  empty,        // the set contains no point
  no_interior,  // it contains points but none that is inside relative to the affine hull that could be identified
  not_found,    // the search gave up; the set may or may not have an interior
};

// "This set has no interior" is an answer, not an exception: look at `status` first.
struct Anchor {
  AnchorStatus status = AnchorStatus::not_found;
  AnchorSource source = AnchorSource::given;
  Eigen::VectorXd point;  // strictly inside, on the hull to rounding
  AffineHull hull;        // affine hull of the set, implicit equalities included
  double slack = 0;       // the smallest slack of the inequalities that are not constant on the hull; +infinity if none
  std::string reason;     // why there is no anchor, naming the constraints; empty when found
};

[[nodiscard]] Anchor find_anchor(const Set& set, AnchorSearch search = AnchorSearch::automatic);

// The same answer for the user's own point: the hull is found, and the point is checked against every inequality.
// Throws AnchorNotInterior if the point is not strictly inside, ShapeError or NonFiniteInput if it is no point at all.
[[nodiscard]] Anchor check_anchor(const Set& set, const Eigen::VectorXd& point);

// find_anchor, with every status but `found` turned into NoInterior.
[[nodiscard]] Anchor require_anchor(const Set& set, AnchorSearch search = AnchorSearch::automatic);

}  // namespace softradial
