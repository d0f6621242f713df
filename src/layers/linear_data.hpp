#pragma once

#include <Eigen/Core>
#include <string_view>
#include <vector>

#include "kernels/simplex_kernels.hpp"
#include "softradial/layer.hpp"
#include "softradial/set.hpp"
#include "softradial/sets/coordinates.hpp"

namespace softradial::layers {

// A set of linear constraints as dense matrices:  A x <= b,  E x = f.
struct LinearData {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Eigen::MatrixXd E;
  Eigen::VectorXd f;
};

// Throws InvalidSet, naming the method, if the set has other constraints.
[[nodiscard]] LinearData linear_data(const Set& set, std::string_view method);

// The linear constraints of any set.
[[nodiscard]] LinearData linear_part(const Set& set);

[[nodiscard]] TwoSidedRows two_sided(const LinearData& data);

// The bounds and the sum of a coordinate set, rounded to the nearest number of a layer's precision; open sides are infinite.
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
