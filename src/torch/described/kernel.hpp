#pragma once

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/SymInt.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

// Helpers that the ops on descriptions share.
namespace softradial::ops {

// The name of the op in error messages: only the description knows the layer's own name.
inline constexpr const char* kCompiled = "a compiled layer";

using SymShape = c10::SmallVector<c10::SymInt, 5>;

// The sizes of u without the last one, and their product: numbers, or symbols while a program is being compiled.
[[nodiscard]] inline SymShape sym_batch(const at::Tensor& u) {
  return SymShape(u.sym_sizes().begin(), u.sym_sizes().end() - 1);
}
[[nodiscard]] inline c10::SymInt sym_rows(const at::Tensor& u) {
  c10::SymInt rows = 1;
  for (const c10::SymInt& size : sym_batch(u)) rows = rows * size;
  return rows;
}

// A result with shape and type but no numbers, as the Meta kernels return it.
[[nodiscard]] inline at::Tensor blank(const SymShape& shape, const at::TensorOptions& options) {
  return at::empty_symint(shape, options);
}
[[nodiscard]] inline at::Tensor blank_like(const at::Tensor& tensor) {
  return at::empty_symint(tensor.sym_sizes(), tensor.options());
}

// A blank result with one number for each row: (..., 1).
[[nodiscard]] inline at::Tensor blank_column(const at::Tensor& u) {
  SymShape shape = sym_batch(u);
  shape.emplace_back(1);
  return blank(shape, u.options());
}

// Switches autograd on again inside a kernel that differentiates: kernels run below autograd.
class AutogradInside {
 public:
  AutogradInside() : keys_(with_autograd()) {}

 private:
  static c10::impl::LocalDispatchKeySet with_autograd() {
    c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
    keys.excluded_ = keys.excluded_ - c10::autograd_dispatch_keyset_with_ADInplaceOrView;
    return keys;
  }

  c10::impl::ForceDispatchKeyGuard keys_;
  at::AutoGradMode enable_{true};
};

// Copies the value into a tensor of its own: an op's result must be contiguous and share no memory with its arguments.
[[nodiscard]] inline at::Tensor result_of(const at::Tensor& value) {
  return value.detach().clone(at::MemoryFormat::Contiguous);
}

// J' grad of value = function(inputs), for all inputs; zeros for an input that the value does not depend on.
template <class Function>
[[nodiscard]] std::vector<at::Tensor> vjp(const at::Tensor& grad, std::vector<at::Tensor> inputs,
                                          const Function& function) {
  const AutogradInside autograd;
  for (at::Tensor& input : inputs) input = input.detach().requires_grad_();
  const at::Tensor value = function(inputs);
  std::vector<at::Tensor> out = torch::autograd::grad({value}, inputs, {grad}, false, false, true);
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = out[k].defined() ? result_of(out[k]) : at::zeros(inputs[k].sizes(), inputs[k].options());
  }
  return out;
}

}  // namespace softradial::ops
