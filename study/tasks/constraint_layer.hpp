#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace softradial::study {

// (batch, input_dim) -> (batch, output_dim), differentiable by autograd. Some layers do less in training than in
// evaluation: `training` tells.
using LayerFunction = std::function<at::Tensor(const at::Tensor& u, bool training)>;

struct ConstraintLayer {
  LayerFunction apply;
  int64_t input_dim = 0;
  int64_t output_dim = 0;
  // Added to the training loss where it is given: a scalar, differentiable in the layer's output.
  std::function<at::Tensor(const at::Tensor& x)> penalty = {};
};

// How far a batch of decisions (rows of x, as the layer returned them) is from the constraints; 0 where all hold.
using ViolationFunction = std::function<double(const at::Tensor& x)>;

}  // namespace softradial::study
