#include "anchor/linear_program.hpp"

#include <ClpFactorization.hpp>
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

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

// The conditions of optimality may be off by this much: a thousand times the solver's tolerance, far below what a wrong answer
// misses them by.
constexpr double kProofTolerance = 1000 * LinearProgram::kTolerance;

// For a <= v <= b and the slope g of the cost in v: v is within its bounds, and the cost does not fall on any side that is open.
bool is_best(double v, double a, double b, double g) {
  const double above = kProofTolerance * std::max(1.0, std::abs(a));
  const double below = kProofTolerance * std::max(1.0, std::abs(b));
  if (!(v >= a - above && v <= b + below)) return false;
  return (g <= kProofTolerance || v <= a + above) && (g >= -kProofTolerance || v >= b - below);
}

// Whether the solution is optimal, by the solver's data and not by its word. From the basis of an earlier programme, scaled
// entries of 1e-19 let it return zeros as the optimum, without a multiplier.
bool is_proven(const ClpSimplex& model) {
  const std::span<const double> x(model.primalColumnSolution(), static_cast<std::size_t>(model.numberColumns()));
  const std::span<const double> y(model.dualRowSolution(), static_cast<std::size_t>(model.numberRows()));
  std::vector<double> rows(y.size());
  std::vector<double> priced(x.size());
  model.matrix()->times(x.data(), rows.data());
  model.matrix()->transposeTimes(y.data(), priced.data());
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double slope = model.objective()[j] - priced[j];
    if (!is_best(x[j], model.columnLower()[j], model.columnUpper()[j], slope)) return false;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!is_best(rows[i], model.rowLower()[i], model.rowUpper()[i], y[i])) return false;
  }
  return true;
}

// The primal simplex method is twice as fast as the dual one for the tall programmes of this library (1000 dense rows, 200
// columns). The dual one is tried if the primal one did not come to an end.
LinearProgramStatus run(ClpSimplex& model) {
  model.primal();
  if (status_of(model) == LinearProgramStatus::failed) model.dual();
  const LinearProgramStatus status = status_of(model);
  return status == LinearProgramStatus::optimal && !is_proven(model) ? LinearProgramStatus::failed : status;
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
  // Simplex methods take a few times the rows and columns. One that goes round in circles ends here, on every machine the same.
  constexpr double kMostIterations = 1e9;
  model.setMaximumIterations(
      static_cast<int>(std::min(kMostIterations, 1e4 + 100.0 * static_cast<double>(A.rows() + A.cols()))));
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

// What fails from the last basis, in the solver's own scaling, is tried once more from the start, in that of the data.
LinearProgramSolution LinearProgram::solve() {
  ClpSimplex& model = impl_->model;
  const std::span<const double> row_bounds(model.rowUpper(), static_cast<std::size_t>(model.numberRows()));
  if (std::ranges::any_of(row_bounds, is_too_large)) return {};
  LinearProgramStatus status = run(model);
  if (status == LinearProgramStatus::failed) {
    const int scaling = model.scalingFlag();
    model.scaling(0);
    model.allSlackBasis(true);
    status = run(model);
    model.scaling(scaling);
  }
  LinearProgramSolution solution{.status = status, .x = {}, .row_duals = {}};
  if (solution.status == LinearProgramStatus::optimal) {
    solution.x = Eigen::Map<const Eigen::VectorXd>(model.primalColumnSolution(), model.numberColumns());
    solution.row_duals = Eigen::Map<const Eigen::VectorXd>(model.dualRowSolution(), model.numberRows());
  }
  return solution;
}

}  // namespace softradial
