#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "models/dropout.hpp"
#include "models/parameters.hpp"

namespace softradial::study {

struct MlpOptions {
  int64_t inputs = 1;
  int64_t hidden = 64;
  int64_t layers = 2;  // hidden layers
  int64_t outputs = 1;
  double dropout = 0.1;
  at::ScalarType dtype = at::kFloat;
  bool operator==(const MlpOptions&) const = default;
};

// z -> (linear, ReLU, dropout) for every hidden layer -> linear -> u. Forward and backward are written by hand, as in
// WindowModel.
class Mlp {
 public:
  explicit Mlp(const MlpOptions& options);
  // A copy would share the memory of the parameters.
  Mlp(const Mlp&) = delete;
  Mlp& operator=(const Mlp&) = delete;
  Mlp(Mlp&&) = default;
  Mlp& operator=(Mlp&&) = default;

  const MlpOptions& options() const { return options_; }
  const Parameters& parameters() const { return parameters_; }

  // Initialises uniformly in +-1/sqrt(number of inputs), as torch does for linear layers.
  void initialize(const at::Generator& generator);

  at::Tensor forward(const at::Tensor& z) const;  // (batch, inputs) -> (batch, outputs)
  // The forward pass with dropout. z must not change until backward. The result is the model's own memory, valid until the
  // next call. `places`: the positions of the rows in their batch, if z is not the whole batch.
  at::Tensor forward_training(const at::Tensor& z, at::Generator& generator, std::span<const int64_t> places = {});
  void backward(const at::Tensor& grad_u);

 private:
  struct Layer {
    at::Tensor weight, bias, grad_weight, grad_bias;
    // Buffers of shape (batch, width): the activation, its slope (0 where ReLU or dropout gave 0, else the dropout
    // factor) and its cotangent.
    at::Tensor activation, slope, grad;
  };

  MlpOptions options_;
  Parameters parameters_;
  Dropout dropout_;
  std::vector<Layer> layers_;
  at::Tensor z_;
};

}  // namespace softradial::study
