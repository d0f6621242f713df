#pragma once

#include <ATen/ATen.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <utility>

#include "set_builders.hpp"

// torch.autocast: a result in half precision has left the guard that keeps it inside its set, and a product in half
// precision has done so unseen. Ops are computed there as torch computes its softmax: in single precision at least.
namespace softradial::ops {

// Whether autocast is on for the tensor's device.
[[nodiscard]] inline bool autocasts(const at::Tensor& tensor) {
  const auto off = c10::impl::tls_local_dispatch_key_set().excluded_;
  return !(tensor.key_set() & (c10::autocast_dispatch_keyset - off)).empty();
}

// A half or bfloat16 tensor in single precision where autocast is on; everything else as it is.
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

// A kernel that runs kFunction outside of autocast, its reduced arguments widened.
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
