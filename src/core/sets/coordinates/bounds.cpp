#include "sets/coordinates/bounds.hpp"

#include "sets/margin.hpp"

namespace softradial::bounds {
namespace {

struct Side {
  Tensor reciprocal;  // guarded, 0 where the side is open
  Tensor resolvable;  // (..., 1): whether every coordinate is resolvable
};

// Numbers that are not chosen are replaced before the division: their derivatives must stay finite.
Side guarded_side(const TensorMath& math, const Tensor& slack, const Tensor& anchor, const Tensor& bound,
                  const Tensor& open) {
  const Tensor closed = !open;
  const Tensor room = where_else(closed, slack, 1);
  const Tensor loss = guard::side_loss(math, frozen(anchor), frozen(where_else(closed, bound, 0)));
  const Tensor left = guard::guarded_slack(math, room, loss);
  const Tensor good = open || guard::resolvable(math, room, left);
  return {guard::reciprocal_slack(math, open, where_else(good, left, 1)), all(good)};
}

}  // namespace

namespace {

Tensor equal_bounds(const TensorBounds& given) {
  return given.upper >= given.lower && !(given.upper > given.lower) && isfinite(given.lower);
}

// Whether these bounds, all lower or all upper ones, use up the total, (..., 1).
Tensor use_up_total(const TensorBounds& given, const Tensor& ends) {
  const auto wide = [](const Tensor& x) { return frozen(x).value().in_double(); };
  return use_up(sum(wide(ends)), sum(abs(wide(ends))), wide(given.total));
}

}  // namespace

Tensor fixed_in_tensors(const TensorBounds& given) {
  if (!given.total.defined()) return equal_bounds(given);
  const Tensor decided = use_up_total(given, given.upper) || use_up_total(given, given.lower);
  return equal_bounds(given) || (decided && given.upper > given.lower);
}

// With c_j the values of the fixed coordinates, spare = total - sum_fixed c_j - sum_free lower_j. A single free coordinate gets all
// of it, and must have the room; where no coordinate is free, nothing may be left beyond the rounding of total and bounds.
TensorAnchor anchor_in_tensors(const TensorBounds& given, double ulp) {
  const Tensor known = all(given.upper >= given.lower);
  const Tensor between = middle(given.lower, given.upper);
  if (!given.total.defined()) return {between, known};
  const TensorArithmetic math;
  const Tensor fixed = fixed_in_tensors(given);
  const Tensor all_high = use_up_total(given, given.upper);
  const Tensor end = choose(all_high, given.upper, given.lower);
  const Tensor num_open = sum(where_else(given.upper > given.lower, 0 * frozen(between) + 1, 0));
  const Tensor exact = !(num_open >= 2.0) || !(sum(abs(frozen(end))) > 0);
  const Tensor inward = step_inside(frozen(end), exact, ulp);
  const Tensor equal = equal_bounds(given);
  const Tensor values = where_else(fixed, choose(equal, between, choose(all_high, end - inward, end + inward)), 0);
  const Tensor strict = all(equal || !fixed || exact || (values > given.lower && given.upper > values));
  const Tensor lower = where_else(!fixed, given.lower, 0);
  const Tensor spare = given.total - sum(values) - sum(lower);
  const Tensor reach = where_else(!fixed, bounds::reach(math, given.lower, given.upper, spare), 0);
  const Tensor room = sum(where_else(!fixed, given.upper - given.lower, 0));
  const Tensor total_reach = sum(reach);
  const Tensor num_free = sum(where_else(fixed, 0 * frozen(values), 1));
  const Tensor none_left = abs(spare) <= 2 * ulp * (abs(given.total) + sum(abs(values)));
  const Tensor shared = spare > 0 && (spare < total_reach || (!(num_free >= 2.0) && spare < room));
  const Tensor found = known && (shared || (!(num_free >= 1.0) && none_left && strict));
  const Tensor theta = spare / where_else(total_reach > 0, total_reach, 1);
  return {values + bounds::on_reach(math, lower, theta, reach), found};
}

Tensor sides_gauge(const Tensor& d, const Tensor& up, const Tensor& down) {
  return larger(largest(larger(d * up, -d * down)), 0);
}

TensorGaugeAt gauge_in_tensors(const TensorBounds& given, const Tensor& anchor, const TensorSpace& space) {
  const TensorMath math(space);
  const double most = largest_number(given.upper);
  const Tensor fixed = fixed_in_tensors(given);
  const Side above = guarded_side(math, given.upper - anchor, anchor, given.upper, given.upper > most || fixed);
  const Side below = guarded_side(math, anchor - given.lower, anchor, given.lower, -given.lower > most || fixed);
  const Tensor up = space.working(above.reciprocal);
  const Tensor down = space.working(below.reciprocal);
  return {[up, down](const Tensor& d) { return sides_gauge(d, up, down); }, space.working(space.constant(0.0)),
          all(isfinite(anchor)) && above.resolvable && below.resolvable,
          frozen(largest(larger(up, down))).value().in_double()};
}

}  // namespace softradial::bounds
