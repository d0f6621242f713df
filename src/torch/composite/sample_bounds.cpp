#include <ATen/ATen.h>
#include <torch/library.h>

#include "at_tensor.hpp"
#include "composite/safe_math.hpp"
#include "composite/samples.hpp"
#include "sets/coordinates/bounds.hpp"

namespace softradial::composite {

namespace {

// Wraps a tensor of the caller, in the working precision, as the number type of the core's formulas.
Tensor working_tensor(const ops::MaybeTensor& values, at::ScalarType working) {
  return values ? ops::wrap(values->to(working)) : Tensor();
}

}  // namespace

ops::SampleResult project_bounds(const at::Tensor& u, const ops::BoundsData& data, const ops::MapPtr& map,
                                 at::ScalarType working) {
  const at::ScalarType type = u.scalar_type();
  const ops::AtSpace space(u.device(), type, working);
  const bounds::TensorBounds given{working_tensor(data.lower, working), working_tensor(data.upper, working),
                                   working_tensor(data.sum, working)};
  bounds::TensorAnchor anchor;
  if (data.anchor) {
    anchor.point = working_tensor(data.anchor, working);
  } else {
    anchor = bounds::anchor_in_tensors(given, ops::ulp(type));
    // The gauge must belong to the rounded anchor: x has this value where u is the anchor.
    anchor.point = ops::wrap(ops::unwrap(anchor.point).to(type).to(working));
  }
  const TensorGaugeAt at = bounds::gauge_in_tensors(given, anchor.point, space);
  const at::Tensor interior = ops::unwrap(anchor.found.defined() ? at.interior && anchor.found : at.interior);
  const RadialSet set{.anchor = where_else(interior, ops::unwrap(anchor.point), 0),
                      .normals = {},
                      .sum = data.sum.has_value(),
                      .free = ops::unwrap(bounds::fixed_in_tensors(given)).logical_not(),
                      .gauge = ops::unwrap(at.gauge),
                      .kappa = ops::unwrap(at.kappa),
                      .type = type};
  return project_samples(u.to(working), set, interior, map->method(), type);
}

ops::BoundsGradient project_bounds_backward(const at::Tensor& grad_x, const at::Tensor& u, const ops::BoundsData& data,
                                            const ops::MapPtr& map) {
  const std::vector<at::Tensor> inputs{u, data.lower, data.upper, data.sum.value_or(at::Tensor()),
                                       data.anchor.value_or(at::Tensor())};
  const auto g = cotangents(inputs, grad_x, [&](const std::vector<at::Tensor>& at) {
    return composite::project_bounds(at[0], {at[1], at[2], ops::maybe(at[3]), ops::maybe(at[4])}, map,
                                     ops::wide_type(u.scalar_type()))
        .x;
  });
  return {g[0], g[1], g[2], g[3], g[4]};
}

namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_bounds_op(const at::Tensor& u, const at::Tensor& lower,
                                                                 const at::Tensor& upper, const ops::MaybeTensor& sum,
                                                                 const ops::MaybeTensor& anchor,
                                                                 const ops::MapPtr& map) {
  ops::SampleResult result =
      composite::project_bounds(u, {lower, upper, sum, anchor}, map, ops::working_type(u.scalar_type()));
  return {result.x, result.status, result.state};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("project_bounds", project_bounds_op); }
TORCH_LIBRARY_IMPL(softradial, Tracer, m) { m.impl("project_bounds", project_bounds_op); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { m.impl("project_bounds", project_bounds_op); }

}  // namespace softradial::composite
