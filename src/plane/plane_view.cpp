#include "plane/plane_view.hpp"

#include "softradial/errors.hpp"

namespace softradial::plane {

PlaneView view_of(const Set& set, const Anchor& anchor) {
  if (set.dim() == 2 && anchor.hull.codimension() == 0) return {Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity()};
  if (set.dim() != 3 || anchor.hull.codimension() != 1) {
    throw InvalidSet("a set is drawn if it has an interior in R^2, or lies in a plane of R^3");
  }
  // Both axes of the drawing are coordinates of R^3, seen in the plane.
  const auto in_plane = [&](const Eigen::Vector3d& v) -> Eigen::Vector3d {
    return anchor.hull.project(anchor.point + v) - anchor.point;
  };
  Eigen::Vector3d up = in_plane(Eigen::Vector3d::UnitZ());
  if (up.norm() < 1e-6) up = in_plane(Eigen::Vector3d::UnitX());
  up.normalize();
  Eigen::Vector3d right = in_plane(Eigen::Vector3d::UnitY());
  right -= up.dot(right) * up;
  if (right.norm() < 1e-6) {
    right = in_plane(Eigen::Vector3d::UnitX());
    right -= up.dot(right) * up;
  }
  right.normalize();
  PlaneView view{anchor.point, Eigen::MatrixXd(3, 2)};
  view.basis << right, up;
  return view;
}

}  // namespace softradial::plane
