#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "softradial/set.hpp"

// What Python asks of a set besides its own methods.
namespace softradial::ops {

// An interior point, where it is known without a search: the user's own, or the set's closed form.
[[nodiscard]] c10::optional<at::Tensor> known_anchor(const Set& set);

// Equal sets have equal hashes.
[[nodiscard]] int64_t hash_of(const Set& set);

}  // namespace softradial::ops
