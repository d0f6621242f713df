#pragma once

#include <cmath>
#include <limits>

namespace softradial::layers {

// A number of T strictly inside a bound that is given in double: the guard of a bound that results are clipped to. At
// least `distance` inside, up to rounding.
template <class T>
[[nodiscard]] T strictly_above(double bound, double distance = 0) {
  T inside = static_cast<T>(bound + distance);
  while (!(static_cast<double>(inside) > bound)) inside = std::nextafter(inside, std::numeric_limits<T>::infinity());
  return inside;
}

template <class T>
[[nodiscard]] T strictly_below(double bound, double distance = 0) {
  T inside = static_cast<T>(bound - distance);
  while (!(static_cast<double>(inside) < bound)) inside = std::nextafter(inside, -std::numeric_limits<T>::infinity());
  return inside;
}

}  // namespace softradial::layers
