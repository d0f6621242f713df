#include "tasks/decision_layer.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <stdexcept>
#include <string>

namespace softradial::study {

namespace {

void check_output(const DecisionLayer& layer, const at::Tensor& u, const at::Tensor& x) {
  if (x.scalar_type() != u.scalar_type()) {
    throw std::invalid_argument(std::string("the constraint layer turned ") + c10::toString(u.scalar_type()) +
                                " into " + c10::toString(x.scalar_type()));
  }
  if (x.dim() == 2 && x.size(0) == u.size(0) && x.size(1) == layer.output_dim) return;
  std::string shape;
  for (const int64_t size : x.sizes()) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  throw std::invalid_argument("the constraint layer returned a tensor of (" + shape + ") where (" +
                              std::to_string(u.size(0)) + ", " + std::to_string(layer.output_dim) + ") was expected");
}

at::Tensor applied(const DecisionLayer& layer, const at::Tensor& u, const at::Tensor& anchors, bool training) {
  return anchors.defined() ? layer.moving_anchor.value().apply(u, anchors, training) : layer.apply(u, training);
}

}  // namespace

LayerPass::LayerPass(const DecisionLayer& layer, const at::Tensor& u, const at::Tensor& anchors,
                     std::optional<Penalised> penalised)
    : u_(u.detach()) {
  const at::AutoGradMode grad(true);
  u_.requires_grad_();
  x_ = applied(layer, u_, anchors, true);
  check_output(layer, u_, x_);
  if (layer.penalty) {
    penalty_ = penalised ? layer.penalty(x_.narrow(0, 0, penalised->rows)).mul(penalised->part) : layer.penalty(x_);
    penalty_value_ = penalty_.item<double>();
  }
}

at::Tensor LayerPass::backward(const at::Tensor& grad_x) const {
  if (!x_.requires_grad()) return at::zeros_like(u_);
  torch::autograd::variable_list outputs{x_};
  torch::autograd::variable_list cotangents{grad_x};
  if (penalty_.defined() && penalty_.requires_grad()) {
    outputs.push_back(penalty_);
    cotangents.push_back(at::ones_like(penalty_));
  }
  const at::Tensor grad_u = torch::autograd::grad(outputs, {u_}, cotangents, c10::nullopt, false, true).front();
  return grad_u.defined() ? grad_u.contiguous() : at::zeros_like(u_);
}

at::Tensor apply_in_evaluation(const DecisionLayer& layer, const at::Tensor& u, const at::Tensor& anchors) {
  const at::NoGradGuard no_grad;
  at::Tensor x = applied(layer, u, anchors, false);
  check_output(layer, u, x);
  return x;
}

void check_layer(const DecisionLayer& layer, int64_t outputs) {
  if (!layer.apply) throw std::invalid_argument("the constraint layer has no function");
  if (layer.input_dim < 1) {
    throw std::invalid_argument("the constraint layer takes " + std::to_string(layer.input_dim) + " inputs");
  }
  if (layer.output_dim != outputs) {
    throw std::invalid_argument("the constraint layer gives " + std::to_string(layer.output_dim) +
                                " outputs where the data have " + std::to_string(outputs) + " columns");
  }
}

}  // namespace softradial::study
