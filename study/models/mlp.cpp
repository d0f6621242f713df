#include "models/mlp.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sum.h>

#include <cmath>
#include <string>

namespace softradial::study {
namespace {

std::vector<ParameterShape> shapes_of(const MlpOptions& o) {
  std::vector<ParameterShape> shapes;
  int64_t width = o.inputs;
  for (int64_t l = 0; l <= o.layers; ++l) {
    const int64_t next = l < o.layers ? o.hidden : o.outputs;
    shapes.push_back({"linear" + std::to_string(l) + ".weight", {next, width}});
    shapes.push_back({"linear" + std::to_string(l) + ".bias", {next}});
    width = next;
  }
  return shapes;
}

// On entry, slope holds the dropout factors. Computes a = relu(a) factor, slope = a > 0 ? factor : 0. A NaN stays a NaN.
template <class T>
void cut(T* a, T* slope, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    slope[i] = a[i] <= 0 ? T{0} : slope[i];
    a[i] *= slope[i];
  }
}

}  // namespace

Mlp::Mlp(const MlpOptions& options)
    : options_(options), parameters_(shapes_of(options), options.dtype), dropout_(options.dropout) {
  for (size_t l = 0; l < parameters_.shapes().size(); l += 2) {
    layers_.push_back({.weight = parameters_.value(l),
                       .bias = parameters_.value(l + 1),
                       .grad_weight = parameters_.gradient(l),
                       .grad_bias = parameters_.gradient(l + 1),
                       .activation = {},
                       .slope = {},
                       .grad = {}});
  }
}

void Mlp::initialize(const at::Generator& generator) {
  const at::NoGradGuard no_grad;
  for (Layer& layer : layers_) {
    const double bound = 1 / std::sqrt(static_cast<double>(layer.weight.size(1)));
    layer.weight.uniform_(-bound, bound, generator);
    layer.bias.uniform_(-bound, bound, generator);
  }
}

at::Tensor Mlp::forward(const at::Tensor& z) const {
  const at::NoGradGuard no_grad;
  at::Tensor a = z;
  for (size_t l = 0; l < layers_.size(); ++l) {
    a = at::addmm(layers_[l].bias, a, layers_[l].weight.t());
    if (l + 1 < layers_.size()) a.relu_();
  }
  return a;
}

at::Tensor Mlp::forward_training(const at::Tensor& z, at::Generator& generator, std::span<const int64_t> places) {
  const at::NoGradGuard no_grad;
  z_ = z;
  for (size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    if (!layer.activation.defined() || layer.activation.size(0) != z.size(0)) {
      const auto buffer = [&] { return at::empty({z.size(0), layer.weight.size(0)}, layer.weight.options()); };
      layer.activation = buffer();
      layer.slope = buffer();
      layer.grad = buffer();
    }
    at::addmm_out(layer.activation, layer.bias, l == 0 ? z_ : layers_[l - 1].activation, layer.weight.t());
    if (l + 1 == layers_.size()) break;
    dropout_.draw(generator, layer.slope, places);
    if (options_.dtype == at::kFloat) {
      cut(layer.activation.data_ptr<float>(), layer.slope.data_ptr<float>(), layer.slope.numel());
    } else {
      cut(layer.activation.data_ptr<double>(), layer.slope.data_ptr<double>(), layer.slope.numel());
    }
  }
  return layers_.back().activation;
}

void Mlp::backward(const at::Tensor& grad_u) {
  const at::NoGradGuard no_grad;
  at::Tensor grad = grad_u;
  for (size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    at::mm_out(layer.grad_weight, grad.t(), l == 0 ? z_ : layers_[l - 1].activation);
    at::sum_out(layer.grad_bias, grad, 0);
    if (l == 0) break;
    grad = at::mm_out(layers_[l - 1].grad, grad, layer.weight);
    grad.mul_(layers_[l - 1].slope);
  }
}

}  // namespace softradial::study
