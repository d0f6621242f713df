#pragma once

#include <cmath>
#include <cstddef>

#include "softradial/layer.hpp"
#include "softradial/sets/coordinates.hpp"

// Functions that the soft orthogonal maps of coordinate sets and of other sets share.
namespace softradial::layers {

// log|det J| on a polyhedral set: (m + 1) log phi - log kappa if p lies on a face of D with m dimensions fewer than the
// hull; 0 inside D.
[[nodiscard]] inline double soft_log_det(double kappa, long double gamma, std::size_t lost) noexcept {
  const auto log_sum = static_cast<double>(std::log(1 / kappa + gamma));
  return lost == 0 ? 0 : -(static_cast<double>(lost) + 1) * log_sum - std::log(kappa);
}

template <class T>
[[nodiscard]] LayerPtr<T> make_soft_orthogonal_coordinates(const CoordinateSet& set, const SoftOrthogonal& method,
                                                           const Anchor& anchor);

}  // namespace softradial::layers
