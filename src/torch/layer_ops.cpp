#include <ATen/ATen.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include "autocast.hpp"
#include "autograd/first_order.hpp"
#include "cpu/precision.hpp"
#include "cpu/tensor_rows.hpp"
#include "layer_object.hpp"
#include "op_handle.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "vmap_rows.hpp"

// The other constraint layers as ops: CPU kernels and first derivatives.
namespace softradial::ops {
namespace {

at::DimVector output_shape(const at::Tensor& u, int64_t width) {
  at::DimVector shape(u.sizes().begin(), u.sizes().end());
  shape.back() = width;
  return shape;
}

template <class T>
Rows<const T> state_rows(const at::Tensor& state) {
  return {state.data_ptr<T>(), static_cast<std::size_t>(state.size(0)), static_cast<std::size_t>(state.size(1))};
}

// Half and bfloat16 are computed in single precision.
std::tuple<at::Tensor, at::Tensor> layer_forward_cpu(const at::Tensor& given, const LayerObjectPtr& layer,
                                                     bool training) {
  check_floating(given, "u");
  check_width(given, layer->input_dim(), "u");
  const at::Tensor u = core_precision(given) ? given : given.to(at::kFloat);
  at::Tensor x = at::empty(output_shape(u, layer->dim()), u.options());
  const at::Tensor matrix = as_matrix(u);
  const int64_t rows = matrix.size(0);
  at::Tensor state;
  with_precision(u, [&]<class T>(Precision<T>) {
    const Layer<T>& compiled = layer->compiled<T>();
    state = at::empty({rows, static_cast<int64_t>(compiled.state_dim())}, u.options());
    const Rows<T> kept{state.data_ptr<T>(), static_cast<std::size_t>(rows), compiled.state_dim()};
    for_each_run(rows, 8 * matrix.size(1), [&](std::size_t first, std::size_t count) {
      const Rows<const T> from = const_rows<T>(matrix).slice(first, count);
      const Rows<T> to = fresh_rows<T>(x, rows).slice(first, count);
      if (training) {
        compiled.project(from, to, kept.slice(first, count));
      } else {
        compiled.evaluate(from, to);
      }
    });
  });
  return {x.to(given.scalar_type()), state};
}

at::Tensor layer_backward_cpu(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& x,
                              const at::Tensor& state, const LayerObjectPtr& layer) {
  const at::ScalarType type = core_precision(u) ? u.scalar_type() : at::kFloat;
  const at::Tensor u_matrix = as_matrix(u.to(type));
  const at::Tensor x_matrix = as_matrix(x.to(type));
  const at::Tensor g_matrix = as_matrix(grad_x.to(type));
  const at::Tensor kept = state.contiguous();
  at::Tensor grad_u = at::empty(u.sizes(), u_matrix.options());
  const int64_t rows = u_matrix.size(0);
  with_precision(u_matrix, [&]<class T>(Precision<T>) {
    const Layer<T>& compiled = layer->compiled<T>();
    for_each_run(rows, 8 * u_matrix.size(1), [&](std::size_t first, std::size_t count) {
      compiled.project_vjp(const_rows<T>(u_matrix).slice(first, count), const_rows<T>(x_matrix).slice(first, count),
                           state_rows<T>(kept).slice(first, count), const_rows<T>(g_matrix).slice(first, count),
                           fresh_rows<T>(grad_u, rows).slice(first, count));
    });
  });
  return grad_u.to(u.scalar_type());
}

using ForwardSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const LayerObjectPtr&, bool);
using BackwardSignature = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                     const LayerObjectPtr&);

at::Tensor layer_backward(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& x, const at::Tensor& state,
                          const LayerObjectPtr& layer) {
  static const auto op = find_op<BackwardSignature>("softradial::layer_backward");
  return op.call(grad_x, u, x, state, layer);
}

std::tuple<at::Tensor, at::Tensor> layer_forward(const at::Tensor& u, const LayerObjectPtr& layer, bool training) {
  static const auto op = find_op<ForwardSignature>("softradial::layer_forward");
  return op.call(u, layer, training);
}

std::tuple<at::Tensor, at::Tensor> layer_forward_autograd(const at::Tensor& u, const LayerObjectPtr& layer,
                                                          bool training) {
  if (!training && (torch::autograd::compute_requires_grad(u) || torch::autograd::isFwGradDefined(u))) {
    throw Error(layer->name() +
                " ends with an exact projection when it is evaluated, which has no gradient here: use training mode");
  }
  const auto evaluate = [&]() -> Tensors {
    auto [x, state] = layer_forward(u, layer, training);
    return {x, state};
  };
  const auto vjp = [layer](const at::Tensor& grad_x, const Tensors& inputs, const Tensors& outputs) -> Tensors {
    return {layer_backward(grad_x, inputs[0], outputs[0], outputs[1], layer)};
  };
  const Tensors out = record_first_order({layer->name(), vjp, 1}, {u}, evaluate);
  return {out[0], out[1]};
}

at::Tensor layer_backward_autograd(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& x,
                                   const at::Tensor& state, const LayerObjectPtr& layer) {
  return derivative_only(layer->name(), {grad_x, u, x, state},
                         [&]() -> Tensors { return {layer_backward(grad_x, u, x, state, layer)}; })[0];
}

