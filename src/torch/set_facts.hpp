#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "softradial/set.hpp"

// Facts about a set that Python asks for besides the set's own methods.
namespace softradial::ops {

// An interior point that is known without a search: the user's own, or one in closed form.
[[nodiscard]] c10::optional<at::Tensor> known_anchor(const Set& set);

// Equal sets have equal hashes.
[[nodiscard]] int64_t hash_of(const Set& set);

}  // namespace softradial::ops
