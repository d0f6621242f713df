#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <tuple>

#include "cpu/tensor_rows.hpp"
#include "described/description.hpp"
#include "described/kernel.hpp"
#include "op_handle.hpp"
#include "softradial/errors.hpp"

// The op of the other constraint layers on a description. Its shapes come along as numbers: a compiler does not read bytes.
namespace softradial::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
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

// --- Derivatives. -----------------------------------------------------------------------------------------------------

TwoTensors described_layer(const at::Tensor& u, const at::Tensor& description, int64_t dim, int64_t state_dim,
                           bool training) {
  static const auto op = find_op<decltype(layer_cpu)>("softradial::described_layer");
  return op.call(u, description, dim, state_dim, training);
}

class LayerFunction final : public torch::autograd::Function<LayerFunction> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& u, const at::Tensor& description, int64_t dim,
                               int64_t state_dim) {
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [x, state] = described_layer(u, description, dim, state_dim, true);
    ctx->save_for_backward({u, x, state, description});
    ctx->mark_non_differentiable({state});
    return {x, state};
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    static const auto op = find_op<decltype(layer_backward_cpu)>("softradial::described_layer_backward");
    const variable_list saved = ctx->get_saved_variables();
    return {op.call(grads[0], saved[0], saved[1], saved[2], saved[3]), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

TwoTensors layer_autograd(const at::Tensor& u, const at::Tensor& description, int64_t dim, int64_t state_dim,
                          bool training) {
  if (torch::autograd::compute_requires_grad(u)) {
    if (!training) {
      throw Error(
          "layer: it ends with an exact projection when it is evaluated, which has no gradient here: use training "
          "mode");
    }
    variable_list out = LayerFunction::apply(u, description, dim, state_dim);
    return {out[0], out[1]};
  }
  const at::AutoDispatchBelowADInplaceOrView below;
  return described_layer(u, description, dim, state_dim, training);
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("described_layer", layer_cpu);
  m.impl("described_layer_backward", layer_backward_cpu);
}
TORCH_LIBRARY_IMPL(softradial, Meta, m) {
  m.impl("described_layer", layer_meta);
  m.impl("described_layer_backward", layer_backward_meta);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) { m.impl("described_layer", layer_autograd); }

}  // namespace softradial::ops
