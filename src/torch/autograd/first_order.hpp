#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

// Ops that have first derivatives only, and say so when more is asked: what is not available is never left out in silence.
namespace softradial::ops {

using Tensors = std::vector<at::Tensor>;

// The derivative of x(inputs), (..., width). The outputs are x, then what the derivative needs again.
struct FirstOrder {
  std::string name;
  // Cotangents of all inputs.
  std::function<Tensors(const at::Tensor& grad_x, const Tensors& inputs, const Tensors& outputs)> vjp;
  // The inputs before this one have a row (..., width_k) for each row of x; the others are shared by all rows.
  std::size_t shared_from;
};

// What `evaluate` gives, x with its history and its forward-mode tangent
//   (J v)_i = sum_k (J_k' e_i) . v_k,   e_i the same in every row:
// as many cotangents as x is wide. Both functions call ops through the dispatcher, so that each transform of torch.func
// meets them again on its level. Throws Error for a tangent of an input that the rows share.
[[nodiscard]] Tensors record_first_order(const FirstOrder& op, const Tensors& inputs,
                                         const std::function<Tensors()>& evaluate);

// What the op of a derivative computes, for its autograd kernel: its result cannot be differentiated again. Backward
// passes throw when they reach it; Error at once where an input has a tangent.
[[nodiscard]] Tensors derivative_only(const std::string& name, const Tensors& inputs,
                                      const std::function<Tensors()>& compute);

// The same for an op that has no derivative at all.
[[nodiscard]] Tensors without_derivative(const std::string& message, const Tensors& inputs,
                                         const std::function<Tensors()>& compute);

}  // namespace softradial::ops
