// LinearProgram without an outside solver, for builds that have none (WebAssembly): the simplex method in two phases on a
// dense tableau. Sets of the size that a page shows take microseconds; linear_program.cpp is for everything else.
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <vector>

#include "anchor/linear_program.hpp"

namespace softradial {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Which row of the programme a row of the standard form comes from, and with which sign.
struct RowOrigin {
  Index row;  // -1: an upper bound of a column
  double sign;
};

// minimise cost.y  subject to  M y = rhs, y >= 0, with rhs >= 0.
//
// A column x_j of the programme is origin_j + direction_j y_j: y_j counts from its lower bound up, or from its upper bound
// down; a free column is the difference of y_j and another one, mirror_j. Each inequality has a slack in M, which is basic
// at the start if its sign allows it.
struct StandardForm {
  MatrixXd M;
  VectorXd rhs;
  VectorXd cost;
  VectorXd origin;
  VectorXd direction;
  std::vector<Index> mirror;  // -1: not free
  std::vector<RowOrigin> rows;
  std::vector<Index> start;  // the slack that is basic in a row at the start; -1: none
};

class StandardFormBuilder {
 public:
  explicit StandardFormBuilder(const LinearProgramData& data)
      : data_(data),
        A_(Eigen::SparseMatrix<double>(data.A.pruned(1.0, LinearProgram::kSmallestEntry))),
        n_(data.A.cols()) {
    place_columns();
    for (Index i = 0; i < A_.rows(); ++i) add_row(i);
    for (Index j = 0; j < n_; ++j) {
      const double width = data_.column_upper[j] - data_.column_lower[j];
      if (!std::isfinite(width)) continue;
      VectorXd row = VectorXd::Zero(columns_);
      row[j] = 1;
      lines_.push_back({row, width, false, {-1, 1}});
    }
  }

  [[nodiscard]] StandardForm build() {
    const auto num_rows = static_cast<Index>(lines_.size());
    form_.M = MatrixXd::Zero(num_rows, columns_ + num_rows);
    form_.rhs = VectorXd::Zero(num_rows);
    form_.cost = VectorXd::Zero(columns_ + num_rows);
    for (Index j = 0; j < n_; ++j) {
      form_.cost[j] = data_.cost[j] * form_.direction[j];
      if (const Index mirror = form_.mirror[static_cast<std::size_t>(j)]; mirror >= 0)
        form_.cost[mirror] = -data_.cost[j];
    }
    for (Index i = 0; i < num_rows; ++i) {
      const Line& line = lines_[static_cast<std::size_t>(i)];
      const double sign = line.bound < 0 ? -1 : 1;
      form_.M.row(i).head(columns_) = sign * line.row;
      if (!line.equality) form_.M(i, columns_ + i) = sign;
      form_.rhs[i] = sign * line.bound;
      form_.rows.push_back({line.origin.row, sign * line.origin.sign});
      form_.start.push_back(!line.equality && sign > 0 ? columns_ + i : -1);
    }
    return std::move(form_);
  }

 private:
  struct Line {
    VectorXd row;
    double bound;
    bool equality;
    RowOrigin origin;
  };

  void place_columns() {
    form_.origin = VectorXd::Zero(n_);
    form_.direction = VectorXd::Ones(n_);
    form_.mirror.assign(static_cast<std::size_t>(n_), -1);
    columns_ = n_;
    for (Index j = 0; j < n_; ++j) {
      if (std::isfinite(data_.column_lower[j])) {
        form_.origin[j] = data_.column_lower[j];
      } else if (std::isfinite(data_.column_upper[j])) {
        form_.origin[j] = data_.column_upper[j];
        form_.direction[j] = -1;
      } else {
        form_.mirror[static_cast<std::size_t>(j)] = columns_++;
      }
    }
  }

