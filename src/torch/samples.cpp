#include "samples.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "analytic_center.hpp"
#include "at_tensor.hpp"
#include "autocast.hpp"
#include "composite/safe_math.hpp"
#include "composite/samples.hpp"
#include "eigen_tensors.hpp"
#include "polyhedra.hpp"
#include "project.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "softradial/row_status.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets.hpp"

namespace softradial::ops {
namespace {

using NamedTensor = std::pair<std::string_view, const MaybeTensor*>;

// All data that a set may have for each sample.
std::array<NamedTensor, 9> data_of_sets(const SampleData& data) {
  return {{{"A", &data.A},
           {"b", &data.b},
           {"f", &data.f},
           {"lower", &data.lower},
           {"upper", &data.upper},
           {"cap", &data.cap},
           {"sum", &data.sum},
           {"center", &data.center},
           {"radius", &data.radius}}};
}

bool has_data(const SetType& type, std::string_view name) {
  return std::ranges::find(type.sample_data, name) != type.sample_data.end();
}

// Throws for data that are given but that the set does not have.
void allow_only_data_of(const MapObject& map, const SampleData& data) {
  const SetType* const type = map.set_type();
  for (const auto& [name, tensor] : data_of_sets(data)) {
    if (!*tensor) continue;
    if (type != nullptr && has_data(*type, name)) continue;
    std::string others;
    if (type != nullptr) {
      for (const std::string_view known : type->sample_data) others += std::string(known) + ", ";
    }
    throw InvalidSet(std::string(name) + ": a " + map.set()->set()->describe().type + " has no such data, only " +
                     others + "scale, anchor");
  }
}

// Data (..., width), or (width) or () for all samples.
at::Tensor vectors(const at::Tensor& data, const char* name, const at::Tensor& u, int64_t width) {
  if (data.dim() > 0) check_width(data, width, name);
  at::DimVector shape(u.sizes().begin(), u.sizes().end());
  shape.back() = width;
  if (!at::is_expandable_to(data.sizes(), shape)) {
    throw does_not_broadcast(data, name, u, "u");
  }
  // Even a conversion that does nothing goes through the dispatcher: avoid it.
  const bool fits = data.device() == u.device() && data.scalar_type() == u.scalar_type();
  return fits ? data : data.to(u.device(), u.scalar_type());
}

// One number for each sample, (...), or for all; as (..., 1) or ().
at::Tensor numbers(const at::Tensor& data, const char* name, const at::Tensor& u) {
  if (!at::is_expandable_to(data.sizes(), u.sizes().slice(0, u.dim() - 1)))
    throw does_not_broadcast(data, name, u, "u");
  const at::Tensor column = data.dim() == 0 ? data : data.unsqueeze(-1);
  return vectors(column, name, u, 1);
}

SampleResult onto_coordinates(const at::Tensor& u, const SampleData& data, const CoordinateSet& set,
                              const MapPtr& map) {
  const bool has_sum = set.total().has_value();
  const int64_t dim = map->dim();
  BoundsData bounds;
  const auto fixed = map->bounds(u.device(), u.scalar_type());
  bounds.lower = data.lower ? vectors(*data.lower, "lower", u, dim) : fixed->lower;
  bounds.upper = data.upper ? vectors(*data.upper, "upper", u, dim)
                 : data.cap ? vectors(*data.cap, "cap", u, dim)
                            : fixed->upper;
  if (has_sum) bounds.sum = data.sum ? numbers(*data.sum, "sum", u) : fixed->sum;
  if (data.anchor) bounds.anchor = vectors(*data.anchor, "anchor", u, dim);
  return project_bounds(u, bounds, map);
}

// Whether autograd need not record an op on this tensor.
bool constant(const at::Tensor& tensor) {
  return !(at::GradMode::is_enabled() && tensor.requires_grad()) && !torch::autograd::isFwGradDefined(tensor);
}

// b - A u0 for an anchor or an A for each sample, or with derivatives through them: in double.
at::Tensor slack_at(const at::Tensor& A, const at::Tensor& b, const at::Tensor& anchor, const LinearTensors& linear) {
  const at::Tensor wide_A = A.is_same(linear.A) ? linear.wide_A : A.to(at::kDouble);
  const at::Tensor wide_anchor = anchor.to(at::kDouble);
  const at::Tensor image =
      A.dim() == 2 ? wide_anchor.matmul(wide_A.t()) : wide_A.matmul(wide_anchor.unsqueeze(-1)).squeeze(-1);
  return (b.to(at::kDouble) - image).to(b.scalar_type());
}

SampleResult onto_polyhedra(const at::Tensor& u, const SampleData& data, bool anchor_gradient, const MapPtr& map) {
  const auto linear = map->linear(u.device(), u.scalar_type());
  const at::Tensor A = data.A ? data.A->to(u.options()) : linear->A;
  if (A.dim() < 2 || A.size(-1) != map->dim() || A.size(-2) != linear->A.size(0)) {
    throw ShapeError("A: expected shape (..., " + std::to_string(linear->A.size(0)) + ", " +
                     std::to_string(map->dim()) + "), got shape " + shape_text(A));
  }
  if (!at::is_expandable_to(A.sizes().slice(0, A.dim() - 2), u.sizes().slice(0, u.dim() - 1))) {
    throw does_not_broadcast(A, "A", u, "u");
  }
  const at::Tensor b = data.b ? vectors(*data.b, "b", u, A.size(-2)) : linear->b;
  MaybeTensor E;
  MaybeTensor f;
  if (linear->E.size(0) > 0) {
    E = linear->E;
    f = data.f ? vectors(*data.f, "f", u, linear->E.size(0)) : linear->f;
  } else if (data.f) {
    throw InvalidSet("f: this polyhedron has no equalities");
  }
  at::Tensor anchor;
  at::Tensor missing;
  if (data.anchor) {
    anchor = vectors(*data.anchor, "anchor", u, map->dim());
  } else {
    const Centers centers = anchor_gradient
                                ? analytic_center(A, b, E, f, linear->anchor, true)
                                : interior_point(A.is_same(linear->A) ? linear->wide_A : A, b, E, f, linear->known);
    missing = centers.status;
    anchor = composite::where_else((missing == 0).unsqueeze(-1), centers.point, 0).to(u.scalar_type());
  }
  // The caller's anchor for all samples: A u0 is taken in double and rounded once, and the guard of the kernels covers that.
  if (!missing.defined() && A.is_same(linear->A) && anchor.dim() == 1 && constant(anchor)) {
    return project_polyhedra(u, {A, b, map->image_of(anchor), anchor}, map);
  }
  at::Tensor slack = slack_at(A, b, anchor, *linear);
  if (missing.defined()) {
    slack = composite::where_else((missing == 0).unsqueeze(-1), slack, -1);
  }
  return project_polyhedra(u, {A, slack, c10::nullopt, anchor}, map);
}

// Every other set, with data or an anchor for each sample: by the composite alone.
SampleResult onto_anchored(const at::Tensor& u, const SampleData& data, const MapPtr& map) {
  const Set& set = map->set()->set();
  const at::ScalarType type = u.scalar_type();
  const at::ScalarType working = working_type(type);
  const AtSpace space(u.device(), type);
  // Data that are NaN or infinite are replaced before anything is computed from them.
  at::Tensor known = at::ones({1}, u.options().dtype(at::kBool));
  const auto numbers_only = [&](const at::Tensor& values) {
    const at::Tensor finite = values.isfinite().all(-1, true);
    known = known.logical_and(finite);
    return composite::where_else(finite, values, 0);
  };
  SampleTensors samples(space);
  for (const auto& [name, tensor] : data_of_sets(data)) {
    if (!*tensor) continue;
    const std::string text(name);
    const Field* const field = map->set_type()->find(name);
    const at::Tensor values = field->kind == FieldKind::number
                                  ? numbers(**tensor, text.c_str(), u).expand_as(u.narrow(-1, 0, 1))
                                  : vectors(**tensor, text.c_str(), u, map->dim());
    samples.give(name, wrap(numbers_only(values).to(at::kDouble)));
  }
  // The anchor rounded to the working precision: the gauge belongs to the rounded point.
  const at::Tensor point = data.anchor ? numbers_only(vectors(*data.anchor, "anchor", u, map->dim()))
                                       : unwrap(set->anchor_in_tensors(samples, map->anchor().point));
  const at::Tensor anchor = point.to(type).to(at::kDouble);
  const TensorGaugeAt gauge = set->gauge_in_tensors(wrap(anchor), samples);
  const at::Tensor interior = unwrap(gauge.interior).logical_and(known);
  const auto fixed = map->tensors(anchor.device(), working);
  const composite::RadialSet radial{.anchor = composite::where_else(interior, anchor, 0).to(working),
                                    .normals = fixed->normals,
                                    .sum = fixed->sum,
                                    .gauge = unwrap(gauge.gauge),
                                    .kappa = unwrap(gauge.kappa),
                                    .hull_dim = fixed->hull_dim};
  return composite::project_samples(u.to(working), radial, interior, map->method(), type);
}

bool any_given(const SampleData& d) {
  for (const MaybeTensor* tensor :
       {&d.A, &d.b, &d.f, &d.lower, &d.upper, &d.cap, &d.sum, &d.center, &d.radius, &d.anchor}) {
    if (tensor->has_value()) return true;
  }
  return false;
}

// {scale y : y in C}: x = scale p(u / scale), and the anchor is scaled too. With a scale that is not positive the set has
// no interior. Rows that are not finite are left out of the quotient: they would spoil its derivative in a shared scale.
SampleResult onto_scaled(const at::Tensor& u, const SampleData& data, bool anchor_gradient, const MapPtr& map) {
  const at::Tensor scale = numbers(*data.scale, "scale", u);
  const at::Tensor usable = (scale > 0).logical_and(scale.isfinite());
  const at::Tensor factor = composite::where_else(usable, scale, 1);
  const at::Tensor finite = (u - u == 0).all(-1, true);
  const double most = u.scalar_type() == at::kDouble ? std::numeric_limits<double>::max()
                      : u.scalar_type() == at::kHalf ? 65504.0
                                                     : std::numeric_limits<float>::max();
  const at::Tensor inner_u = (composite::where_else(finite, u, 0) / factor).clamp(-most / 4, most / 4);
  SampleData rest = data;
  rest.scale = c10::nullopt;
  if (data.anchor) rest.anchor = *data.anchor / factor;
  SampleResult inner;
  if (any_given(rest)) {
    inner = project_samples(inner_u, rest, anchor_gradient, map);
  } else {
    inner.x = project(inner_u, map);
    inner.status = finite.bitwise_not().squeeze(-1).to(at::kChar);
  }
  const at::Tensor known = usable.expand_as(finite);
  static_assert(static_cast<int>(RowStatus::not_finite) == 1);
  const at::Tensor status = at::maximum(inner.status, finite.bitwise_not().squeeze(-1).to(at::kChar));
  return {composite::where_else(known.logical_and(finite), inner.x * factor, std::numeric_limits<double>::quiet_NaN()),
          composite::where_else(known.squeeze(-1), status, static_cast<double>(RowStatus::no_interior)), status};
}

}  // namespace

SampleResult project_samples(const at::Tensor& u, const SampleData& data, bool anchor_gradient, const MapPtr& map) {
  check_shape(u, *map, "u");
  if (autocasts(u)) {
    const at::Tensor wide = widened(u);
    const WithoutAutocast guard;
    return project_samples(wide, data, anchor_gradient, map);
  }
  if (data.scale) return onto_scaled(u, data, anchor_gradient, map);
  allow_only_data_of(*map, data);
  const Set& set = map->set()->set();
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set)) {
    return onto_coordinates(u, data, *coordinates, map);
  }
  if (dynamic_cast<const Polyhedron*>(&*set) != nullptr) return onto_polyhedra(u, data, anchor_gradient, map);
  return onto_anchored(u, data, map);
}

