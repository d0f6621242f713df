#include "layer_samples.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "at_tensor.hpp"
#include "autocast.hpp"
#include "autograd/first_order.hpp"
#include "composite/safe_math.hpp"
#include "cpu/precision.hpp"
#include "cpu/tensor_rows.hpp"
#include "nearest.hpp"
#include "op_handle.hpp"
#include "penalty.hpp"
#include "sample_sets.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "softradial/row_status.hpp"
#include "softradial/sets.hpp"
#include "softradial/violation.hpp"

namespace softradial::ops {
namespace {

// --- One sample at a time. --------------------------------------------------------------------------------------------

using Names = c10::List<std::string>;
using TwoTensors = std::tuple<at::Tensor, at::Tensor>;

// The rows in the precision in which they are computed: single for half and bfloat16.
at::Tensor rows_of(const at::Tensor& u, at::ScalarType type) {
  return u.detach().to(at::kCPU, type).reshape({-1, u.size(-1)}).contiguous();
}
at::ScalarType precision_of(const at::Tensor& u) { return core_precision(u) ? u.scalar_type() : at::kFloat; }

template <class T>
Rows<T> one_row(const at::Tensor& rows, int64_t i) {
  const auto width = static_cast<std::size_t>(rows.size(1));
  return {rows.data_ptr<std::remove_const_t<T>>() + i * rows.size(1), 1, width};
}

at::Tensor nan_rows(at::IntArrayRef shape, at::ScalarType type) {
  return at::full(shape, std::numeric_limits<double>::quiet_NaN(), type);
}

// Calls `visit(layer, sample)` with the layer of each sample; without a layer for a sample whose set has no interior.
template <class T, class Visit>
void for_each_layer(const LayerObjectPtr& layer, const SampleSets& sets, const Visit& visit) {
  for (int64_t i = 0; i < sets.count(); ++i) {
    LayerPtr<T> own;
    if (const std::optional<Set> set = sets.set(i)) {
      ProjectionOptions options = layer->options();
      if (const auto anchor = sets.anchor(i)) options.anchor_point = *anchor;
      try {
        own = make_layer<T>(*set, layer->method(), options);
      } catch (const NoInterior&) {
      } catch (const AnchorNotInterior&) {
      }
    }
    visit(own.get(), i);
  }
}

bool all_finite(const at::Tensor& row) { return row.isfinite().all().item<bool>(); }

// Returns x and a status; rows without a set come out as NaN.
TwoTensors each_kernel(const at::Tensor& u, at::TensorList data, const Names& names, const LayerObjectPtr& layer,
                       bool training) {
  const SampleSets sets(layer->set()->set(), u, data, names);
  const at::Tensor from = rows_of(u, precision_of(u));
  const at::Tensor x = nan_rows({from.size(0), layer->dim()}, from.scalar_type());
  const at::Tensor status = at::zeros({from.size(0)}, at::kChar);
  with_precision(from, [&]<class T>(Precision<T>) {
    for_each_layer<T>(layer, sets, [&](const Layer<T>* own, int64_t i) {
      if (own == nullptr) {
        status[i] = static_cast<int64_t>(RowStatus::no_interior);
      } else if (!all_finite(from[i])) {
        status[i] = static_cast<int64_t>(RowStatus::not_finite);
      } else if (training) {
        own->project(one_row<const T>(from, i), one_row<T>(x, i), {});
      } else {
        own->evaluate(one_row<const T>(from, i), one_row<T>(x, i));
      }
    });
  });
  at::DimVector shape(u.sizes().begin(), u.sizes().end());
  shape.back() = layer->dim();
  return {x.reshape(shape).to(u.options()), status.reshape(u.sizes().slice(0, u.dim() - 1))};
}

at::Tensor each_backward_kernel(const at::Tensor& grad_x, const at::Tensor& u, at::TensorList data, const Names& names,
                                const LayerObjectPtr& layer) {
  const SampleSets sets(layer->set()->set(), u, data, names);
  const at::Tensor from = rows_of(u, precision_of(u));
  const at::Tensor g = rows_of(grad_x, from.scalar_type());
  const at::Tensor out = at::zeros_like(from);
  with_precision(from, [&]<class T>(Precision<T>) {
    for_each_layer<T>(layer, sets, [&](const Layer<T>* own, int64_t i) {
      if (own == nullptr || !all_finite(from[i])) return;
      const at::Tensor x = at::empty({1, layer->dim()}, from.options());
      const at::Tensor state = at::empty({1, static_cast<int64_t>(own->state_dim())}, from.options());
      own->project(one_row<const T>(from, i), one_row<T>(x, 0), one_row<T>(state, 0));
      own->project_vjp(one_row<const T>(from, i), one_row<const T>(x, 0), one_row<const T>(state, 0),
                       one_row<const T>(g, i), one_row<T>(out, i));
    });
  });
  return out.reshape(u.sizes()).to(u.options());
}

TwoTensors layer_each(const at::Tensor& u, at::TensorList data, const Names& names, const LayerObjectPtr& layer,
                      bool training) {
  static const auto op = find_op<decltype(each_kernel)>("softradial::layer_each");
  return op.call(u, data, names, layer, training);
}

at::Tensor layer_each_backward(const at::Tensor& grad_x, const at::Tensor& u, at::TensorList data, const Names& names,
                               const LayerObjectPtr& layer) {
  static const auto op = find_op<decltype(each_backward_kernel)>("softradial::layer_each_backward");
  return op.call(grad_x, u, data, names, layer);
}

TwoTensors each_autograd(const at::Tensor& u, at::TensorList data, const Names& names, const LayerObjectPtr& layer,
                         bool training) {
  for (std::size_t k = 0; k < data.size(); ++k) {
    if (!at::GradMode::is_enabled() || !data[k].requires_grad()) continue;
    throw NotAvailable(layer->name() + ": on " + with_article(layer->set()->set()->describe().type) +
                       " there is no gradient to " + names.get(k) + "; detach it, or use soft_radial");
  }
  const std::vector<at::Tensor> kept = data.vec();
  const auto vjp = [=](const at::Tensor& grad_x, const Tensors& inputs, const Tensors&) -> Tensors {
    return {layer_each_backward(grad_x, inputs[0], kept, names, layer)};
  };
  const auto evaluate = [&]() -> Tensors {
    auto [x, status] = layer_each(u, data, names, layer, training);
    return {x, status};
  };
  const Tensors out = record_first_order({layer->name(), vjp, 1}, {u}, evaluate);
  return {out[0], out[1]};
}

at::Tensor each_backward_autograd(const at::Tensor& grad_x, const at::Tensor& u, at::TensorList data,
                                  const Names& names, const LayerObjectPtr& layer) {
  return derivative_only(layer->name(), {grad_x, u},
                         [&]() -> Tensors { return {layer_each_backward(grad_x, u, data, names, layer)}; })[0];
}

// The dictionary as lists, the form that an op takes.
struct Listed {
  std::vector<at::Tensor> data;
  Names names;

