#pragma once

#include <Eigen/Core>

#include "softradial/affine_hull.hpp"

// The hull that a part of a composed set sees: the directions in which the part's own variables can move while the whole
// stays on its hull. Only the normals matter to a gauge; offsets are not filled in.
namespace softradial {

// Part x[begin ... begin + size - 1]: its normals are the normals of the whole that vanish outside the block.
[[nodiscard]] AffineHull block_hull(const AffineHull& whole, Eigen::Index begin, Eigen::Index size);

// Part y = A x + b: its normals are the w with A'w normal to the whole.
[[nodiscard]] AffineHull image_hull(const AffineHull& whole, const Eigen::MatrixXd& A);

}  // namespace softradial
