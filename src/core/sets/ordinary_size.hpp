#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "numbers.hpp"
#include "softradial/tensor.hpp"

// Gauges are asked about directions of ordinary size, so that no square inside them overflows or vanishes. What a linear map
// makes of such a direction may be of any size: it is divided by a power of two first, which is exact and which a gauge gives back.
namespace softradial {

// Divides a finite row by 2^k, so that its largest entry lies in [1, 2), and returns k. The largest entry of a row below the normal
// numbers becomes an ulp at least; a row of zeros stays as it is.
template <class T>
[[nodiscard]] int bring_to_ordinary_size(std::span<T> row) noexcept {
  T top = 0;
  for (const T v : row) top = std::max(top, std::abs(v));
  if (top == 0) return 0;
  const int exponent = std::max(std::ilogb(top), std::numeric_limits<T>::min_exponent);
  if (exponent == 0) return 0;
  const T unit = std::ldexp(T{1}, -exponent);
  for (T& v : row) v *= unit;
  return exponent;
}

// The gauge of rows that may be of any size.
[[nodiscard]] inline TensorGauge of_any_size(TensorGauge gauge) {
  return [gauge = std::move(gauge)](const Tensor& rows) {
    const Tensor top = frozen(largest(abs(rows)));
    const Tensor unit = where_else(top > 0, top, 1);
    return unit * gauge(rows / unit);
  };
}

}  // namespace softradial
