#pragma once

#include <ATen/ATen.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <utility>

#include "set_builders.hpp"

// Support for torch.autocast. A result rounded to half precision may leave its set, since the guard does not cover that
// rounding; a product in half precision does so unnoticed. So the ops run as torch runs softmax: in single precision at least.
namespace softradial::ops {

// Whether autocast is on for the tensor's device.
[[nodiscard]] inline bool autocasts(const at::Tensor& tensor) {
  const auto off = c10::impl::tls_local_dispatch_key_set().excluded_;
  return !(tensor.key_set() & (c10::autocast_dispatch_keyset - off)).empty();
}

// Widens a half or bfloat16 tensor to single precision where autocast is on; returns everything else unchanged.
template <class Argument>
[[nodiscard]] Argument&& widened(Argument&& argument) {
  return std::forward<Argument>(argument);
}
[[nodiscard]] inline at::Tensor widened(const at::Tensor& tensor) {
  const bool narrow = tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
  return narrow && autocasts(tensor) ? tensor.to(at::kFloat) : tensor;
}
[[nodiscard]] inline MaybeTensor widened(const MaybeTensor& tensor) {
  return tensor ? MaybeTensor(widened(*tensor)) : tensor;
}

class WithoutAutocast {
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

// A kernel that widens its reduced-precision arguments and runs kFunction with autocast off.
template <auto kFunction>
struct Exact;
template <class Result, class... Arguments, Result (*kFunction)(Arguments...)>
struct Exact<kFunction> {
  static Result call(Arguments... arguments) { return run(widened(arguments)...); }

 private:
  static Result run(Arguments... arguments) {
    const WithoutAutocast guard;
    return kFunction(std::forward<Arguments>(arguments)...);
  }
};

}  // namespace softradial::ops
