#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/library.h>

#include "autograd/make_node.hpp"
#include "cpu/precision.hpp"
#include "cpu/tensor_rows.hpp"
#include "layer_object.hpp"
#include "op_handle.hpp"
#include "softradial/errors.hpp"

// The other constraint layers as ops: kernels on the CPU, first derivatives.
namespace softradial::ops {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

void check_width(const at::Tensor& u, const LayerObject& layer) {
  if (u.dim() < 1 || u.size(-1) != layer.input_dim()) {
    throw ShapeError("u: expected (..., " + std::to_string(layer.input_dim()) + ")");
  }
}

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
  check_width(given, *layer);
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
  at::Tensor grad_u = at::empty(u.sizes(), u_matrix.options());
  const int64_t rows = u_matrix.size(0);
  with_precision(u_matrix, [&]<class T>(Precision<T>) {
    const Layer<T>& compiled = layer->compiled<T>();
    for_each_run(rows, 8 * u_matrix.size(1), [&](std::size_t first, std::size_t count) {
      compiled.project_vjp(const_rows<T>(u_matrix).slice(first, count), const_rows<T>(x_matrix).slice(first, count),
                           state_rows<T>(state).slice(first, count), const_rows<T>(g_matrix).slice(first, count),
                           fresh_rows<T>(grad_u, rows).slice(first, count));
    });
  });
  return grad_u.to(u.scalar_type());
}

using ForwardSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const LayerObjectPtr&, bool);
using BackwardSignature = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                     const LayerObjectPtr&);

class LayerBackward final : public torch::autograd::Node {
 public:
  LayerBackward(const at::Tensor& u, LayerObjectPtr layer) : u_(u, false), layer_(std::move(layer)) {}

  void keep(const at::Tensor& x, at::Tensor state) {
    x_ = x.detach();
    state_ = std::move(state);
  }

  variable_list apply(variable_list&& grads) override {
    const std::lock_guard lock(mutex_);
    if (!grads[0].defined()) return {at::Tensor()};
    if (at::GradMode::is_enabled()) {
      throw Error(std::string(method_name(layer_->method())) +
                  " has first derivatives only: create_graph is not possible");
    }
    static const auto op = find_op<BackwardSignature>("softradial::layer_backward");
    const at::AutoDispatchBelowADInplaceOrView below;
    return {op.call(grads[0], u_.unpack(), x_, state_, layer_)};
  }

  void release_variables() override {
    const std::lock_guard lock(mutex_);
    u_.reset_data();
    x_.reset();
    state_.reset();
  }

  [[nodiscard]] std::string name() const override { return "SoftradialLayerBackward"; }

 private:
  SavedVariable u_;
  at::Tensor x_;
  at::Tensor state_;
  LayerObjectPtr layer_;
};

std::tuple<at::Tensor, at::Tensor> layer_forward_autograd(const at::Tensor& u, const LayerObjectPtr& layer,
                                                          bool training) {
  static const auto op = find_op<ForwardSignature>("softradial::layer_forward");
  const bool records = torch::autograd::compute_requires_grad(u);
  if (records && !training) {
    throw Error(std::string(method_name(layer->method())) +
                " ends with an exact projection when it is evaluated, which has no gradient here: use training mode");
  }
  NodePtr<LayerBackward> node;
  if (records) {
    node = make_node<LayerBackward>(u, layer);
    node->set_next_edges(torch::autograd::collect_next_edges(u));
  }
  std::tuple<at::Tensor, at::Tensor> out;
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    out = op.call(u, layer, training);
  }
  if (node) {
    node->keep(std::get<0>(out), std::get<1>(out));
    torch::autograd::set_history(std::get<0>(out), node);
  }
  return out;
}

}  // namespace

at::Tensor project_layer(const at::Tensor& u, const LayerObjectPtr& layer, bool training) {
  static const auto op = find_op<ForwardSignature>("softradial::layer_forward");
  // Only DC3 and HardNet are evaluated otherwise than trained; the others keep their gradient in both modes.
  const bool differs = std::holds_alternative<Dc3>(layer->method()) || std::holds_alternative<HardNet>(layer->method());
  return std::get<0>(op.call(u, layer, training || !differs));
}

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("layer_forward", layer_forward_cpu);
  m.impl("layer_backward", layer_backward_cpu);
}
TORCH_LIBRARY_IMPL(softradial, AutogradCPU, m) { m.impl("layer_forward", layer_forward_autograd); }

}  // namespace softradial::ops
