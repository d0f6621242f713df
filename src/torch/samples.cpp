#include "samples.hpp"

#include <ATen/ATen.h>
#include <ATen/TracerMode.h>
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
#include "sample_sets.hpp"
#include "sets/coordinates/bounds.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "softradial/row_status.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets.hpp"

namespace softradial::ops {
namespace {

using NamedTensor = std::pair<std::string_view, const MaybeTensor*>;

// All data that a set may have for each sample, with their names.
std::array<NamedTensor, 10> data_of_sets(const SampleData& data) {
  return {{{"A", &data.A},
           {"b", &data.b},
           {"E", &data.E},
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

}  // namespace

void allow_only_data_of(const MapObject& map, const SampleData& data) {
  const SetType* const type = map.set_type();
  for (const auto& [name, tensor] : data_of_sets(data)) {
    if (!*tensor) continue;
    if (type != nullptr && has_data(*type, name)) continue;
    refuse_data(map.set()->set(), std::string(name));
  }
  for (const auto& [name, tensor] : data.others) static_cast<void>(part_with_data(map.set()->set(), name));
}

namespace {

// Data (..., width) for each sample, or (width) or () for all samples.
at::Tensor vectors(const at::Tensor& data, const char* name, const at::Tensor& u, int64_t width) {
  if (data.dim() > 0) check_width(data, width, name);
  at::DimVector shape(u.sizes().begin(), u.sizes().end());
  shape.back() = width;
  if (!at::is_expandable_to(data.sizes(), shape)) {
    throw does_not_broadcast(data, name, u, "u");
  }
  // Skips conversions that would do nothing: even these go through the dispatcher.
  const bool fits = data.device() == u.device() && data.scalar_type() == u.scalar_type();
  return fits ? data : data.to(u.device(), u.scalar_type());
}

// One matrix for each sample, (..., m, n), or one for all.
at::Tensor matrices(const at::Tensor& data, const char* name, const at::Tensor& u, at::IntArrayRef shape) {
  if (data.dim() < 2 || data.size(-2) != shape[0] || data.size(-1) != shape[1]) {
    throw ShapeError(std::string(name) + ": expected shape (..., " + std::to_string(shape[0]) + ", " +
                     std::to_string(shape[1]) + "), got shape " + shape_text(data));
  }
  if (!at::is_expandable_to(data.sizes().slice(0, data.dim() - 2), u.sizes().slice(0, u.dim() - 1))) {
    throw does_not_broadcast(data, name, u, "u");
  }
  return data.to(u.options());
}

// One number for each sample, (...), or one for all; returned as (..., 1) or ().
at::Tensor numbers(const at::Tensor& data, const char* name, const at::Tensor& u) {
  if (!at::is_expandable_to(data.sizes(), u.sizes().slice(0, u.dim() - 1)))
    throw does_not_broadcast(data, name, u, "u");
  const at::Tensor column = data.dim() == 0 ? data : data.unsqueeze(-1);
  return vectors(column, name, u, 1);
}

}  // namespace

BallsOfSamples sample_balls(const at::Tensor& u, const SampleData& data, const Ball& ball) {
  const at::Tensor own = to_tensor(ball.center()).to(u.options());
  return {data.center ? vectors(*data.center, "center", u, u.size(-1)) : own,
          data.radius ? numbers(*data.radius, "radius", u) : at::full({1}, ball.radius(), u.options())};
}

BoundsData sample_bounds(const at::Tensor& u, const SampleData& data, const CoordinateSet& set, const MapObject& map) {
  const int64_t dim = map.dim();
  BoundsData bounds;
  const auto fixed = map.bounds(u.device(), u.scalar_type());
  bounds.lower = data.lower ? vectors(*data.lower, "lower", u, dim) : fixed->lower;
  bounds.upper = data.upper ? vectors(*data.upper, "upper", u, dim)
                 : data.cap ? vectors(*data.cap, "cap", u, dim)
                            : fixed->upper;
  if (set.total()) bounds.sum = data.sum ? numbers(*data.sum, "sum", u) : fixed->sum;
  if (data.anchor) bounds.anchor = vectors(*data.anchor, "anchor", u, dim);
  return bounds;
}

namespace {

// Whether ops on this tensor need no record by autograd.
bool constant(const at::Tensor& tensor) {
  return !(at::GradMode::is_enabled() && tensor.requires_grad()) && !torch::autograd::isFwGradDefined(tensor);
}

// b - A u0 where the anchor or A differs from sample to sample, or derivatives pass through them. In double.
at::Tensor slack_at(const at::Tensor& A, const at::Tensor& b, const at::Tensor& anchor, const LinearTensors& linear) {
  const at::Tensor wide_A = A.is_same(linear.A) ? linear.wide_A : A.to(at::kDouble);
  const at::Tensor wide_anchor = anchor.to(at::kDouble);
  const at::Tensor image =
      A.dim() == 2 ? wide_anchor.matmul(wide_A.t()) : wide_A.matmul(wide_anchor.unsqueeze(-1)).squeeze(-1);
  return (b.to(at::kDouble) - image).to(b.scalar_type());
}

}  // namespace

PolyhedraOfSamples sample_polyhedra(const at::Tensor& u, const SampleData& data, const MapObject& map) {
  const auto linear = map.linear(u.device(), u.scalar_type());
  PolyhedraOfSamples out;
  out.A = data.A ? matrices(*data.A, "A", u, linear->A.sizes()) : linear->A;
  out.b = data.b ? vectors(*data.b, "b", u, out.A.size(-2)) : linear->b;
  if (linear->E.size(0) > 0) {
    out.E = data.E ? matrices(*data.E, "E", u, linear->E.sizes()) : linear->E;
    out.f = data.f ? vectors(*data.f, "f", u, linear->E.size(0)) : linear->f;
  } else if (data.f || data.E) {
    throw InvalidSet(std::string(data.f ? "f" : "E") + ": this polyhedron has no equalities");
  }
  return out;
}

namespace {

// The points that were found, in u's dtype, with 0 for samples that have none.
SampleAnchor anchor_among(const Centers& centers, at::ScalarType type) {
  return {composite::where_else((centers.status == 0).unsqueeze(-1), centers.point, 0).to(type), centers.status};
}

SampleAnchor interior_anchor(const PolyhedraOfSamples& sets, const LinearTensors& linear, at::ScalarType type) {
  const at::Tensor& A = sets.A.is_same(linear.A) ? linear.wide_A : sets.A;
  SampleAnchor found = anchor_among(interior_point(A, sets.b, sets.E, sets.f, linear.known), type);
  // The anchor moves with the equalities, and with nothing else.
  if (sets.f && !constant(*sets.f)) {
    const at::Tensor shift = linear.known.shift ? *linear.known.shift : at::linalg_pinv(sets.E->to(at::kDouble));
    found.point = found.point + (*sets.f - sets.f->detach()).matmul(shift.t().to(type));
  }
  return found;
}

// The data of each sample's set as the core's tensors, in double. Invalid entries (NaN, or infinity except for an open side)
// are replaced before anything is computed from them: `known` (..., 1) tells which samples had none.
class CoreData {
 public:
  CoreData(const at::Tensor& u, const SampleData& data, const MapObject& map, const AtSpace& space)
      : samples(space), known(at::ones({1}, u.options().dtype(at::kBool))) {
    const Set& set = map.set()->set();
    for (const auto& [name, tensor] : data_of_sets(data)) {
      if (*tensor) give(u, set, std::string(name), std::string(name), **tensor);
    }
    for (const auto& [name, tensor] : data.others) {
      const std::vector<std::size_t> way = part_with_data(set, name);
      std::string path;
      const Set* part = &set;
      for (const std::size_t k : way) {
        path += std::to_string(k) + ".";
        part = &dynamic_cast<const Intersection&>(**part).parts()[k];
      }
      give(u, *part, path + field_of(name), name, tensor);
    }
  }

  at::Tensor numbers_only(const at::Tensor& values) {
    const at::Tensor finite = values.isfinite().all(-1, true);
    known = known.logical_and(finite);
    return composite::where_else(finite, values, 0);
  }

  SampleTensors samples;
  at::Tensor known;

 private:
  void give(const at::Tensor& u, const Set& set, const std::string& key, const std::string& name,
            const at::Tensor& tensor) {
    const Description own = set->describe();
    const Field& field = *set_type(own.type).find(field_of(name));
    const auto value = std::ranges::find(own.fields, field.name, &std::pair<std::string, Description::Value>::first);
    at::Tensor values;
    if (field.kind == FieldKind::any_matrix || field.kind == FieldKind::matrix) {
      LinearSystem system(set.dim());
      set->append_linear(system);
      const auto rows =
          static_cast<int64_t>(field.name == "E" ? system.equalities().size() : system.inequalities().size());
      values = matrices(tensor, name.c_str(), u, {rows, static_cast<int64_t>(set.dim())});
      known = known.logical_and(values.isfinite().all(-1).all(-1, true));
      values = values.nan_to_num(0, 0, 0);
    } else if (field.kind == FieldKind::number) {
      values = numbers_only(numbers(tensor, name.c_str(), u).expand_as(u.narrow(-1, 0, 1)));
    } else {
      const auto* const vector = value == own.fields.end() ? nullptr : std::get_if<Eigen::VectorXd>(&value->second);
      values = vectors(tensor, name.c_str(), u, vector == nullptr ? u.size(-1) : vector->size());
      const bool may_be_open = field.kind != FieldKind::numbers || field.name == "b";
      const at::Tensor usable = (may_be_open ? values.isnan().logical_not() : values.isfinite()).all(-1, true);
      known = known.logical_and(usable);
      values = composite::where_else(usable, values, 0);
    }
    samples.give(key, wrap(values.to(at::kDouble)));
  }
};

// Orthonormal normals of each sample's equalities: (..., k, dim).
at::Tensor normals_of(const at::Tensor& E) {
  return std::get<0>(at::linalg_qr(E.to(at::kDouble).mT(), "reduced")).mT();
}

// Shifts the set's own anchor onto the hull of each sample's equalities: a0 + E^+ (f - E a0). An intersection may have
// equalities in several parts.
at::Tensor shifted_anchor(const at::Tensor& u, const SampleData& data, const MapObject& map) {
  at::Tensor own = to_tensor(map.anchor().point).to(u.device());
  const Set& set = map.set()->set();
  const auto linear = map.linear(u.device(), at::kDouble);
  if (linear->E.size(0) == 0) return own;
  at::Tensor levels = linear->f;
  bool moved = false;
  for (const auto& [name, tensor] : data.others) {
    if (field_of(name) != "f") continue;
    // The equalities are in the order of the parts.
    const std::size_t part = part_with_data(set, name).front();
    int64_t first = 0;
    int64_t count = 0;
    for (std::size_t k = 0; k <= part; ++k) {
      LinearSystem system(set.dim());
      dynamic_cast<const Intersection&>(*set).parts()[k]->append_linear(system);
      first += count;
      count = static_cast<int64_t>(system.equalities().size());
    }
    const at::Tensor given = vectors(tensor, name.c_str(), u, count).to(at::kDouble);
    at::DimVector shape(u.sizes().begin(), u.sizes().end());
    shape.back() = linear->f.size(0);
    levels = levels.expand(shape);
    const int64_t rest = levels.size(-1) - first - count;
    levels = at::cat({levels.narrow(-1, 0, first), given, levels.narrow(-1, first + count, rest)}, -1);
    moved = true;
  }
  if (!moved) return own;
  const at::Tensor off = levels - own.matmul(linear->E.t());
  return own + off.matmul(at::linalg_pinv(linear->E).t());
}

// Finds a point inside each sample's set by the core's search, for the samples marked in `open` (count) alone.
at::Tensor searched_anchor(const at::Tensor& points, const at::Tensor& open, const SampleData& data,
                           const MapObject& map) {
  std::vector<at::Tensor> tensors;
  c10::List<std::string> names;
  for (const auto& [name, tensor] : data_of_sets(data)) {
    if (!*tensor) continue;
    tensors.push_back(**tensor);
    names.push_back(std::string(name));
  }
  for (const auto& [name, tensor] : data.others) {
    tensors.push_back(tensor);
    names.push_back(name);
  }
  const SampleSets sets(map.set()->set(), points, tensors, names);
  const at::Tensor out = points.clone().reshape({-1, points.size(-1)});
  const at::Tensor flags = open.reshape({-1}).to(at::kCPU).contiguous();
  for (int64_t i = 0; i < sets.count(); ++i) {
    if (!flags.data_ptr<bool>()[i]) continue;
    const std::optional<Set> set = sets.set(i);
    if (!set) continue;
    const Anchor anchor = find_anchor(*set);
    const bool same_hull = anchor.hull.codimension() == map.anchor().hull.codimension();
    if (anchor.status == AnchorStatus::found && same_hull) out[i].copy_(to_tensor(anchor.point));
  }
  return out.reshape(points.sizes());
}

// Moves points onto each sample's equalities, a + E^+ (f - E a), with derivatives in E and f. Samples that are not known stay
// where they are.
at::Tensor moved_onto(const PolyhedraOfSamples& sets, const at::Tensor& known, const at::Tensor& points) {
  const at::Tensor E = composite::where_else(known.unsqueeze(-1), sets.E->to(at::kDouble), 0);
  const at::Tensor f = composite::where_else(known, sets.f->to(at::kDouble), 0);
  const at::Tensor off = f - E.matmul(points.unsqueeze(-1)).squeeze(-1);
  return points + at::linalg_pinv(E).matmul(off.unsqueeze(-1)).squeeze(-1);
}

// The precision for each sample's set in the composite: wider than that of u. A trace keeps u's own, because the runtimes of
// exported models know few functions in double.
at::ScalarType precision_of_samples(at::ScalarType type) {
  return at::tracer::impl::is_dispatch_enabled() ? working_type(type) : wide_type(type);
}

struct SampleRadial {
  composite::RadialSet set;
  at::Tensor interior;  // (..., 1)
};

SampleRadial sample_radial(const at::Tensor& u, const SampleData& data, const MapPtr& map) {
  const Set& set = map->set()->set();
  const at::ScalarType type = u.scalar_type();
  const at::ScalarType working = precision_of_samples(type);
  const AtSpace space(u.device(), type, working);
  CoreData core(u, data, *map, space);
  // Rounds the anchor to the working precision: the gauge must belong to the rounded point.
  const auto rounded = [&](const at::Tensor& point) { return point.to(type).to(at::kDouble); };
  at::Tensor anchor;
  if (data.anchor) {
    anchor = rounded(core.numbers_only(vectors(*data.anchor, "anchor", u, map->dim())));
  } else if (data.E || !data.others.empty()) {
    anchor = rounded(shifted_anchor(u, data, *map).expand_as(u));
    at::Tensor open = unwrap(set->gauge_in_tensors(wrap(anchor), core.samples).interior).logical_not();
    if (data.E) open = at::ones_like(open);
    if (open.any().item<bool>()) {
      // A point that is found moves with the equalities, as the anchor from which the search began.
      const at::Tensor found = searched_anchor(anchor.detach(), open.expand_as(u.narrow(-1, 0, 1)), data, *map);
      anchor = rounded(data.E ? moved_onto(sample_polyhedra(u, data, *map), core.known, found)
                              : found + (anchor - anchor.detach()));
    }
  } else {
    anchor = rounded(sample_anchor(u, data, map).point);
  }
  const TensorGaugeAt gauge = set->gauge_in_tensors(wrap(anchor), core.samples);
  const at::Tensor interior = unwrap(gauge.interior).logical_and(core.known);
  const auto fixed = map->tensors(anchor.device(), working);
  at::Tensor normals = fixed->normals;
  if (data.E) normals = normals_of(composite::where_else(core.known.unsqueeze(-1), *data.E, 0)).to(working);
  SampleRadial radial{{.anchor = composite::where_else(interior, anchor, 0).to(working),
                       .normals = normals,
                       .sum = fixed->sum && !data.E,
                       .free = {},
                       .gauge = unwrap(gauge.gauge),
                       .kappa = unwrap(gauge.kappa),
                       .hull_dim = fixed->hull_dim,
                       .type = type},
                      interior};
  // Each sample has its own fixed coordinates.
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set)) {
    const BoundsData given = sample_bounds(u, data, *coordinates, *map);
    radial.set.normals = at::Tensor();
    radial.set.sum = coordinates->total().has_value();
    radial.set.free = unwrap(bounds::fixed_in_tensors(
                                 {wrap(given.lower), wrap(given.upper), given.sum ? wrap(*given.sum) : Tensor()}))
                          .logical_not()
                          .expand_as(u);
  }
  return radial;
}

// All other sets, with data or an anchor for each sample: by the composite alone.
SampleResult onto_anchored(const at::Tensor& u, const SampleData& data, const MapPtr& map) {
  const SampleRadial radial = sample_radial(u, data, map);
  return composite::project_samples(u.to(precision_of_samples(u.scalar_type())), radial.set, radial.interior,
                                    map->method(), u.scalar_type());
}

SampleResult onto_polyhedra(const at::Tensor& u, const SampleData& data, bool anchor_gradient, const MapPtr& map) {
  if (data.E) return onto_anchored(u, data, map);
  const auto linear = map->linear(u.device(), u.scalar_type());
  const PolyhedraOfSamples sets = sample_polyhedra(u, data, *map);
  SampleAnchor anchor;
  if (data.anchor) {
    anchor.point = vectors(*data.anchor, "anchor", u, map->dim());
  } else if (anchor_gradient) {
    anchor = anchor_among(analytic_center(sets.A, sets.b, sets.E, sets.f, linear->anchor, true), u.scalar_type());
  } else {
    anchor = interior_anchor(sets, *linear, u.scalar_type());
  }
  // One given anchor for all samples: A u0 is computed in double and rounded once, which the guard of the kernels covers.
  const bool shared = !anchor.missing.defined() && sets.A.is_same(linear->A) && anchor.point.dim() == 1;
  if (shared && constant(anchor.point)) {
    return project_polyhedra(u, {sets.A, sets.b, map->image_of(anchor.point), anchor.point}, map);
  }
  at::Tensor slack = slack_at(sets.A, sets.b, anchor.point, *linear);
  if (anchor.missing.defined()) slack = composite::where_else((anchor.missing == 0).unsqueeze(-1), slack, -1);
  return project_polyhedra(u, {sets.A, slack, c10::nullopt, anchor.point}, map);
}

}  // namespace

SampleAnchor sample_anchor(const at::Tensor& u, const SampleData& data, const MapPtr& map) {
  if (data.anchor) return {vectors(*data.anchor, "anchor", u, map->dim()), {}};
  const Set& set = map->set()->set();
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set)) {
    const BoundsData given = sample_bounds(u, data, *coordinates, *map);
    const bounds::TensorAnchor found = bounds::anchor_in_tensors(
        {wrap(given.lower), wrap(given.upper), given.sum ? wrap(*given.sum) : Tensor()}, ulp(u.scalar_type()));
    return {unwrap(found.point), {}};
  }
  if (dynamic_cast<const Polyhedron*>(&*set) != nullptr) {
    if (data.E) return {sample_radial(u, data, map).set.anchor, {}};
    const auto linear = map->linear(u.device(), u.scalar_type());
    return interior_anchor(sample_polyhedra(u, data, *map), *linear, u.scalar_type());
  }
  if (!data.others.empty()) return {sample_radial(u, data, map).set.anchor, {}};
  const AtSpace space(u.device(), u.scalar_type());
  const CoreData core(u, data, *map, space);
  return {unwrap(set->anchor_in_tensors(core.samples, map->anchor().point)).to(u.scalar_type()), {}};
}

