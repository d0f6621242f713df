#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <memory>

namespace softradial {

// minimise cost.x  subject to  row_lower <= A x <= row_upper,  column_lower <= x <= column_upper.
// Open sides are +-infinity. A is (rows x columns); the other sizes fit.
struct LinearProgramData {
  Eigen::SparseMatrix<double> A;
  Eigen::VectorXd cost;
  Eigen::VectorXd row_lower;
  Eigen::VectorXd row_upper;
  Eigen::VectorXd column_lower;
  Eigen::VectorXd column_upper;
};

enum class LinearProgramStatus { optimal, infeasible, unbounded, failed };

struct LinearProgramSolution {
  LinearProgramStatus status = LinearProgramStatus::failed;
  Eigen::VectorXd x;
  Eigen::VectorXd row_duals;  // change of the optimal cost per unit of a row's bound: <= 0 where row_upper binds
};

// A linear programme that can be solved again after its bounds have moved, from where the last solution ended.
// The only class that knows the solver.
class LinearProgram {
 public:
  // Tolerance for the feasibility of rows, in absolute terms, and of reduced costs: a hundred times tighter than the
  // solver's default. Data are expected to be scaled to about 1.
  static constexpr double kTolerance = 1e-9;
  // Smaller entries of A do not count: nothing of size 1 feels them, and where one is all that bounds a column, the solver's
  // numbers overflow, upon which it ends the process.
  static constexpr double kSmallestEntry = 1e-20;

  explicit LinearProgram(const LinearProgramData& data);
  LinearProgram(LinearProgram&&) noexcept;
  LinearProgram& operator=(LinearProgram&&) noexcept;
  ~LinearProgram();

  void set_row_upper(const Eigen::VectorXd& row_upper);
  void set_column_upper(Eigen::Index column, double upper);
  [[nodiscard]] LinearProgramSolution solve();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace softradial
