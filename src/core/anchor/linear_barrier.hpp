#pragma once

#include <Eigen/Core>
#include <vector>

#include "anchor/linear_part.hpp"
#include "softradial/set.hpp"

namespace softradial {

// -sum_i log(s_i),  s_i = (b_i - a_i.x) / norm_i + t,  over the rows of a linear part that are not constant on its
// hull. The others, implicit equalities among them, have no slack to take a logarithm of.
// Refers to the part, which has to outlive it.
class LinearBarrier {
 public:
  explicit LinearBarrier(const LinearPart& part);

  // Adds to `terms`; false outside the domain.
  [[nodiscard]] bool add_to(BarrierTerms& terms, const Eigen::VectorXd& x, double t) const;

  // The same in two steps: first s at (x, t), whatever the signs; then the derivatives, from 1 / s.
  [[nodiscard]] Eigen::VectorXd slacks(const Eigen::VectorXd& x, double t) const;
  [[nodiscard]] Eigen::VectorXd rows_times(const Eigen::VectorXd& x) const;  // a_i.x / norm_i
  void add_derivatives(BarrierTerms& terms, const Eigen::VectorXd& inverse_slacks) const;
  // gradient += sum_i weight_i (a_i / norm_i, -1)
  void add_rows(BarrierTerms& terms, const Eigen::VectorXd& weights) const;

 private:
  void add_dense(BarrierTerms& terms, const Eigen::VectorXd& inverse_slacks) const;
  void add_sparse(BarrierTerms& terms, const Eigen::VectorXd& inverse_slacks) const;

  const LinearPart& part_;
  Eigen::MatrixXd rows_;  // (a_i / norm_i, -1) where the rows are dense, by rows; empty otherwise
};

}  // namespace softradial
