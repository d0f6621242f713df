#pragma once

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace softradial::ops {

// While this guard lives, tensors are made as outside of every transform (torch.func), mode (inference, autocast, fake
// tensors) and trace. Constants that are kept between calls must not belong to the call that happened to make them.
class PlainTensors {
  c10::InferenceMode outside_inference_{false};
  at::NoGradGuard no_grad_;
  c10::impl::ForceDispatchKeyGuard default_keys_{c10::impl::LocalDispatchKeySet(c10::impl::PODLocalDispatchKeySet{})};
};

// Whether a transform of torch.func is running. Tensors may then be wrappers that do not outlive it.
[[nodiscard]] inline bool in_transform() {
  return c10::impl::tls_local_dispatch_key_set().included_.has(c10::DispatchKey::FuncTorchDynamicLayerFrontMode);
}

}  // namespace softradial::ops
