#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>

#include "cpu/tensor_rows.hpp"

namespace softradial::ops {

// Whether a (defined) input rules out the fused kernels: it has a forward-mode tangent or a reduced precision.
[[nodiscard]] inline bool needs_composite(c10::ArrayRef<at::Tensor> inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
    return input.defined() && (torch::autograd::isFwGradDefined(input) || !core_precision(input));
  });
}

// Whether the backward pass must itself be differentiable.
[[nodiscard]] inline bool differentiates(const at::Tensor& grad_x) {
  return at::GradMode::is_enabled() || torch::autograd::isFwGradDefined(grad_x);
}

}  // namespace softradial::ops
