#include "sets/combinators/part_hull.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <utility>

#include "algebra/row_length.hpp"
#include "algebra/row_units.hpp"

namespace softradial {
namespace {

// Parts of a normal that are shorter are rounding of the decomposition that made it.
constexpr double kDust = 1e-13;

// Rows that depend on others up to this do so but for rounding. Not kConstantOnHull: where u is far away, what a row moves counts
// however little it is.
constexpr double kDependent = 1e-13;

// Orthonormal rows that span the left null space of M, {w : w'M = 0}. Each row of M is judged in its own units: one that is
// shorter than the others is not dependent on them. With D M of unit rows, v'(D M) = 0 exactly if w'M = 0 for w = D v.
Eigen::MatrixXd left_null_space(const Eigen::MatrixXd& M) {
  if (M.cols() == 0 || M.rows() == 0) return Eigen::MatrixXd::Identity(M.rows(), M.rows());
  const Eigen::VectorXd units = row_units(M);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(units.asDiagonal() * M);
  qr.setThreshold(kDependent);
  const Eigen::Index count = M.rows() - qr.rank();
  if (count == 0) return Eigen::MatrixXd(0, M.rows());
  const Eigen::MatrixXd Q = qr.householderQ();
  const Eigen::MatrixXd w = Q.rightCols(count).transpose() * units.asDiagonal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> orthonormal((row_units(w).asDiagonal() * w).transpose());
  return (orthonormal.householderQ() * Eigen::MatrixXd::Identity(M.rows(), count)).transpose();
}

}  // namespace

AffineHull block_hull(const AffineHull& whole, Eigen::Index begin, Eigen::Index size) {
  if (whole.codimension() == 0) return AffineHull::whole_space(static_cast<std::size_t>(size));
  const Eigen::MatrixXd& N = whole.normals;
  Eigen::MatrixXd outside(N.rows(), N.cols() - size);
  outside << N.leftCols(begin), N.rightCols(N.cols() - begin - size);
  for (Eigen::Index k = 0; k < outside.rows(); ++k) {
    if (outside.row(k).norm() < kDust) outside.row(k).setZero();
  }
  const Eigen::MatrixXd combinations = left_null_space(outside);
  return {combinations * N.middleCols(begin, size), Eigen::VectorXd::Zero(combinations.rows()), whole.rounding};
}

AffineHull image_hull(const AffineHull& whole, const Eigen::MatrixXd& A) {
  const HullReach reach(whole);
  Eigen::MatrixXd moves(A.rows(), A.cols());
  for (Eigen::Index i = 0; i < A.rows(); ++i) moves.row(i) = reach.along(entries_of(A.row(i))).transpose();
  Eigen::MatrixXd normals = left_null_space(moves);
  const Eigen::Index count = normals.rows();
  return {std::move(normals), Eigen::VectorXd::Zero(count), std::max(whole.rounding, kDust)};
}

}  // namespace softradial