bool any_given(const SampleData& d) {
  for (const MaybeTensor* tensor :
       {&d.A, &d.b, &d.E, &d.f, &d.lower, &d.upper, &d.cap, &d.sum, &d.center, &d.radius, &d.anchor}) {
    if (tensor->has_value()) return true;
  }
  return !d.others.empty();
}

namespace {

// A status of 0 for each row.
at::Tensor no_trouble(const at::Tensor& u) {
  return at::zeros(u.sizes().slice(0, u.dim() - 1), u.options().dtype(at::kChar));
}

}  // namespace

namespace {

// u / scale for a scaled map. Rows that are not finite are replaced by 0: they would spoil the derivative in a shared scale.
struct Unscaled {
  at::Tensor u;       // (..., dim)
  at::Tensor factor;  // (..., 1) or (): the scale, 1 where it is no positive number
  at::Tensor usable;  // where the scale is a positive number
  at::Tensor finite;  // (..., 1): where u is finite
};

// Where u / scale exceeds the largest number, u is divided by more, which keeps its direction. The scale divides as a number,
// with its derivative added by hand, d (1 / scale) = -(1 / scale) d scale / scale: (u / scale) / scale overflows.
Unscaled unscaled(const at::Tensor& u, const SampleData& data) {
  const at::Tensor scale = numbers(*data.scale, "scale", u);
  const at::Tensor usable = (scale > 0).logical_and(scale.isfinite());
  const at::Tensor factor = composite::where_else(usable, scale, 1);
  const at::Tensor finite = (u - u == 0).all(-1, true);
  const double most = u.scalar_type() == at::kDouble ? std::numeric_limits<double>::max()
                      : u.scalar_type() == at::kHalf ? 65504.0
                                                     : std::numeric_limits<float>::max();
  const at::Tensor safe = composite::where_else(finite, u, 0);
  const at::Tensor least = std::get<0>(safe.abs().max(-1, true)).detach() / (most / 16);
  const at::Tensor number = factor.detach();
  const at::Tensor fits = number >= least;
  const at::Tensor quotient = safe / at::maximum(number, least);
  return {quotient * at::where(fits, number / factor, at::ones_like(least)), factor, usable, finite};
}

}  // namespace