  explicit Listed(const NamedTensors& named) {
    for (const auto& entry : named) {
      data.push_back(entry.value());
      names.push_back(entry.key());
    }
  }
};

// --- Orthogonal and soft orthogonal layers, all samples at once. ------------------------------------------------------------

// Whether the nearest points are found for all samples at once, with gradients to the data of the sets.
bool together(const Set& set, const SampleData& data) {
  if (!data.others.empty()) return false;
  return dynamic_cast<const CoordinateSet*>(&*set) != nullptr || dynamic_cast<const Polyhedron*>(&*set) != nullptr ||
         dynamic_cast<const Ball*>(&*set) != nullptr;
}

at::Tensor nearest(const at::Tensor& u, const SampleData& data, int steps, const MapPtr& map) {
  const Set& set = map->set()->set();
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set)) {
    return nearest_in_bounds(u, sample_bounds(u, data, *coordinates, *map));
  }
  if (const auto* ball = dynamic_cast<const Ball*>(&*set)) {
    const BallsOfSamples balls = sample_balls(u, data, *ball);
    return nearest_in_balls(u, balls.center, balls.radius);
  }
  return nearest_in_polyhedra(u, sample_polyhedra(u, data, *map),
                              steps > 0 ? c10::optional<int64_t>(steps) : c10::nullopt, map);
}

