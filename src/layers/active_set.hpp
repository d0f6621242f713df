#pragma once

#include <Eigen/Core>
#include <vector>

namespace softradial::layers {

// Solves the dual of a projection or another quadratic programme exactly:
//
//   minimise 1/2 v'S v - c'v   subject to   v_i >= 0 for i >= num_free
//
// S = R Q^-1 R' (m x m, positive semidefinite), c = R x_free - rhs says how far the unconstrained solution x_free
// violates each row. The residual c - S v is R x - rhs at x = x_free - Q^-1 R'v.
class ActiveSet {
 public:
  ActiveSet(const Eigen::MatrixXd& S, Eigen::Index num_free) : S_(S), num_free_(num_free) {}

  // Starts from a guess of v: rows with a positive number are taken as active. First, whole blocks of rows become active
  // or inactive at once; this nearly always settles. Otherwise rows change one at a time, by the method of Lawson and
  // Hanson, which ends after finitely many steps. Returns false if rounding keeps it from ending. `steps` counts the
  // linear systems that were solved.
  bool solve(const Eigen::VectorXd& c, Eigen::VectorXd& v, std::size_t& steps) const;

 private:
  [[nodiscard]] Eigen::VectorXd solve_on(const std::vector<Eigen::Index>& active, const Eigen::VectorXd& c) const;
  bool by_blocks(const Eigen::VectorXd& c, Eigen::VectorXd& v, double tolerance, std::size_t& steps) const;
  bool one_by_one(const Eigen::VectorXd& c, Eigen::VectorXd& v, double tolerance, std::size_t& steps) const;

  const Eigen::MatrixXd& S_;
  Eigen::Index num_free_;
};

// Solves S_aa w = t_a on the rows `active`. Dependent rows are allowed: one of the solutions is returned.
[[nodiscard]] Eigen::VectorXd solve_rows(const Eigen::MatrixXd& S, const std::vector<Eigen::Index>& active,
                                         const Eigen::VectorXd& t);

}  // namespace softradial::layers