SampleResult onto_scaled(const at::Tensor& u, const SampleData& data, const OntoSamples& onto) {
  const Unscaled at_scale = unscaled(u, data);
  const at::Tensor& factor = at_scale.factor;
  SampleData rest = data;
  rest.scale = c10::nullopt;
  if (data.anchor) rest.anchor = *data.anchor / factor;
  const SampleResult inner = onto(at_scale.u, rest);
  const at::Tensor known = at_scale.usable.expand_as(at_scale.finite);
  static_assert(static_cast<int>(RowStatus::not_finite) == 1);
  const at::Tensor status = at::maximum(inner.status, at_scale.finite.bitwise_not().squeeze(-1).to(at::kChar));
  return {composite::where_else(known.logical_and(at_scale.finite), inner.x * factor,
                                std::numeric_limits<double>::quiet_NaN()),
          composite::where_else(known.squeeze(-1), status, static_cast<double>(RowStatus::no_interior)), status};
}

SampleResult project_samples(const at::Tensor& u, const SampleData& data, bool anchor_gradient, const MapPtr& map) {
  check_shape(u, *map, "u");
  if (autocasts(u)) {
    const at::Tensor wide = widened(u);
    const WithoutAutocast guard;
    return project_samples(wide, data, anchor_gradient, map);
  }
  if (data.scale) {
    return onto_scaled(u, data, [&](const at::Tensor& inner_u, const SampleData& rest) -> SampleResult {
      if (any_given(rest)) return project_samples(inner_u, rest, anchor_gradient, map);
      return {project(inner_u, map), no_trouble(inner_u), {}};
    });
  }
  allow_only_data_of(*map, data);
  const Set& set = map->set()->set();
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set)) {
    return project_bounds(u, sample_bounds(u, data, *coordinates, *map), map);
  }
  if (dynamic_cast<const Polyhedron*>(&*set) != nullptr) return onto_polyhedra(u, data, anchor_gradient, map);
  return onto_anchored(u, data, map);
}

