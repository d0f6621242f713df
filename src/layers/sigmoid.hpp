#pragma once

#include <cmath>

namespace softradial::layers {

// 1 / (1 + exp(-s)), without overflow.
template <class T>
[[nodiscard]] T sigmoid(T s) noexcept {
  const T e = std::exp(-std::abs(s));
  return s >= 0 ? 1 / (1 + e) : e / (1 + e);
}

}  // namespace softradial::layers
