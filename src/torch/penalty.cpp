#include "penalty.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include "autocast.hpp"
#include "autograd/first_order.hpp"
#include "op_handle.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "softradial/violation.hpp"
#include "vmap_rows.hpp"

namespace softradial::ops {
namespace {

at::Tensor points_of(const at::Tensor& x) { return x.to(at::kCPU, at::kDouble).contiguous(); }

// Returns one number per row, (..., 1).
at::Tensor penalty_kernel(const at::Tensor& x, const SetPtr& set) {
  const at::Tensor points = points_of(x);
  const at::Tensor out = at::empty(x.sizes().slice(0, x.dim() - 1), at::kDouble);
  ViolationMeter meter(set->set());
  for (int64_t i = 0; i < out.numel(); ++i) {
    out.data_ptr<double>()[i] = meter.penalty({points.data_ptr<double>() + i * x.size(-1), set->set().dim()});
  }
  return out.unsqueeze(-1).to(x.options());
}

at::Tensor penalty_backward_kernel(const at::Tensor& grad, const at::Tensor& x, const SetPtr& set) {
  const at::Tensor points = points_of(x);
  const at::Tensor scales = points_of(grad);
  const at::Tensor out = at::zeros_like(points);
  ViolationMeter meter(set->set());
  const std::size_t dim = set->set().dim();
  for (int64_t i = 0; i < scales.numel(); ++i) {
    const int64_t at = i * x.size(-1);
    meter.add_penalty_gradient(scales.data_ptr<double>()[i], {points.data_ptr<double>() + at, dim},
                               {out.data_ptr<double>() + at, dim});
  }
  return out.to(x.options());
}

at::Tensor penalty_rows(const at::Tensor& x, const SetPtr& set) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const SetPtr&)>("softradial::penalty_rows");
  return op.call(x, set);
}

at::Tensor penalty_backward(const at::Tensor& grad, const at::Tensor& x, const SetPtr& set) {
  static const auto op =
      find_op<at::Tensor(const at::Tensor&, const at::Tensor&, const SetPtr&)>("softradial::penalty_backward");
  return op.call(grad, x, set);
}

at::Tensor penalty_backward_vmap(const at::Tensor& grad, const at::Tensor& x, const SetPtr& set) {
  const VmapRows rows({grad, x});
  return rows.batched(penalty_backward(rows.in_front(grad), rows.in_front(x), set));
}

at::Tensor penalty_rows_autograd(const at::Tensor& x, const SetPtr& set) {
  const auto vjp = [set](const at::Tensor& grad, const Tensors& inputs, const Tensors&) -> Tensors {
    return {penalty_backward(grad, inputs[0], set)};
  };
  return record_first_order({"penalty", vjp, 1}, {x}, [&]() -> Tensors { return {penalty_rows(x, set)}; })[0];
}

at::Tensor penalty_backward_autograd(const at::Tensor& grad, const at::Tensor& x, const SetPtr& set) {
  return derivative_only("penalty", {grad, x}, [&]() -> Tensors { return {penalty_backward(grad, x, set)}; })[0];
}

}  // namespace

at::Tensor penalty(const at::Tensor& x, const SetPtr& set) {
  check_floating(x, "x");
  check_points(x, set->set());
  return penalty_rows(widened(x), set).squeeze(-1);
}

TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("penalty", penalty); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { m.impl("penalty", penalty); }
TORCH_LIBRARY_IMPL(softradial, CompositeExplicitAutograd, m) {
  m.impl("penalty_rows", penalty_kernel);
  m.impl("penalty_backward", penalty_backward_kernel);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) {
  m.impl("penalty_rows", penalty_rows_autograd);
  m.impl("penalty_backward", penalty_backward_autograd);
}
TORCH_LIBRARY_IMPL(softradial, FuncTorchBatched, m) {
  m.impl("penalty_rows", Vmapped<penalty_rows>::call);
  m.impl("penalty_backward", penalty_backward_vmap);
}

}  // namespace softradial::ops