at::Tensor inverse_samples(const at::Tensor& x, const SampleData& data, const MapPtr& map) {
  check_shape(x, *map, "x");
  allow_only_data_of(*map, data);
  if (data.scale) {
    return onto_scaled(x, data,
                       [&](const at::Tensor& inner, const SampleData& rest) -> SampleResult {
                         return {any_given(rest) ? inverse_samples(inner, rest, map) : inverse(inner, map),
                                 no_trouble(inner),
                                 {}};
                       })
        .x;
  }
  const SampleRadial radial = sample_radial(x.to(at::kDouble), data, map);
  const at::Tensor u = composite::radial_inverse_at(x.to(at::kDouble), radial.set, map->method());
  return composite::where_else(radial.interior, u, std::numeric_limits<double>::quiet_NaN()).to(x.scalar_type());
}

at::Tensor log_abs_det_samples(const at::Tensor& u, const SampleData& data, const MapPtr& map) {
  check_shape(u, *map, "u");
  allow_only_data_of(*map, data);
  // For {scale y}, p(u) = scale q(u / scale) has the same determinant as q.
  if (data.scale) {
    const Unscaled at_scale = unscaled(u, data);
    SampleData rest = data;
    rest.scale = c10::nullopt;
    if (data.anchor) rest.anchor = *data.anchor / at_scale.factor;
    const at::Tensor det = any_given(rest) ? log_abs_det_samples(at_scale.u, rest, map) : log_abs_det(at_scale.u, map);
    const at::Tensor known = at_scale.usable.logical_and(at_scale.finite).squeeze(-1);
    return composite::where_else(known, det, std::numeric_limits<double>::quiet_NaN());
  }
  const SampleRadial radial = sample_radial(u.to(at::kDouble), data, map);
  const at::Tensor det = composite::radial_log_abs_det(u.to(at::kDouble), radial.set, map->method());
  const at::Tensor interior = radial.interior.squeeze(-1);
  return composite::where_else(interior, det, std::numeric_limits<double>::quiet_NaN()).to(u.scalar_type());
}

