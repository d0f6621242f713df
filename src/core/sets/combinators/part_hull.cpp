#include "sets/combinators/part_hull.hpp"

#include <Eigen/QR>

#include "algebra/row_units.hpp"

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

// Each row of A is judged in its own units: a row that is shorter than the others is not a constant. With unit rows D A and P
// the projection onto the directions of the whole, v'(D A P) = 0 exactly if w'(A P) = 0 for w = D v.
AffineHull image_hull(const AffineHull& whole, const Eigen::MatrixXd& A) {
  const Eigen::VectorXd units = row_units(A);
  Eigen::MatrixXd moves = units.asDiagonal() * A;
  if (whole.codimension() > 0) moves -= (moves * whole.normals.transpose()).eval() * whole.normals;
  Eigen::MatrixXd normals = left_null_space(moves);
  const Eigen::Index count = normals.rows();
  if (count > 0) {
    const Eigen::MatrixXd w = normals * units.asDiagonal();
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr((row_units(w).asDiagonal() * w).transpose());
    normals = (qr.householderQ() * Eigen::MatrixXd::Identity(A.rows(), count)).transpose();
  }
  return {std::move(normals), Eigen::VectorXd::Zero(count)};
}

}  // namespace softradial
