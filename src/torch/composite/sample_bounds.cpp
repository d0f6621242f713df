#include "composite/sample_bounds.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <cmath>
#include <limits>

#include "composite/safe_math.hpp"
#include "composite/samples.hpp"

namespace softradial::composite {

using ops::ulp;
using ops::working_type;

namespace {

// The middle of each interval; an open side counts as a distance of max(1, |bound|).
at::Tensor middle(const at::Tensor& lower, const at::Tensor& upper) {
  const at::Tensor low_closed = lower.isfinite();
  const at::Tensor high_closed = upper.isfinite();
  const at::Tensor low = where_else(low_closed, lower, 0);
  const at::Tensor high = where_else(high_closed, upper, 0);
  const at::Tensor from_low = low + low.abs().clamp_min(1);
  const at::Tensor from_high = high - high.abs().clamp_min(1);
  const at::Tensor one_sided = at::where(low_closed, from_low, where_else(high_closed, from_high, 0));
  return at::where(low_closed.logical_and(high_closed), low + (high - low) / 2, one_sided);
}

struct Placed {
  at::Tensor anchor;
  at::Tensor found;  // (..., 1)
};

// lower + theta reach: softradial/sample_bounds.hpp.
Placed share_of_reach(const at::Tensor& lower, const at::Tensor& upper, const at::Tensor& sum) {
  const at::Tensor spare = sum - lower.sum(-1, true);
  const at::Tensor reach = at::minimum(upper - lower, spare);
  const at::Tensor total = reach.sum(-1, true);
  const at::Tensor found = (spare > 0).logical_and(spare < total);
  const at::Tensor theta = spare / where_else(found, total, 1);
  return {lower + theta * reach, found};
}

struct Sides {
  at::Tensor reciprocal;
  at::Tensor resolvable;
};

// 1 / (slack (1 - 8 ulp) - ulp_out max(|anchor|, |bound|)), 0 on an open side.
Sides guarded(const at::Tensor& slack, const at::Tensor& anchor, const at::Tensor& bound, at::ScalarType type) {
  const double working = ulp(working_type(type));
  const at::Tensor closed = bound.isfinite();
  const at::Tensor size = at::maximum(anchor.abs(), where_else(closed, bound, 0).abs()).detach();
  const at::Tensor room = where_else(closed, slack, 1);
  const at::Tensor left = room * (1 - 8 * working) - ulp(type) * size;
  const at::Tensor good = (room > 0).logical_and(left >= 0.75 * room).logical_or(closed.bitwise_not());
  return {where_else(closed, 1 / where_else(good, left, 1), 0), good.all(-1, true)};
}

}  // namespace

ops::SampleResult project_bounds(const at::Tensor& u, const ops::BoundsData& data, const ops::MapPtr& map) {
  const at::ScalarType type = u.scalar_type();
  const at::ScalarType working = working_type(type);
  const at::Tensor lower = data.lower.to(working);
  const at::Tensor upper = data.upper.to(working);
  Placed placed;
  if (data.anchor) {
    placed = {data.anchor->to(working), at::ones_like(u.narrow(-1, 0, 1), at::kBool)};
  } else if (data.sum) {
    placed = share_of_reach(lower, upper, data.sum->to(working));
  } else {
    placed = {middle(lower, upper), at::ones_like(u.narrow(-1, 0, 1), at::kBool)};
  }
  const Sides up = guarded(upper - placed.anchor, placed.anchor, upper, type);
  const Sides down = guarded(placed.anchor - lower, placed.anchor, lower, type);
  const at::Tensor interior = placed.found.logical_and(up.resolvable).logical_and(down.resolvable);
  const RadialSet set{
      .anchor = where_else(interior, placed.anchor, 0),
      .normals = {},
      .sum = data.sum.has_value(),
      .gauge =
          [&](const at::Tensor& d) { return largest(at::maximum(d * up.reciprocal, -d * down.reciprocal)).relu(); },
      .kappa = at::scalar_tensor(0, u.options().dtype(working)),
      .hull_dim = static_cast<double>(map->dim() - (data.sum ? 1 : 0))};
  return project_samples(u.to(working), set, interior, map->method(), type);
}

ops::BoundsGradient project_bounds_backward(const at::Tensor& grad_x, const at::Tensor& u, const ops::BoundsData& data,
                                            const ops::MapPtr& map) {
  const std::vector<at::Tensor> inputs{u, data.lower, data.upper, data.sum.value_or(at::Tensor()),
                                       data.anchor.value_or(at::Tensor())};
  const auto g = cotangents(inputs, grad_x, [&](const std::vector<at::Tensor>& at) {
    return composite::project_bounds(at[0], {at[1], at[2], ops::maybe(at[3]), ops::maybe(at[4])}, map).x;
  });
  return {g[0], g[1], g[2], g[3], g[4]};
}

namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_bounds_op(const at::Tensor& u, const at::Tensor& lower,
                                                                 const at::Tensor& upper, const ops::MaybeTensor& sum,
                                                                 const ops::MaybeTensor& anchor,
                                                                 const ops::MapPtr& map) {
  ops::SampleResult result = composite::project_bounds(u, {lower, upper, sum, anchor}, map);
  return {result.x, result.status, result.state};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("project_bounds", project_bounds_op); }
TORCH_LIBRARY_IMPL(softradial, Tracer, m) { m.impl("project_bounds", project_bounds_op); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { m.impl("project_bounds", project_bounds_op); }

}  // namespace softradial::composite