SampleData converted(const SampleData& data, at::ScalarType type) {
  SampleData out = data;
  for (MaybeTensor* tensor : out.tensors()) {
    if (*tensor) *tensor = (*tensor)->to(type);
  }
  return out;
}

SampleData detached(const SampleData& data) {
  SampleData out = data;
  for (MaybeTensor* tensor : out.tensors()) {
    if (*tensor) *tensor = (*tensor)->detach();
  }
  return out;
}

SampleData with_anchor(SampleData data, const at::Tensor& anchor) {
  data.anchor = anchor;
  return data;
}

// Combines the value of one tensor with the derivatives of another.
at::Tensor with_derivatives(const at::Tensor& value, const at::Tensor& derivatives) {
  return value.detach() + (derivatives - derivatives.detach());
}

// Longer rows are shortened to this length, so that their squares do not overflow.
constexpr double kLongest = 1e100;

SampleResult orthogonal(const at::Tensor& u, const SampleData& data, const MapPtr& map) {
  const at::Tensor x = nearest(u.to(at::kDouble), converted(data, at::kDouble), 0, map).to(u.scalar_type());
  const at::Tensor finite = (u - u == 0).all(-1, true);
  const at::Tensor found = (x - x == 0).all(-1, true);
  static_assert(static_cast<int>(RowStatus::not_finite) == 1);
  const at::Tensor status =
      composite::where_else(found.logical_or(finite.logical_not()), finite.logical_not().to(at::kChar),
                            static_cast<double>(RowStatus::no_interior));
  return {composite::where_else(found, x, std::numeric_limits<double>::quiet_NaN()), status.squeeze(-1), {}};
}

// docs/math/soft_orthogonal.md. From p, the nearest point of the shrunk set, the map is a gauge map with anchor p: its phi is
// 1 / (lambda + gamma) with lambda = 1 / kappa. In double; the guard from the anchor u0 follows, as on fixed sets.
SampleResult soft_orthogonal(const at::Tensor& u, const SampleData& data, const SoftOrthogonal& method,
                             const SampleMaps& maps) {
  const at::ScalarType type = u.scalar_type();
  const SampleData wide_data = converted(data, at::kDouble);
  at::Tensor wide = u.to(at::kDouble);
  wide = wide * (kLongest / wide.detach().abs().amax(-1, true).clamp_min(kLongest));
  const SampleAnchor anchor = sample_anchor(wide, wide_data, maps.guard);
  const at::Tensor u0 = anchor.point.expand_as(wide);
  const double shrink = 1 - method.delta;
  const at::Tensor found = nearest(u0 + (wide - u0) / shrink, wide_data, method.steps, maps.guard);
  // The guard makes the point strictly inside, whatever the projection did; it leaves points inside unchanged.
  const at::Tensor inside = project_samples(found, with_anchor(wide_data, u0), false, maps.guard).x;
  // A sample without a set keeps its anchor, since sums mix its numbers with data that all samples share.
  const at::Tensor known = (inside - inside == 0).all(-1, true);
  const at::Tensor p = at::where(known, u0 + shrink * (inside - u0), u0.detach());
  const SampleResult shell = project_samples(wide, with_anchor(wide_data, p), false, maps.shell);
  // Where p is too near the boundary for this precision, the guard alone decides.
  const at::Tensor x = at::where((shell.status == 0).unsqueeze(-1), shell.x, p).to(type);
  const SampleResult guarded =
      project_samples(x.detach(), with_anchor(detached(data), u0.detach().to(type)), false, maps.guard);
  // A row without a result has no gradient.
  const at::Tensor told = composite::where_else((guarded.status == 0).unsqueeze(-1), x, 0);
  return {with_derivatives(guarded.x, told), guarded.status, {}};
}

}  // namespace

