#include "anchor/linear_program.hpp"

#include <ClpFactorization.hpp>
#include <ClpSimplex.hpp>
#include <algorithm>
#include <cmath>
#include <span>

namespace softradial {
namespace {

double clp_bound(double bound) { return std::isinf(bound) ? std::copysign(COIN_DBL_MAX, bound) : bound; }

// Whether an upper bound lets the solver's numbers overflow: it then ends the process. NaN does.
bool is_too_large(double upper) {
  constexpr double kLargestBound = 1e30;
  return !(std::abs(upper) <= kLargestBound) && upper != COIN_DBL_MAX;
}

Eigen::VectorXd clp_bounds(const Eigen::VectorXd& bounds) { return bounds.unaryExpr(&clp_bound); }

LinearProgramStatus status_of(const ClpSimplex& model) {
  switch (model.status()) {
    case 0:
      return LinearProgramStatus::optimal;
    case 1:
      return LinearProgramStatus::infeasible;
    case 2:
      return LinearProgramStatus::unbounded;
    default:
      return LinearProgramStatus::failed;
  }
}

}  // namespace

struct LinearProgram::Impl {
  ClpSimplex model;
};

LinearProgram::LinearProgram(const LinearProgramData& data) : impl_(std::make_unique<Impl>()) {
  Eigen::SparseMatrix<double> A = data.A;
  A.prune(1.0, kSmallestEntry);
  const Eigen::VectorXd row_lower = clp_bounds(data.row_lower);
  const Eigen::VectorXd row_upper = clp_bounds(data.row_upper);
  const Eigen::VectorXd column_lower = clp_bounds(data.column_lower);
  const Eigen::VectorXd column_upper = clp_bounds(data.column_upper);
  ClpSimplex& model = impl_->model;
  model.setLogLevel(0);
  model.loadProblem(static_cast<int>(A.cols()), static_cast<int>(A.rows()), A.outerIndexPtr(), A.innerIndexPtr(),
                    A.valuePtr(), column_lower.data(), column_upper.data(), data.cost.data(), row_lower.data(),
                    row_upper.data());
  model.setPrimalTolerance(kTolerance);
  model.setDualTolerance(kTolerance);
  // Without this, the factorisation hands dense blocks to LAPACK, whose last bits depend on the number of threads.
  model.factorization()->setDenseThreshold(0);
}

LinearProgram::LinearProgram(LinearProgram&&) noexcept = default;
LinearProgram& LinearProgram::operator=(LinearProgram&&) noexcept = default;
LinearProgram::~LinearProgram() = default;

void LinearProgram::set_row_upper(const Eigen::VectorXd& row_upper) {
  std::ranges::copy(clp_bounds(row_upper), impl_->model.rowUpper());
}

void LinearProgram::set_column_upper(Eigen::Index column, double upper) {
  impl_->model.setColumnUpper(static_cast<int>(column), clp_bound(upper));
}

// The primal simplex method is twice as fast as the dual one for the tall programmes of this library (1000 dense rows, 200
// columns). The dual one is tried if the primal one did not come to an end.
LinearProgramSolution LinearProgram::solve() {
  ClpSimplex& model = impl_->model;
  const std::span<const double> row_bounds(model.rowUpper(), static_cast<std::size_t>(model.numberRows()));
  if (std::ranges::any_of(row_bounds, is_too_large)) return {};
  model.primal();
  if (status_of(model) == LinearProgramStatus::failed) model.dual();
  LinearProgramSolution solution{.status = status_of(model), .x = {}, .row_duals = {}};
  if (solution.status == LinearProgramStatus::optimal) {
    solution.x = Eigen::Map<const Eigen::VectorXd>(model.primalColumnSolution(), model.numberColumns());
    solution.row_duals = Eigen::Map<const Eigen::VectorXd>(model.dualRowSolution(), model.numberRows());
  }
  return solution;
}

}  // namespace softradial