SampleData sample_data(const NamedTensors& named, const MapObject& map) {
  SampleData data;
  const std::pair<const char*, MaybeTensor*> places[] = {
      {"A", &data.A},           {"b", &data.b},           {"E", &data.E},         {"f", &data.f},
      {"lower", &data.lower},   {"upper", &data.upper},   {"cap", &data.cap},     {"sum", &data.sum},
      {"center", &data.center}, {"radius", &data.radius}, {"scale", &data.scale}, {"anchor", &data.anchor}};
  // The data of an intersection are those of its parts.
  const bool has_parts = dynamic_cast<const Intersection*>(&*map.set()->set()) != nullptr;
  for (const auto& entry : named) {
    const std::string& name = entry.key();
    const auto place = std::ranges::find(places, name, [](const auto& p) { return std::string(p.first); });
    if (place == std::end(places) || (has_parts && name != "scale" && name != "anchor")) {
      data.others.emplace_back(name, entry.value());
    } else {
      *place->second = entry.value();
    }
  }
  return data;
}

SampleData scripted_sample_data(const NamedTensors& named, const MapObject& map) {
  SampleData data = sample_data(named, map);
  if (data.upper && !data.cap) {
    const SetType* const type = map.set_type();
    if (type != nullptr && has_data(*type, "cap")) data.cap = std::exchange(data.upper, c10::nullopt);
  }
  return data;
}

namespace {

std::tuple<at::Tensor, at::Tensor> project_samples_op(const at::Tensor& u, const MapPtr& map, const NamedTensors& data,
                                                      bool anchor_gradient) {
  SampleResult result = project_samples(u, scripted_sample_data(data, *map), anchor_gradient, map);
  return {result.x, result.status};
}

}  // namespace

// The ops inside are chosen by device; a trace and the transforms of torch.func look inside, too.
TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("project_samples", project_samples_op); }
TORCH_LIBRARY_IMPL(softradial, Tracer, m) { m.impl("project_samples", project_samples_op); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { m.impl("project_samples", project_samples_op); }

}  // namespace softradial::ops
