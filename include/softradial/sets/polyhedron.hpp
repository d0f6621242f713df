#pragma once

#include <Eigen/SparseCore>

#include "softradial/sets/polyhedral_set.hpp"

namespace softradial {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// {x : A x <= b, E x = f}; dense or sparse by the type of A. gamma(d) = max_i a_i.d / (b_i - a_i.u0), floored at 0.
// Rows that are constant on the affine hull (implicit equalities) take no part in the gauge.
class Polyhedron final : public PolyhedralSet {
 public:
  Polyhedron(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
  Polyhedron(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::MatrixXd& E, const Eigen::VectorXd& f);
  Polyhedron(const SparseMatrix& A, const Eigen::VectorXd& b);
  Polyhedron(const SparseMatrix& A, const Eigen::VectorXd& b, const SparseMatrix& E, const Eigen::VectorXd& f);

  [[nodiscard]] Description describe() const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;

 private:
  bool sparse_;
};

}  // namespace softradial
