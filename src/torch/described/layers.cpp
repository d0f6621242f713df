#include <ATen/ATen.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <tuple>

#include "autocast.hpp"
#include "autograd/first_order.hpp"
#include "cpu/tensor_rows.hpp"
#include "described/description.hpp"
#include "described/kernel.hpp"
#include "described/row_op.hpp"
#include "op_handle.hpp"
#include "penalty.hpp"
#include "softradial/errors.hpp"

// The ops of the other constraint layers on a description. Their shapes are arguments: a compiler does not read the bytes.
namespace softradial::ops::described {
namespace {

using TwoTensors = std::tuple<at::Tensor, at::Tensor>;

// --- On the CPU. ------------------------------------------------------------------------------------------------------

TwoTensors layer_cpu(const at::Tensor& u, const at::Tensor& description, int64_t dim, int64_t state_dim,
                     bool training) {
  static const auto op =
      find_op<TwoTensors(const at::Tensor&, const LayerObjectPtr&, bool)>("softradial::layer_forward");
  const LayerObjectPtr layer = layer_of(description);
  if (dim != layer->dim() || state_dim != layer->state_dim()) {
    throw ShapeError("layer: the description has another dim or state_dim than given");
  }
  return op.call(u, layer, training);
}

at::Tensor layer_backward_cpu(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& x,
                              const at::Tensor& state, const at::Tensor& description) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                            const LayerObjectPtr&)>("softradial::layer_backward");
  return op.call(grad_x, u, x, state, layer_of(description));
}

// The penalty of each row for the layer's set, (..., 1).
at::Tensor penalty_cpu(const at::Tensor& x, const at::Tensor& description) {
  return penalty(x, layer_of(description)->set()).unsqueeze(-1);
}

at::Tensor penalty_backward_cpu(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& description) {
  const SetPtr set = layer_of(description)->set();
  return vjp(grad, {x}, [&](const auto& at) { return penalty(at[0], set).unsqueeze(-1); }).front();
}

// --- Shapes. ----------------------------------------------------------------------------------------------------------

TwoTensors layer_meta(const at::Tensor& u, const at::Tensor&, int64_t dim, int64_t state_dim, bool) {
  SymShape shape = sym_batch(u);
  shape.push_back(dim);
  const at::ScalarType working = core_precision(u) ? u.scalar_type() : at::kFloat;
  return {blank(shape, u.options()), blank({sym_rows(u), state_dim}, u.options().dtype(working))};
}

at::Tensor layer_backward_meta(const at::Tensor&, const at::Tensor& u, const at::Tensor&, const at::Tensor&,
                               const at::Tensor&) {
  return blank_like(u);
}

at::Tensor penalty_meta(const at::Tensor& x, const at::Tensor&) { return blank_column(x); }
at::Tensor penalty_backward_meta(const at::Tensor&, const at::Tensor& x, const at::Tensor&) { return blank_like(x); }

// --- Derivatives. -----------------------------------------------------------------------------------------------------

TwoTensors described_layer(const at::Tensor& u, const at::Tensor& description, int64_t dim, int64_t state_dim,
                           bool training) {
  static const auto op = find_op<decltype(layer_cpu)>("softradial::described_layer");
  return op.call(u, description, dim, state_dim, training);
}
at::Tensor described_layer_backward(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& x,
                                    const at::Tensor& state, const at::Tensor& description) {
  static const auto op = find_op<decltype(layer_backward_cpu)>("softradial::described_layer_backward");
  return op.call(grad_x, u, x, state, description);
}

TwoTensors layer_autograd(const at::Tensor& u, const at::Tensor& description, int64_t dim, int64_t state_dim,
                          bool training) {
  if (!training && (torch::autograd::compute_requires_grad(u) || torch::autograd::isFwGradDefined(u))) {
    throw Error(
        "this layer ends with an exact projection when it is evaluated, which has no gradient here: use training mode");
  }
  const auto evaluate = [&]() -> Tensors {
    auto [x, state] = described_layer(u, description, dim, state_dim, training);
    return {x, state};
  };
  const auto vjp = [](const at::Tensor& grad_x, const Tensors& inputs, const Tensors& outputs) -> Tensors {
    return {described_layer_backward(grad_x, inputs[0], outputs[0], outputs[1], inputs[1]), at::Tensor()};
  };
  const Tensors out = record_first_order({kCompiled, vjp, 1}, {u, description}, evaluate);
  return {out[0], out[1]};
}

at::Tensor layer_backward_autograd(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& x,
                                   const at::Tensor& state, const at::Tensor& description) {
  return derivative_only(kCompiled, {grad_x, u, x, state},
                         [&]() -> Tensors { return {described_layer_backward(grad_x, u, x, state, description)}; })[0];
}

struct PenaltyNames {
  static constexpr const char* kForward = "softradial::described_penalty";
  static constexpr const char* kBackward = "softradial::described_penalty_backward";
};
using Penalty = RowOp<PenaltyNames>;

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("described_penalty", penalty_cpu);
  m.impl("described_penalty_backward", penalty_backward_cpu);
  m.impl("described_layer", layer_cpu);
  m.impl("described_layer_backward", layer_backward_cpu);
}
TORCH_LIBRARY_IMPL(softradial, Meta, m) {
  m.impl("described_penalty", penalty_meta);
  m.impl("described_penalty_backward", penalty_backward_meta);
  m.impl("described_layer", layer_meta);
  m.impl("described_layer_backward", layer_backward_meta);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) {
  m.impl("described_penalty", Penalty::forward_autograd);
  m.impl("described_penalty_backward", Penalty::backward_autograd);
  m.impl("described_layer", layer_autograd);
  m.impl("described_layer_backward", layer_backward_autograd);
}
TORCH_LIBRARY_IMPL(softradial, AutocastCPU, m) {
  m.impl("described_layer", Exact<described_layer>::call);
  m.impl("described_penalty", Exact<Penalty::forward>::call);
}

}  // namespace softradial::ops::described
