#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace softradial::ops {

// The op of this name, to be called through the dispatcher.
template <class Signature>
[[nodiscard]] c10::TypedOperatorHandle<Signature> find_op(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

}  // namespace softradial::ops