  void add_row(Index i) {
    VectorXd row = VectorXd::Zero(columns_);
    for (Index j = 0; j < n_; ++j) {
      row[j] = A_(i, j) * form_.direction[j];
      if (const Index mirror = form_.mirror[static_cast<std::size_t>(j)]; mirror >= 0) row[mirror] = -A_(i, j);
    }
    const double at_origin = A_.row(i).dot(form_.origin);
    const double lower = data_.row_lower[i];
    const double upper = data_.row_upper[i];
    if (lower == upper) {
      lines_.push_back({row, upper - at_origin, true, {i, 1}});
      return;
    }
    if (std::isfinite(upper)) lines_.push_back({row, upper - at_origin, false, {i, 1}});
    if (std::isfinite(lower)) lines_.push_back({-row, at_origin - lower, false, {i, -1}});
  }

  const LinearProgramData& data_;
  MatrixXd A_;
  Index n_;
  Index columns_ = 0;
  StandardForm form_;
  std::vector<Line> lines_;
};

// A simplex tableau: the columns of M, an artificial one for each row, and the right-hand sides; below them the reduced
// costs. `basis` names the column that is basic in each row.
class Tableau {
 public:
  explicit Tableau(const StandardForm& form)
      : num_rows_(form.M.rows()), num_columns_(form.M.cols()), basis_(form.start) {
    table_ = MatrixXd::Zero(num_rows_ + 1, num_columns_ + num_rows_ + 1);
    table_.topLeftCorner(num_rows_, num_columns_) = form.M;
    table_.block(0, num_columns_, num_rows_, num_rows_).setIdentity();
    table_.topRightCorner(num_rows_, 1) = form.rhs;
    for (Index i = 0; i < num_rows_; ++i) {
      if (basic(i) < 0) basic(i) = num_columns_ + i;
    }
  }

  // Phase one: the sum of the artificial columns falls to 0 if there is a feasible point. Those that stay basic, at 0, are
  // replaced where another column can take their place; a row in which none can says nothing new.
  [[nodiscard]] LinearProgramStatus find_feasible() {
    VectorXd cost = VectorXd::Zero(num_columns_ + num_rows_);
    cost.tail(num_rows_).setOnes();
    price(cost);
    if (const LinearProgramStatus status = improve(); status != LinearProgramStatus::optimal) return status;
    // Rows are scaled to about 1: what is left is rounding, or the answer.
    constexpr double kNothingLeft = 1e-8;
    if (-table_(num_rows_, last()) > kNothingLeft) return LinearProgramStatus::infeasible;
    for (Index i = 0; i < num_rows_; ++i) {
      if (basic(i) < num_columns_) continue;
      Index column = 0;
      if (table_.row(i).head(num_columns_).cwiseAbs().maxCoeff(&column) > kPivot) pivot(i, column);
    }
    return LinearProgramStatus::optimal;
  }

  [[nodiscard]] LinearProgramStatus minimise(const VectorXd& cost) {
    VectorXd all = VectorXd::Zero(num_columns_ + num_rows_);
    all.head(num_columns_) = cost;
    price(all);
    return improve();
  }

  [[nodiscard]] const std::vector<Index>& basis() const { return basis_; }

 private:
  // Smaller pivots would make the next tableau's numbers worthless.
  static constexpr double kPivot = 1e-10;

  [[nodiscard]] Index& basic(Index row) { return basis_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] Index last() const { return table_.cols() - 1; }

  void price(const VectorXd& cost) {
    table_.row(num_rows_).setZero();
    table_.row(num_rows_).head(cost.size()) = cost;
    for (Index i = 0; i < num_rows_; ++i) table_.row(num_rows_) -= cost[basic(i)] * table_.row(i);
  }

  void pivot(Index row, Index column) {
    table_.row(row) /= table_(row, column);
    for (Index i = 0; i <= num_rows_; ++i) {
      if (i != row && table_(i, column) != 0) table_.row(i) -= table_(i, column) * table_.row(row);
    }
    basic(row) = column;
  }

  // The column of the most negative reduced cost; after many steps the first negative one (Bland's rule), which never returns
  // to a basis that was left. -1: none.
  [[nodiscard]] Index entering(bool first) const {
    Index best = -1;
    for (Index j = 0; j < num_columns_; ++j) {
      const double cost = table_(num_rows_, j);
      if (cost >= -LinearProgram::kTolerance || (best >= 0 && cost >= table_(num_rows_, best))) continue;
      best = j;
      if (first) break;
    }
    return best;
  }

