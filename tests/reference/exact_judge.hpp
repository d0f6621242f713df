#pragma once

#include <cstddef>
#include <span>

#include "reference/exact_constraints.hpp"
#include "softradial/affine_hull.hpp"
#include "softradial/set.hpp"

namespace softradial::reference {

struct Verdict {
  // Proved: every number is finite and every inequality that is not constant on the hull holds strictly, in exact
  // arithmetic on the binary values of x and on the set's data as they were given.
  bool inside = false;
  // The smallest slack of those inequalities, relative to the size of the terms in it: about epsilon when x is one ulp
  // away from the boundary.
  double slack = 0;
  // The largest |e.x - f| over the equalities, and the largest excess of an inequality that is constant on the hull,
  // relative to the size of the terms and to their number.
  double residual = 0;
};

// Decides membership rigorously and independently of the library's evaluation: from the set's description alone, in long
// double with a running error bound; where that is inconclusive, in quadruple precision; what remains undecided counts
// as outside. A level set of the user's own functions has no data: there the verdict is the sign of what they compute in
// double.
class ExactJudge {
 public:
  // Throws std::logic_error for a type that no specimen of tests/sets states, and for functions out of reach.
  ExactJudge(const Set& set, const AffineHull& hull);

  [[nodiscard]] Verdict judge(std::span<const float> x) const;
  [[nodiscard]] Verdict judge(std::span<const double> x) const;

  // gamma(d) = 1 / sup { t : anchor + t d in C }, by bisection on proofs in quadruple precision: to an ulp of double, or
  // as far as functions of the user's resolve it. 0 where the ray is still inside at 2^100 d.
  [[nodiscard]] double gauge(const Eigen::VectorXd& anchor, const Eigen::VectorXd& d) const;

 private:
  template <class T>
  [[nodiscard]] Verdict judge_row(std::span<const T> x) const;

  Set set_;
  ConstraintPtr constraint_;
};

// Residuals stay below this many ulp: one for the equality of the anchor, one for that of the direction, one for the
// rounding of x, one to spare.
inline constexpr double kResidualUlps = 4;

}  // namespace softradial::reference
