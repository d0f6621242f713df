#pragma once

#include "softradial/rows.hpp"

namespace softradial {

// Whether optional data of a batch were passed, or a cotangent is wanted.
template <class T>
[[nodiscard]] bool given(Rows<T> rows) noexcept {
  return rows.data() != nullptr;
}

}  // namespace softradial
