#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "softradial/affine_hull.hpp"
#include "softradial/anchor.hpp"
#include "softradial/linear_system.hpp"

namespace softradial {

// The points that satisfy a system of equalities, {x : e_k.x = f_k for all k}.
struct EqualityHull {
  AnchorStatus status = AnchorStatus::found;  // `empty`: they contradict each other; `not_found`: too large to hold
  std::string reason;
  AffineHull hull;
  std::vector<std::size_t> independent;  // equalities that imply all others
};

// A dependent equality may be off by this much, relative to the terms that it adds up: far above the rounding of data
// that were meant to agree (1e-16), far below a contradiction that someone could mean.
inline constexpr double kEqualityTolerance = 1e-9;

// Rank-revealing: rows that are constant on the hull of the others, whatever the units of the coordinates, are dependent.
//   - equalities in one coordinate fix it, exactly: unit normals, no rounding in the other coordinates
//   - a single other equality e.x = f has the normal e / |e|: 1/sqrt(dim) throughout for sum(x) = f
//   - several are sorted by a QR decomposition with column pivoting and made orthonormal in that order
// `sizes`: those of the coordinates, if they are known (coordinate_sizes.hpp); empty: 1. They tell a coefficient in another unit
// from rounding.
[[nodiscard]] EqualityHull equality_hull(std::size_t dim, const std::vector<LinearSystem::Row>& equalities,
                                         const Eigen::VectorXd& sizes = {});

}  // namespace softradial
