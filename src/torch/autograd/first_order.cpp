#include "autograd/first_order.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "autograd/make_node.hpp"
#include "softradial/errors.hpp"

namespace softradial::ops {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

bool has_tangent(const at::Tensor& tensor) { return tensor.defined() && torch::autograd::isFwGradDefined(tensor); }

bool requires_gradient(const Tensors& inputs) {
  return at::GradMode::is_enabled() && std::any_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
           return input.defined() && input.requires_grad();
         });
}

class FirstOrderNode final : public torch::autograd::Node {
 public:
  FirstOrderNode(FirstOrder op, torch::autograd::edge_list&& edges) : Node(std::move(edges)), op_(std::move(op)) {}

  // Called after the edges and x's history are set, so that a hook which packs saved tensors sees a complete node.
  void keep(const Tensors& inputs, const Tensors& outputs) {
    for (const at::Tensor& input : inputs) inputs_.emplace_back(input, false);
    for (std::size_t k = 0; k < outputs.size(); ++k) outputs_.emplace_back(outputs[k], k == 0);
  }

  variable_list apply(variable_list&& grads) override {
    const std::lock_guard lock(mutex_);
    if (!grads[0].defined()) return variable_list(inputs_.size());
    Tensors inputs;
    Tensors outputs;
    for (const SavedVariable& input : inputs_) inputs.push_back(input.unpack());
    for (const SavedVariable& output : outputs_) outputs.push_back(output.unpack(pointer_to(*this)));
    return op_.vjp(grads[0], inputs, outputs);
  }

  void release_variables() override {
    const std::lock_guard lock(mutex_);
    for (SavedVariable& input : inputs_) input.reset_data();
    for (SavedVariable& output : outputs_) output.reset_data();
  }

  [[nodiscard]] std::string name() const override { return "SoftradialBackward(" + op_.name + ")"; }

 private:
  FirstOrder op_;
  std::vector<SavedVariable> inputs_;
  std::vector<SavedVariable> outputs_;
};

at::Tensor tangent_of(const FirstOrder& op, const Tensors& inputs, const Tensors& outputs) {
  Tensors primals;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const bool moves = has_tangent(inputs[k]);
    if (moves && k >= op.shared_from) {
      throw Error(op.name + " has no forward-mode derivative to data that all rows share: use backward mode");
    }
    primals.push_back(moves ? inputs[k]._fw_primal(0) : inputs[k]);
  }
  const at::Tensor& x = outputs[0];
  const int64_t width = x.size(-1);
  const at::Tensor unit = at::eye(width, x.options());
  Tensors columns;
  for (int64_t i = 0; i < width; ++i) {
    const Tensors cotangents = op.vjp(unit.select(0, i).expand_as(x), primals, outputs);
    at::Tensor column = at::zeros(x.sizes().slice(0, x.dim() - 1), x.options());
    for (std::size_t k = 0; k < op.shared_from; ++k) {
      if (has_tangent(inputs[k])) column = column + (cotangents[k] * inputs[k]._fw_grad(0)).sum(-1);
    }
    columns.push_back(column);
  }
  return at::stack(columns, -1);
}

}  // namespace

Tensors record_first_order(const FirstOrder& op, const Tensors& inputs, const std::function<Tensors()>& evaluate) {
  NodePtr<FirstOrderNode> node;
  if (requires_gradient(inputs)) {
    node = make_node<FirstOrderNode>(op, torch::autograd::collect_next_edges(at::TensorList(inputs)));
  }
  Tensors outputs;
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    outputs = evaluate();
  }
  if (node) {
    torch::autograd::set_history(outputs[0], node);
    node->keep(inputs, outputs);
  }
  if (std::any_of(inputs.begin(), inputs.end(), has_tangent)) {
    outputs[0]._set_fw_grad(tangent_of(op, inputs, outputs), 0, false);
  }
  return outputs;
}

Tensors derivative_only(const std::string& name, const Tensors& inputs, const std::function<Tensors()>& compute) {
  return without_derivative(name + " has first derivatives only: its gradient cannot be differentiated again", inputs,
                            compute);
}

Tensors without_derivative(const std::string& message, const Tensors& inputs, const std::function<Tensors()>& compute) {
  if (std::any_of(inputs.begin(), inputs.end(), has_tangent)) throw Error(message);
  Tensors out;
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    out = compute();
  }
  if (requires_gradient(inputs)) {
    const auto node =
        make_node<torch::autograd::Error>(message, torch::autograd::collect_next_edges(at::TensorList(inputs)));
    for (at::Tensor& result : out) {
      if (result.defined()) torch::autograd::set_history(result, node);
    }
  }
  return out;
}

}  // namespace softradial::ops
