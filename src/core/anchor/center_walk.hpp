#pragma once

#include <Eigen/Core>

#include "numbers.hpp"

namespace softradial {

// The functions of numbers.hpp that the walk needs, for Eigen's arrays.
template <class A>
[[nodiscard]] typename A::Scalar sum(const Eigen::ArrayBase<A>& x) {
  return x.sum();
}
template <class A>
[[nodiscard]] typename A::Scalar norm(const Eigen::ArrayBase<A>& x) {
  return x.matrix().norm();
}
template <class A>
[[nodiscard]] typename A::Scalar largest(const Eigen::ArrayBase<A>& x) {
  return x.maxCoeff();
}
template <class A>
[[nodiscard]] Eigen::ArrayXd larger(const Eigen::ArrayBase<A>& x, double least) {
  return x.max(least);
}
template <class Condition>
[[nodiscard]] Eigen::ArrayXd choose(const Eigen::ArrayBase<Condition>& conditions, const Eigen::ArrayXd& yes,
                                    const Eigen::ArrayXd& no) {
  return conditions.select(yes, no);
}
[[nodiscard]] inline Eigen::ArrayXd choose(bool condition, const Eigen::ArrayXd& yes, const Eigen::ArrayXd& no) {
  return condition ? yes : no;
}

// The alpha that nearly minimises -sum_k log(1 + alpha q_k), by damped Newton steps. All 1 + alpha q_k are positive for the
// given alpha, and stay positive. q is not 0.
template <class Number, class Vector>
[[nodiscard]] Number best_step(const Vector& q, Number alpha) {
  constexpr int kSteps = 8;
  for (int i = 0; i < kSteps; ++i) {
    const Vector share = q / (1 + alpha * q);
    const Number slope = sum(share);
    const Number length = root(sum(share * share));
    // slope / length^2 / (1 + |slope| / length)
    using std::abs;
    alpha = alpha + slope / (length * (length + abs(slope)));
  }
  return alpha;
}

template <class Rows>
struct CenterWalk {
  typename Rows::Vector y;
  typename Rows::Truth arrived;  // whether y is the centre
};

// Newton's method for the analytic centre of linear rows, the minimiser of
//
//   -sum_k log s_k,   s = h - G y:
//
// one definition for a set in memory and for a batch of sets in tensors. The start need not be inside (infeasible-start
// Newton): a residual r makes the slacks positive, s = h - G y + r. With w = 1/s and W = diag(w) the step is
//
//   dy = -(G' W^2 G)^-1 G' (w + W^2 r),   ds = -(r + G dy).
//
// A full step removes r, shorter ones shrink it in proportion. Once r = 0, |W ds| is the Newton decrement: the distance to
// the centre in units of the ellipsoid of y. The damped steps 1 / (1 + decrement) of self-concordant functions then converge
// from anywhere; far from the centre they are short, and the best step along dy is taken, which leads at least as low.
//
// With `close` a point is taken for the centre where the decrement is that small. Below 1/4 the centre is no further than 1/3
// in the same units, so that no slack is less than 3/4 of the centre's.
//
// Rows has the types Vector, Number (one for each set) and Truth, in the words of numbers.hpp, and
//   slacks(y) = h - G y,   times(y) = G y,   norms() = |g_k|,   step(w, r) = dy, NaN where G' W^2 G is not positive definite,
//   everywhere(truth): whether it holds for all sets.
template <class Rows>
[[nodiscard]] CenterWalk<Rows> walk_to_center(const Rows& rows, typename Rows::Vector y, double close = 1e-11) {
  using Vector = typename Rows::Vector;
  using Number = typename Rows::Number;
  using Truth = typename Rows::Truth;
  constexpr int kMaxSteps = 60;
  constexpr double kToBoundary = 0.95;  // share of the way to the nearest s = 0
  constexpr double kNear = 0.25;        // decrement below which full steps converge quadratically
  // Rows that the start violates begin with this slack, relative to their norms and to the size of the start.
  constexpr double kFirstSlack = 0.1;
  constexpr double kSmallest = 1e-12;
  constexpr double kNoQuotient = 1e-300;

  const Number size = norm(y);
  const Vector slack = rows.slacks(y);
  const Vector first = larger(kFirstSlack * rows.norms() * (1 + size), kSmallest);
  Vector s = choose(slack > 0, slack, first);
  Vector r = s - slack;
  Truth arrived = -size > 0;  // false: nowhere yet
  for (int i = 0; i < kMaxSteps; ++i) {
    const Vector w = 1 / s;
    const Vector dy = rows.step(w, r);
    const Vector ds = -(r + rows.times(dy));
    const Vector relative = ds * w;
    const Number squared = sum(relative * relative);
    const Number decrement = root(squared);
    const Truth feasible = !(largest(abs(r)) > 0);
    const Truth lost = !(squared >= 0);  // squared is a NaN
    const Truth far = feasible && decrement > kNear;
    const Number damped = where_else(far, best_step<Number>(relative, 1 / (1 + decrement)), 1);
    const Number limit = kToBoundary / larger(largest(-relative), kNoQuotient);
    const Truth moves = !(arrived || lost);
    const Number alpha = where_else(moves, smaller(damped, limit), 0);
    const Truth full = alpha >= 1;
    y = choose(moves, y + alpha * dy, y);
    r = r * where_else(!full, 1 - alpha, 0);
    // After a full step the slacks are computed afresh from y, so that rounding does not add up.
    s = choose(full, rows.slacks(y), choose(moves, s + alpha * ds, s));
    arrived = arrived || (feasible && !(decrement >= close || lost));
    if (rows.everywhere(arrived || lost)) break;
  }
  return {y, arrived && -largest(-s) > 0};
}

}  // namespace softradial