// The state has one row for each row of u, in a single batch dimension.
std::tuple<at::Tensor, at::Tensor> layer_forward_vmap(const at::Tensor& u, const LayerObjectPtr& layer, bool training) {
  const VmapRows rows({u});
  const auto [x, state] = layer_forward(rows.in_front(u), layer, training);
  if (rows.size() == 0) return {x, state};
  return {rows.batched(x), rows.batched(state.reshape({rows.size(), state.size(0) / rows.size(), state.size(1)}))};
}

at::Tensor layer_backward_vmap(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& x,
                               const at::Tensor& state, const LayerObjectPtr& layer) {
  const VmapRows rows({grad_x, u, x, state});
  const at::Tensor states = rows.size() == 0 ? state : rows.in_front(state).flatten(0, 1);
  return rows.batched(layer_backward(rows.in_front(grad_x), rows.in_front(u), rows.in_front(x), states, layer));
}

// --- Further ops of methods with an inverse. -------------------------------------------------------------------------------

void require_inverse(const LayerObjectPtr& layer, const char* quantity) {
  if (has_inverse(layer->method())) return;
  throw NotAvailable(std::string(quantity) + " is for " + methods_with(has_inverse) + ", not for " + layer->name());
}

at::Tensor layer_inverse_cpu(const at::Tensor& given, const LayerObjectPtr& layer) {
  require_inverse(layer, "inverse");
  check_floating(given, "x");
  check_width(given, layer->dim(), "x");
  const at::Tensor matrix = as_matrix(core_precision(given) ? given : given.to(at::kFloat));
  at::Tensor u = at::empty(output_shape(given, layer->input_dim()), matrix.options());
  const int64_t rows = matrix.size(0);
  with_precision(matrix, [&]<class T>(Precision<T>) {
    const Layer<T>& compiled = layer->compiled<T>();
    for_each_run(rows, 8 * matrix.size(1), [&](std::size_t first, std::size_t count) {
      compiled.inverse(const_rows<T>(matrix).slice(first, count), fresh_rows<T>(u, rows).slice(first, count));
    });
  });
  return u.to(given.scalar_type());
}

at::Tensor layer_log_abs_det_cpu(const at::Tensor& given, const LayerObjectPtr& layer) {
  require_inverse(layer, "log_abs_det");
  check_floating(given, "u");
  check_width(given, layer->input_dim(), "u");
  const at::Tensor matrix = as_matrix(core_precision(given) ? given : given.to(at::kFloat));
  at::Tensor out = at::empty(given.sizes().slice(0, given.dim() - 1), matrix.options());
  const int64_t rows = matrix.size(0);
  with_precision(matrix, [&]<class T>(Precision<T>) {
    const Layer<T>& compiled = layer->compiled<T>();
    for_each_run(rows, 8 * matrix.size(1), [&](std::size_t first, std::size_t count) {
      compiled.log_abs_det(const_rows<T>(matrix).slice(first, count), {out.data_ptr<T>() + first, count});
    });
  });
  return out.to(given.scalar_type());
}

at::Tensor layer_inverse_autograd(const at::Tensor& x, const LayerObjectPtr& layer) {
  return without_derivative(layer->name() + ": its inverse has no gradient", {x},
                            [&]() -> Tensors { return {layer_inverse(x, layer)}; })[0];
}

at::Tensor layer_log_abs_det_autograd(const at::Tensor& u, const LayerObjectPtr& layer) {
  return without_derivative(layer->name() + ": its log_abs_det has no gradient", {u},
                            [&]() -> Tensors { return {layer_log_abs_det(u, layer)}; })[0];
}

}  // namespace

at::Tensor layer_inverse(const at::Tensor& x, const LayerObjectPtr& layer) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const LayerObjectPtr&)>("softradial::layer_inverse");
  return op.call(x, layer);
}

at::Tensor layer_log_abs_det(const at::Tensor& u, const LayerObjectPtr& layer) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const LayerObjectPtr&)>("softradial::layer_log_abs_det");
  return op.call(u, layer);
}

at::Tensor project_layer(const at::Tensor& u, const LayerObjectPtr& layer, bool training) {
  // Methods that behave the same in training and evaluation keep their gradient in both modes.
  return std::get<0>(layer_forward(u, layer, training || !layer->differs_in_training()));
}

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("layer_forward", layer_forward_cpu);
  m.impl("layer_backward", layer_backward_cpu);
  m.impl("layer_inverse", layer_inverse_cpu);
  m.impl("layer_log_abs_det", layer_log_abs_det_cpu);
}
TORCH_LIBRARY_IMPL(softradial, AutogradCPU, m) {
  m.impl("layer_forward", layer_forward_autograd);
  m.impl("layer_backward", layer_backward_autograd);
  m.impl("layer_inverse", layer_inverse_autograd);
  m.impl("layer_log_abs_det", layer_log_abs_det_autograd);
}
TORCH_LIBRARY_IMPL(softradial, FuncTorchBatched, m) {
  m.impl("layer_forward", layer_forward_vmap);
  m.impl("layer_backward", layer_backward_vmap);
  m.impl("layer_inverse", Vmapped<layer_inverse>::call);
  m.impl("layer_log_abs_det", Vmapped<layer_log_abs_det>::call);
}
TORCH_LIBRARY_IMPL(softradial, AutocastCPU, m) {
  m.impl("layer_forward", Exact<layer_forward>::call);
  m.impl("layer_backward", Exact<layer_backward>::call);
  m.impl("layer_inverse", Exact<layer_inverse>::call);
  m.impl("layer_log_abs_det", Exact<layer_log_abs_det>::call);
}

}  // namespace softradial::ops