SampleData sample_data(const NamedTensors& named, const MapObject& map) {
  SampleData data;
  const std::pair<const char*, MaybeTensor*> places[] = {
      {"A", &data.A},           {"b", &data.b},         {"f", &data.f},          {"lower", &data.lower},
      {"upper", &data.upper},   {"cap", &data.cap},     {"sum", &data.sum},      {"center", &data.center},
      {"radius", &data.radius}, {"scale", &data.scale}, {"anchor", &data.anchor}};
  for (const auto& entry : named) {
    const auto place = std::ranges::find(places, entry.key(), [](const auto& p) { return std::string(p.first); });
    if (place == std::end(places)) throw InvalidSet(entry.key() + ": no such data");
    *place->second = entry.value();
  }
  if (data.upper && !data.cap) {
    const SetType* const type = map.set_type();
    if (type != nullptr && has_data(*type, "cap")) data.cap = std::exchange(data.upper, c10::nullopt);
  }
  return data;
}

namespace {

std::tuple<at::Tensor, at::Tensor> project_samples_op(const at::Tensor& u, const MapPtr& map, const NamedTensors& data,
                                                      bool anchor_gradient) {
  SampleResult result = project_samples(u, sample_data(data, *map), anchor_gradient, map);
  return {result.x, result.status};
}

}  // namespace

// The ops inside choose by device; a trace and the transforms of torch.func look inside, too.
TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("project_samples", project_samples_op); }
TORCH_LIBRARY_IMPL(softradial, Tracer, m) { m.impl("project_samples", project_samples_op); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { m.impl("project_samples", project_samples_op); }

}  // namespace softradial::ops
