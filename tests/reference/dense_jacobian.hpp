#pragma once

#include <Eigen/Core>
#include <Eigen/SVD>
#include <functional>

#include "softradial/affine_hull.hpp"

namespace softradial::reference {

using VectorMap = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;

// Column j is (map(u + h e_j) - map(u - h e_j)) / 2h.
[[nodiscard]] inline Eigen::MatrixXd dense_jacobian(const VectorMap& map, const Eigen::VectorXd& u, double h) {
  Eigen::MatrixXd jacobian(u.size(), u.size());
  for (Eigen::Index j = 0; j < u.size(); ++j) {
    const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(u.size(), j);
    jacobian.col(j) = (map(u + step) - map(u - step)) / (2 * h);
  }
  return jacobian;
}

// An orthonormal basis of the hull's directions, dim x k: the null space of the normals.
[[nodiscard]] inline Eigen::MatrixXd hull_basis(const AffineHull& hull) {
  const auto n = static_cast<Eigen::Index>(hull.dim());
  const auto codimension = static_cast<Eigen::Index>(hull.codimension());
  if (codimension == 0) return Eigen::MatrixXd::Identity(n, n);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(hull.normals, Eigen::ComputeFullV);
  return svd.matrixV().rightCols(n - codimension);
}

// Singular values of a Jacobian seen on the hull: of B' J B with B = hull_basis.
[[nodiscard]] inline Eigen::VectorXd singular_values_on_hull(const Eigen::MatrixXd& jacobian, const AffineHull& hull) {
  const Eigen::MatrixXd basis = hull_basis(hull);
  return Eigen::BDCSVD<Eigen::MatrixXd>(basis.transpose() * jacobian * basis).singularValues();
}

}  // namespace softradial::reference