  // The row that is the first to reach 0 as the column grows; of several the one with the largest pivot, or with Bland's rule
  // the one whose basic column comes first. -1: none, the column may grow without end.
  [[nodiscard]] Index leaving(Index column, bool first) {
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < num_rows_; ++i) {
      if (table_(i, column) <= kPivot) continue;
      const double ratio = std::max(0.0, table_(i, last())) / table_(i, column);
      const bool tie = best >= 0 && std::abs(ratio - least) <= 1e-12 * least;
      if (ratio < least && !tie) {
        best = i;
        least = ratio;
      } else if (tie && (first ? basic(i) < basic(best) : table_(i, column) > table_(best, column))) {
        best = i;
        least = std::min(least, ratio);
      }
    }
    return best;
  }

  [[nodiscard]] LinearProgramStatus improve() {
    const Index many = 50 * (num_rows_ + num_columns_);
    for (Index step = 0; step < 20 * many; ++step) {
      const Index column = entering(step > many);
      if (column < 0) return LinearProgramStatus::optimal;
      const Index row = leaving(column, step > many);
      if (row < 0) return LinearProgramStatus::unbounded;
      pivot(row, column);
    }
    return LinearProgramStatus::failed;
  }

  MatrixXd table_;
  Index num_rows_;
  Index num_columns_;
  std::vector<Index> basis_;
};

// The basic solution and its duals from the data themselves: the tableau has only said which columns are basic, and the
// rounding of its many pivots is left behind.
LinearProgramSolution solution_of(const StandardForm& form, const std::vector<Index>& basis, Index num_rows) {
  const Index m = form.M.rows();
  MatrixXd B(m, m);
  VectorXd cost = VectorXd::Zero(m);
  for (Index i = 0; i < m; ++i) {
    const Index column = basis[static_cast<std::size_t>(i)];
    if (column < form.M.cols()) {
      B.col(i) = form.M.col(column);
      cost[i] = form.cost[column];
    } else {
      B.col(i) = VectorXd::Unit(m, column - form.M.cols());
    }
  }
  const Eigen::PartialPivLU<MatrixXd> factors(B);
  const VectorXd basic = factors.solve(form.rhs);
  const VectorXd duals = factors.transpose().solve(cost);
  VectorXd y = VectorXd::Zero(form.M.cols());
  for (Index i = 0; i < m; ++i) {
    const Index column = basis[static_cast<std::size_t>(i)];
    if (column < y.size()) y[column] = basic[i];
  }
  LinearProgramSolution out{LinearProgramStatus::optimal, form.origin, VectorXd::Zero(num_rows)};
  for (Index j = 0; j < form.origin.size(); ++j) {
    const Index mirror = form.mirror[static_cast<std::size_t>(j)];
    out.x[j] += form.direction[j] * y[j] - (mirror >= 0 ? y[mirror] : 0);
  }
  for (Index i = 0; i < m; ++i) {
    const auto [row, sign] = form.rows[static_cast<std::size_t>(i)];
    if (row >= 0) out.row_duals[row] += sign * duals[i];
  }
  return out;
}

}  // namespace

struct LinearProgram::Impl {
  LinearProgramData data;
};

LinearProgram::LinearProgram(const LinearProgramData& data) : impl_(std::make_unique<Impl>(Impl{data})) {}
LinearProgram::LinearProgram(LinearProgram&&) noexcept = default;
LinearProgram& LinearProgram::operator=(LinearProgram&&) noexcept = default;
LinearProgram::~LinearProgram() = default;

void LinearProgram::set_row_upper(const VectorXd& row_upper) { impl_->data.row_upper = row_upper; }

void LinearProgram::set_column_upper(Index column, double upper) { impl_->data.column_upper[column] = upper; }

LinearProgramSolution LinearProgram::solve() {
  const StandardForm form = StandardFormBuilder(impl_->data).build();
  Tableau tableau(form);
  LinearProgramStatus status = tableau.find_feasible();
  if (status == LinearProgramStatus::optimal) status = tableau.minimise(form.cost);
  if (status != LinearProgramStatus::optimal) return {status, {}, {}};
  return solution_of(form, tableau.basis(), impl_->data.A.rows());
}

}  // namespace softradial
