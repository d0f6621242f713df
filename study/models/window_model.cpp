#include "models/window_model.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>

#include <cmath>

namespace softradial::study {
namespace {

std::vector<ParameterShape> shapes_of(const WindowModelOptions& o) {
  return {{"lstm.weight_ih", {4 * o.hidden, o.features}},
          {"lstm.weight_hh", {4 * o.hidden, o.hidden}},
          {"lstm.bias_ih", {4 * o.hidden}},
          {"lstm.bias_hh", {4 * o.hidden}},
          {"linear.weight", {o.outputs, o.hidden}},
          {"linear.bias", {o.outputs}}};
}

}  // namespace

WindowModel::WindowModel(const WindowModelOptions& options)
    : options_(options),
      parameters_(shapes_of(options), options.dtype),
      dropout_(options.dropout),
      weights_(weights_of(false)),
      gradients_(weights_of(true)),
      out_weight_(parameters_.value(4)),
      out_bias_(parameters_.value(5)),
      grad_out_weight_(parameters_.gradient(4)),
      grad_out_bias_(parameters_.gradient(5)) {}

LstmWeights WindowModel::weights_of(bool gradients) const {
  const auto part = [&](size_t i) { return gradients ? parameters_.gradient(i) : parameters_.value(i); };
  return {part(0), part(1), part(2), part(3)};
}

void WindowModel::initialize(at::Generator generator) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const double bound = 1 / std::sqrt(static_cast<double>(options_.hidden));
  at::Tensor values = parameters_.values();
  values.uniform_(-bound, bound, std::move(generator));
}

at::Tensor WindowModel::forward(const at::Tensor& days) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const at::Tensor last = lstm_forward(days, weights_, {options_.lookback, 1}, false, inference_tape_);
  return at::addmm(out_bias_, last, out_weight_.t());
}

at::Tensor WindowModel::forward_training(const at::Tensor& days, at::Generator& generator,
                                         std::span<const int64_t> places) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const at::Tensor last = lstm_forward(days, weights_, {options_.lookback, 1}, true, tape_);
  if (!hidden_.defined() || hidden_.size(0) != last.size(0)) {
    hidden_ = at::empty(last.sizes(), last.options());
    factors_ = at::empty(last.sizes(), last.options());
    grad_hidden_ = at::empty(last.sizes(), last.options());
    u_ = at::empty({last.size(0), options_.outputs}, last.options());
  }
  dropout_.draw(generator, factors_, places);
  at::mul_out(hidden_, last, factors_);
  return at::addmm_out(u_, out_bias_, hidden_, out_weight_.t());
}

void WindowModel::backward(const at::Tensor& grad_u) {
  const at::AutoDispatchBelowADInplaceOrView below;
  at::mm_out(grad_out_weight_, grad_u.t(), hidden_);
  at::sum_out(grad_out_bias_, grad_u, 0);
  at::mm_out(grad_hidden_, grad_u, out_weight_);
  grad_hidden_.mul_(factors_);
  lstm_backward(grad_hidden_, weights_, gradients_, false, tape_);
}

}  // namespace softradial::study
