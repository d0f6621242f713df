#include "softradial/affine_hull.hpp"

namespace softradial {

AffineHull AffineHull::whole_space(std::size_t dim) {
  return {.normals = Eigen::MatrixXd(0, static_cast<Eigen::Index>(dim)), .offsets = Eigen::VectorXd(0)};
}

// |d - N'N d| / |d|, with d scaled first so that no square overflows.
double AffineHull::freedom(const Eigen::VectorXd& direction) const {
  const double largest = direction.size() == 0 ? 0 : direction.cwiseAbs().maxCoeff();
  if (largest == 0) return 0;
  const Eigen::VectorXd d = direction / largest;
  return (d - normals.transpose() * (normals * d)).norm() / d.norm();
}

// x - N'(N x - c)
Eigen::VectorXd AffineHull::project(const Eigen::VectorXd& x) const {
  return x - normals.transpose() * (normals * x - offsets);
}

}  // namespace softradial
