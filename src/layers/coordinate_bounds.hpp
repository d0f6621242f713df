#pragma once

#include <vector>

#include "kernels/simplex_kernels.hpp"
#include "softradial/sets/coordinates.hpp"

namespace softradial::layers {

// The bounds and the sum of a coordinate set in the precision of a layer, to the nearest; open sides are infinite.
template <class T>
struct CoordinateBounds {
  explicit CoordinateBounds(const CoordinateSet& set)
      : sum(set.total().has_value()), total(static_cast<T>(set.total().value_or(0))) {
    for (Eigen::Index j = 0; j < set.lower().size(); ++j) {
      lower.push_back(static_cast<T>(set.lower()[j]));
      upper.push_back(static_cast<T>(set.upper()[j]));
    }
  }
  [[nodiscard]] kernels::BoundedSum<T> view() const noexcept {
    return {lower.size(), lower.data(), upper.data(), total};
  }

  bool sum;
  T total;
  std::vector<T> lower;
  std::vector<T> upper;
};

}  // namespace softradial::layers