SampleResult project_layer_samples(const at::Tensor& u, const NamedTensors& named, const LayerObjectPtr& layer,
                                   bool training) {
  check_floating(u, "u");
  check_width(u, layer->input_dim(), "u");
  if (autocasts(u)) {
    const at::Tensor wide = widened(u);
    const WithoutAutocast guard;
    return project_layer_samples(wide, named, layer, training);
  }
  const SampleMaps& maps = layer->sample_maps();
  SampleData data = sample_data(named, *maps.guard);
  allow_only_data_of(*maps.guard, data);
  const auto* const soft = std::get_if<SoftOrthogonal>(&layer->method());
  const bool nearest_point = soft != nullptr || std::holds_alternative<Orthogonal>(layer->method()) ||
                             std::holds_alternative<HardNetCvx>(layer->method());
  if (nearest_point && together(layer->set()->set(), data)) {
    const OntoSamples onto = [&](const at::Tensor& rows, const SampleData& rest) {
      return soft != nullptr ? soft_orthogonal(rows, rest, *soft, maps) : orthogonal(rows, rest, maps.guard);
    };
    return data.scale ? onto_scaled(u, data, onto) : onto(u, data);
  }
  const Listed listed(named);
  const bool in_training = training || !layer->differs_in_training();
  if (!in_training && u.requires_grad() && at::GradMode::is_enabled()) {
    throw Error(layer->name() +
                " ends with an exact projection when it is evaluated, which has no gradient here: use training mode");
  }
  auto [x, status] = layer_each(u, listed.data, listed.names, layer, in_training);
  return {x, status, {}};
}

at::Tensor layer_inverse_samples(const at::Tensor& x, const NamedTensors& named, const LayerObjectPtr& layer) {
  check_width(x, layer->dim(), "x");
  const Listed listed(named);
  const SampleSets sets(layer->set()->set(), x, listed.data, listed.names);
  const at::Tensor from = rows_of(x, at::kDouble);
  const at::Tensor out = nan_rows(from.sizes(), at::kDouble);
  for_each_layer<double>(layer, sets, [&](const Layer<double>* own, int64_t i) {
    if (own != nullptr) own->inverse(one_row<const double>(from, i), one_row<double>(out, i));
  });
  return out.reshape(x.sizes()).to(x.options());
}

at::Tensor layer_log_abs_det_samples(const at::Tensor& u, const NamedTensors& named, const LayerObjectPtr& layer) {
  check_width(u, layer->input_dim(), "u");
  const Listed listed(named);
  const SampleSets sets(layer->set()->set(), u, listed.data, listed.names);
  const at::Tensor from = rows_of(u, at::kDouble);
  const at::Tensor out = nan_rows({from.size(0)}, at::kDouble);
  for_each_layer<double>(layer, sets, [&](const Layer<double>* own, int64_t i) {
    if (own != nullptr) own->log_abs_det(one_row<const double>(from, i), {out.data_ptr<double>() + i, 1});
  });
  return out.reshape(u.sizes().slice(0, u.dim() - 1)).to(u.options());
}

namespace {

// The violation of each row by its sample's set, as the op `violation` measures it; NaN where the sample has no set.
at::Tensor violation_samples(const at::Tensor& x, at::TensorList data, const Names& names, const SetPtr& set) {
  check_points(x, set->set());
  const SampleSets sets(set->set(), x, data, names);
  const at::Tensor points = rows_of(x, at::kDouble);
  const double ulp_of_x = ulp(at::isFloatingType(x.scalar_type()) ? x.scalar_type() : at::kDouble);
  const at::Tensor out = nan_rows({points.size(0)}, at::kDouble);
  for (int64_t i = 0; i < sets.count(); ++i) {
    const std::optional<Set> own = sets.set(i);
    if (!own) continue;
    ViolationMeter meter(*own);
    out.data_ptr<double>()[i] = meter.beyond_rounding(one_row<const double>(points, i)[0], ulp_of_x);
  }
  return out.reshape(x.sizes().slice(0, x.dim() - 1)).to(x.device());
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CompositeExplicitAutograd, m) {
  m.impl("violation_samples", violation_samples);
  m.impl("layer_each", each_kernel);
  m.impl("layer_each_backward", each_backward_kernel);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) {
  m.impl("layer_each", each_autograd);
  m.impl("layer_each_backward", each_backward_autograd);
}

}  // namespace softradial::ops
