#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <array>
#include <mutex>
#include <string>

#include "autograd/make_node.hpp"
#include "bounds.hpp"
#include "map_object.hpp"

// The autograd node of projections onto sets that change from row to row. It replaces torch::autograd::Function, which costs
// more than the kernels on a small batch.
namespace softradial::ops {

// Inputs: u first, then the set's data, including undefined ones. Gradient is called as
//   std::array<at::Tensor, kInputs>(grad_x, inputs, status, state, wanted, map)
template <std::size_t kInputs, class Gradient>
class SampleNode final : public torch::autograd::Node {
 public:
  using Inputs = std::array<at::Tensor, kInputs>;
  using Wanted = std::array<bool, kInputs>;

  SampleNode(torch::autograd::edge_list&& edges, MapPtr map) : Node(std::move(edges)), map_(std::move(map)) {}

  void keep(const Inputs& inputs, const SampleResult& result) {
    for (std::size_t k = 0; k < kInputs; ++k) inputs_[k] = torch::autograd::SavedVariable(inputs[k], false);
    status_ = result.status;
    state_ = result.state;
  }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    const std::lock_guard lock(mutex_);
    if (!grads[0].defined()) return torch::autograd::variable_list(kInputs);
    Inputs inputs;
    Wanted wanted;
    for (std::size_t k = 0; k < kInputs; ++k) {
      inputs[k] = inputs_[k].unpack();
      wanted[k] = task_should_compute_output(k);
    }
    const Inputs out = Gradient()(grads[0], inputs, status_, state_, wanted, map_);
    return {out.begin(), out.end()};
  }

  void release_variables() override {
    const std::lock_guard lock(mutex_);
    for (auto& input : inputs_) input.reset_data();
    status_.reset();
    state_.reset();
  }

  [[nodiscard]] std::string name() const override { return Gradient::kName; }

 private:
  std::array<torch::autograd::SavedVariable, kInputs> inputs_;
  at::Tensor status_;
  at::Tensor state_;
  MapPtr map_;
};

// Calls project() below autograd and adds a node where an input requires a gradient. Status and state have no history: the
// backward pass does not differentiate them.
template <class Gradient, std::size_t kInputs, class Project>
SampleResult record_samples(const std::array<at::Tensor, kInputs>& inputs, const MapPtr& map, const Project& project) {
  using Node = SampleNode<kInputs, Gradient>;
  NodePtr<Node> node;
  if (std::apply([](const auto&... input) { return torch::autograd::compute_requires_grad(input...); }, inputs)) {
    node = make_node<Node>(
        std::apply([](const auto&... input) { return torch::autograd::collect_next_edges(input...); }, inputs), map);
  }
  SampleResult result;
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    result = project();
  }
  if (node) {
    node->keep(inputs, result);
    torch::autograd::set_history(result.x, node);
  }
  return result;
}

}  // namespace softradial::ops
