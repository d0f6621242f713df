#pragma once

#include <Eigen/Core>

#include "softradial/linear_system.hpp"

namespace softradial {

// How large each coordinate is where the rows confine it, as a power of two: in y_j = x_j / size_j a polyhedron in mixed units has
// a like extent in all directions, and a search with one tolerance and one measure of distance sees all of them. 1 throughout
// where the sizes differ by no more than kLikeSizes, or where a coefficient has no place in the number range in these units.
inline constexpr double kLikeSizes = 1 << 20;
[[nodiscard]] Eigen::VectorXd coordinate_sizes(const LinearSystem& system);

}  // namespace softradial
