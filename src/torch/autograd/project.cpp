#include "project.hpp"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/library.h>

#include "autograd/differentiable.hpp"
#include "autograd/make_node.hpp"
#include "composite/radial_map.hpp"
#include "cpu/tensor_rows.hpp"

// Gradients on the CPU. First derivatives run through the fused backward op. Everything else (second derivatives, forward
// mode, tracing) goes to the composite, whose ATen ops support it.
namespace softradial::ops {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// Our own node, not torch::autograd::Function: on a small batch, the context of a Function costs more than the kernels.
class ProjectBackward final : public torch::autograd::Node {
 public:
  ProjectBackward(torch::autograd::edge_list&& edges, MapPtr map) : Node(std::move(edges)), map_(std::move(map)) {}

  void keep(const at::Tensor& u, at::Tensor state) {
    u_ = SavedVariable(u, false);
    state_ = std::move(state);
  }

  variable_list apply(variable_list&& grads) override {
    const std::lock_guard lock(mutex_);
    if (!grads[0].defined()) return {at::Tensor()};
    // Unpacked before autograd is switched off: with a checkpoint, unpack() runs the forward pass again.
    const at::Tensor u = u_.unpack();
    if (differentiates(grads[0])) return {project_backward(grads[0], u, state_, map_)};
    const at::AutoDispatchBelowADInplaceOrView below;
    return {project_backward(grads[0], u, state_, map_)};
  }

  void release_variables() override {
    const std::lock_guard lock(mutex_);
    u_.reset_data();
    state_.reset();
  }

  [[nodiscard]] std::string name() const override { return "SoftradialProjectBackward"; }

 private:
  SavedVariable u_;
  at::Tensor state_;
  MapPtr map_;
};

// Combines the core's value with the composite's tangents. Single precision computes the tangents in double: on sets of size
// 1e20 the tangent of the gauge, 1e-40 for a tangent of 1, has no digits left in float.
at::Tensor project_with_tangents(const at::Tensor& u, const MapPtr& map) {
  if (u.scalar_type() != at::kFloat) return composite::project(u, map);
  at::Tensor x;
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    x = project(u, map);
  }
  const at::Tensor wide = composite::project(u.to(at::kDouble), map);
  return x.detach() + (wide - wide.detach()).to(at::kFloat);
}

at::Tensor project_autograd(const at::Tensor& u, const MapPtr& map) {
  if (!core_precision(u)) return composite::project(u, map);
  if (torch::autograd::isFwGradDefined(u)) return project_with_tangents(u, map);
  if (!torch::autograd::compute_requires_grad(u)) {
    const at::AutoDispatchBelowADInplaceOrView below;
    return project(u, map);
  }
  const auto node = make_node<ProjectBackward>(torch::autograd::collect_next_edges(u), map);
  at::Tensor x;
  at::Tensor state;
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    std::tie(x, state) = project_with_state(u, map);
  }
  node->keep(u, std::move(state));
  torch::autograd::set_history(x, node);
  return x;
}

// The state is not differentiable: it only saves work for the backward pass.
std::tuple<at::Tensor, at::Tensor> project_with_state_autograd(const at::Tensor& u, const MapPtr& map) {
  if (torch::autograd::compute_requires_grad(u) || torch::autograd::isFwGradDefined(u)) {
    return {project_autograd(u, map), at::empty({0}, u.options())};
  }
  const at::AutoDispatchBelowADInplaceOrView below;
  return project_with_state(u, map);
}

at::Tensor project_backward_autograd(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& state,
                                     const MapPtr& map) {
  if (torch::autograd::compute_requires_grad(grad_x, u) || torch::autograd::isFwGradDefined(grad_x) ||
      torch::autograd::isFwGradDefined(u)) {
    return composite::project_backward(grad_x, u, map);
  }
  const at::AutoDispatchBelowADInplaceOrView below;
  return project_backward(grad_x, u, state, map);
}

at::Tensor inverse_autograd(const at::Tensor& x, const MapPtr& map) {
  if (torch::autograd::compute_requires_grad(x) || torch::autograd::isFwGradDefined(x)) {
    return composite::inverse(x, map);
  }
  const at::AutoDispatchBelowADInplaceOrView below;
  return inverse(x, map);
}

at::Tensor log_abs_det_autograd(const at::Tensor& u, const MapPtr& map) {
  if (torch::autograd::compute_requires_grad(u) || torch::autograd::isFwGradDefined(u)) {
    return composite::log_abs_det(u, map);
  }
  const at::AutoDispatchBelowADInplaceOrView below;
  return log_abs_det(u, map);
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, AutogradCPU, m) {
  m.impl("project", project_autograd);
  m.impl("project_with_state", project_with_state_autograd);
  m.impl("project_backward", project_backward_autograd);
  m.impl("inverse", inverse_autograd);
  m.impl("log_abs_det", log_abs_det_autograd);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) { m.impl("find_inverse", torch::CppFunction::makeFallthrough()); }

}  // namespace softradial::ops
