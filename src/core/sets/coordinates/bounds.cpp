#include "sets/coordinates/bounds.hpp"

#include "sets/margin.hpp"

namespace softradial::bounds {
namespace {

struct Side {
  Tensor reciprocal;  // guarded, 0 where the side is open
  Tensor resolvable;  // (..., 1): of every coordinate
};

// Numbers that are not chosen are replaced before they are divided by: their derivatives must stay finite.
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

TensorAnchor anchor_in_tensors(const TensorBounds& given) {
  const Tensor known = all(given.upper >= given.lower);
  if (!given.total.defined()) return {middle(given.lower, given.upper), known};
  const TensorArithmetic math;
  const Tensor spare = given.total - sum(given.lower);
  const Tensor reach = bounds::reach(math, given.lower, given.upper, spare);
  const Tensor total_reach = sum(reach);
  const Tensor found = known && spare > 0 && spare < total_reach;
  const Tensor theta = spare / where_else(found, total_reach, 1);
  return {bounds::on_reach(math, given.lower, theta, reach), found};
}

Tensor sides_gauge(const Tensor& d, const Tensor& up, const Tensor& down) {
  return larger(largest(larger(d * up, -d * down)), 0);
}

TensorGaugeAt gauge_in_tensors(const TensorBounds& given, const Tensor& anchor, const TensorSpace& space) {
  const TensorMath math(space);
  const double most = largest_number(given.upper);
  const Side above = guarded_side(math, given.upper - anchor, anchor, given.upper, given.upper > most);
  const Side below = guarded_side(math, anchor - given.lower, anchor, given.lower, -given.lower > most);
  const Tensor up = space.working(above.reciprocal);
  const Tensor down = space.working(below.reciprocal);
  return {[up, down](const Tensor& d) { return sides_gauge(d, up, down); }, space.working(space.constant(0.0)),
          all(isfinite(anchor)) && above.resolvable && below.resolvable,
          frozen(largest(larger(up, down))).value().in_double()};
}

}  // namespace softradial::bounds
