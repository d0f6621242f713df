#pragma once

#include <Eigen/Core>
#include <vector>

namespace softradial::layers {

// The dual of a projection-like programme, exactly:
//
//   minimise 1/2 v'S v - c'v   subject to   v_i >= 0 for i >= num_free
//
// S = R Q^-1 R' (m x m, positive semidefinite), c = R x_free - rhs: how far the unconstrained solution breaks each row. The
// residual c - S v is R x - rhs at x = x_free - Q^-1 R'v.
class ActiveSet {
 public:
  ActiveSet(const Eigen::MatrixXd& S, Eigen::Index num_free) : S_(S), num_free_(num_free) {}

  // From a guess of v (any numbers; the positive ones are taken for active). Blocks of rows change sides at once while that
  // settles, which is nearly always; then one at a time, after Lawson and Hanson, which ends after finitely many steps.
  // False where rounding kept it from ending. `steps` counts the systems that were solved.
  bool solve(const Eigen::VectorXd& c, Eigen::VectorXd& v, std::size_t& steps) const;

 private:
  [[nodiscard]] Eigen::VectorXd solve_on(const std::vector<Eigen::Index>& active, const Eigen::VectorXd& c) const;
  bool by_blocks(const Eigen::VectorXd& c, Eigen::VectorXd& v, double tolerance, std::size_t& steps) const;
  bool one_by_one(const Eigen::VectorXd& c, Eigen::VectorXd& v, double tolerance, std::size_t& steps) const;

  const Eigen::MatrixXd& S_;
  Eigen::Index num_free_;
};

// w on the rows `active`: S_aa w = t_a; dependent rows share what is theirs.
[[nodiscard]] Eigen::VectorXd solve_rows(const Eigen::MatrixXd& S, const std::vector<Eigen::Index>& active,
                                         const Eigen::VectorXd& t);

}  // namespace softradial::layers
