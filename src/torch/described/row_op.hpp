#pragma once

#include <ATen/core/Tensor.h>

#include "autograd/first_order.hpp"
#include "described/kernel.hpp"
#include "op_handle.hpp"

namespace softradial::ops {

// An op (input, description) -> output whose backward pass is the op (grad, input, description) -> grad of the input.
template <class Names>
struct RowOp {
  static at::Tensor forward(const at::Tensor& input, const at::Tensor& description) {
    static const auto op = find_op<at::Tensor(const at::Tensor&, const at::Tensor&)>(Names::kForward);
    return op.call(input, description);
  }
  static at::Tensor backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& description) {
    static const auto op =
        find_op<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&)>(Names::kBackward);
    return op.call(grad, input, description);
  }

  static at::Tensor forward_autograd(const at::Tensor& input, const at::Tensor& description) {
    const auto vjp = [](const at::Tensor& grad, const Tensors& inputs, const Tensors&) -> Tensors {
      return {backward(grad, inputs[0], inputs[1]), at::Tensor()};
    };
    return record_first_order({kCompiled, vjp, 1}, {input, description},
                              [&]() -> Tensors { return {forward(input, description)}; })[0];
  }
  static at::Tensor backward_autograd(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& description) {
    return derivative_only(kCompiled, {grad, input, description},
                           [&]() -> Tensors { return {backward(grad, input, description)}; })[0];
  }
};

}  // namespace softradial::ops
