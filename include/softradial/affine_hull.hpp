#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "softradial/linear_system.hpp"

namespace softradial {

// The affine hull {x : N x = c} of a set. The rows of N (codimension x dim) are orthonormal; without rows it is all of R^n.
struct AffineHull {
  Eigen::MatrixXd normals;
  Eigen::VectorXd offsets;

  [[nodiscard]] static AffineHull whole_space(std::size_t dim);

  [[nodiscard]] std::size_t dim() const noexcept { return static_cast<std::size_t>(normals.cols()); }
  [[nodiscard]] std::size_t codimension() const noexcept { return static_cast<std::size_t>(normals.rows()); }

  // Length of the part of `direction` that lies in the hull's direction space, in units of |direction|: 0 for a normal.
  [[nodiscard]] double freedom(const Eigen::VectorXd& direction) const;
  // The orthogonal projection of a point onto the hull.
  [[nodiscard]] Eigen::VectorXd project(const Eigen::VectorXd& x) const;
};

// Rows whose freedom falls below this are constant on the hull: directions are orthonormalised in double, so that a
// normal's own freedom is a few ulp times the dimension; 1e-9 lies far above that and far below any real direction.
inline constexpr double kConstantOnHull = 1e-9;

}  // namespace softradial
