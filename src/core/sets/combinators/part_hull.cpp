#include "sets/combinators/part_hull.hpp"

#include <Eigen/QR>

namespace softradial {
namespace {

// Orthonormal rows that span the left null space of M, {w : w'M = 0}.
Eigen::MatrixXd left_null_space(const Eigen::MatrixXd& M) {
  if (M.cols() == 0) return Eigen::MatrixXd::Identity(M.rows(), M.rows());
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(M);
  qr.setThreshold(kConstantOnHull);
  const Eigen::MatrixXd Q = qr.householderQ();
  return Q.rightCols(M.rows() - qr.rank()).transpose();
}

}  // namespace

AffineHull block_hull(const AffineHull& whole, Eigen::Index begin, Eigen::Index size) {
  if (whole.codimension() == 0) return AffineHull::whole_space(static_cast<std::size_t>(size));
  const Eigen::MatrixXd& N = whole.normals;
  Eigen::MatrixXd outside(N.rows(), N.cols() - size);
  outside << N.leftCols(begin), N.rightCols(N.cols() - begin - size);
  const Eigen::MatrixXd combinations = left_null_space(outside);
  return {combinations * N.middleCols(begin, size), Eigen::VectorXd::Zero(combinations.rows())};
}

AffineHull image_hull(const AffineHull& whole, const Eigen::MatrixXd& A) {
  Eigen::MatrixXd moves = A;
  if (whole.codimension() > 0) moves -= (A * whole.normals.transpose()) * whole.normals;
  Eigen::MatrixXd normals = left_null_space(moves);
  const Eigen::Index count = normals.rows();
  return {std::move(normals), Eigen::VectorXd::Zero(count)};
}

}  // namespace softradial
