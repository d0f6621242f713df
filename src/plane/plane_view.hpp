#pragma once

#include <Eigen/Core>

#include "softradial/anchor.hpp"
#include "softradial/set.hpp"

// Sets and layers in the plane: what figures and the playground draw.
namespace softradial::plane {

using Eigen::Vector2d;

// The plane in which a set is drawn: points p of it are origin + basis p, with two orthonormal columns in `basis`.
struct PlaneView {
  Eigen::VectorXd origin;  // (dim)
  Eigen::MatrixXd basis;   // (dim, 2)

  [[nodiscard]] Eigen::VectorXd lifted(const Vector2d& p) const { return origin + basis * p; }
  [[nodiscard]] Vector2d flattened(const Eigen::VectorXd& x) const { return basis.transpose() * (x - origin); }
};

// Sets of R^2 are drawn as they are. A set of R^3 in a plane, such as the weights of three assets, is drawn in that plane
// around its anchor, with the third coordinate pointing up and the second to the right. Other sets throw InvalidSet.
[[nodiscard]] PlaneView view_of(const Set& set, const Anchor& anchor);

}  // namespace softradial::plane
