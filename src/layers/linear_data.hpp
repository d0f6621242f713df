#pragma once

#include <Eigen/Core>
#include <string_view>

#include "softradial/layer.hpp"
#include "softradial/set.hpp"

namespace softradial::layers {

// A set of linear constraints as dense matrices:  A x <= b,  E x = f.
struct LinearData {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Eigen::MatrixXd E;
  Eigen::VectorXd f;
};

// Throws InvalidSet, naming the method, where the set has other constraints.
[[nodiscard]] LinearData linear_data(const Set& set, std::string_view method);

// The same of the linear part of any set.
[[nodiscard]] LinearData linear_part(const Set& set);

[[nodiscard]] TwoSidedRows two_sided(const LinearData& data);

}  // namespace softradial::layers
