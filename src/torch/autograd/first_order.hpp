#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

// Ops with first derivatives only. They throw when a higher derivative is asked for: none is ever dropped in silence.
namespace softradial::ops {

using Tensors = std::vector<at::Tensor>;

// The derivative of x(inputs), (..., width). `outputs` holds x first, then what the derivative reuses.
struct FirstOrder {
  std::string name;
  // Returns the cotangents of all inputs.
  std::function<Tensors(const at::Tensor& grad_x, const Tensors& inputs, const Tensors& outputs)> vjp;
  // Inputs before this index have a row (..., width_k) for each row of x; the others are shared by all rows.
  std::size_t shared_from;
};

// Runs `evaluate` and returns its outputs. x gets a history and its forward-mode tangent
//   (J v)_i = sum_k (J_k' e_i) . v_k,   e_i the same in every row:
// computed from as many cotangents as x is wide. Both functions call ops through the dispatcher, so that each transform of
// torch.func meets them again on its level. Throws Error for a tangent of an input that the rows share.
[[nodiscard]] Tensors record_first_order(const FirstOrder& op, const Tensors& inputs,
                                         const std::function<Tensors()>& evaluate);

// The autograd kernel of an op that computes a derivative: its result cannot be differentiated again. A backward pass throws
// when it reaches the result; an input with a tangent throws Error at once.
[[nodiscard]] Tensors derivative_only(const std::string& name, const Tensors& inputs,
                                      const std::function<Tensors()>& compute);

// The autograd kernel of an op that has no derivative at all.
[[nodiscard]] Tensors without_derivative(const std::string& message, const Tensors& inputs,
                                         const std::function<Tensors()>& compute);

}  // namespace softradial::ops
