#include "anchor/always_active.hpp"

#include <algorithm>
#include <limits>

#include "algebra/row_length.hpp"
#include "anchor/linear_program.hpp"

namespace softradial {

using Eigen::Index;

std::vector<std::size_t> always_active_rows(const LinearPart& part, const Eigen::VectorXd& x, double relative,
                                            double distance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto dim = static_cast<Index>(part.dim());
  std::vector<std::size_t> touched;
  std::vector<Eigen::Triplet<double>> entries;
  for (const FreeRow& free_row : part.free_rows()) {
    const LinearSystem::Row& row = part.row(free_row);
    if (residual(row, x.data()) > std::max(relative * row_size(row, x), distance * free_row.norm)) continue;
    const auto i = static_cast<Index>(touched.size());
    for (const LinearSystem::Entry& entry : part.in_units(part.entries(free_row))) {
      entries.emplace_back(i, static_cast<Index>(entry.column), entry.value / free_row.norm);
    }
    entries.emplace_back(i, dim + i, 1.0);
    touched.push_back(free_row.inequality);
  }
  const auto num_touched = static_cast<Index>(touched.size());
  Index num_rows = num_touched;
  for (const LinearSystem::Row& row : part.independent_equalities()) {
    const std::vector<LinearSystem::Entry> scaled = part.in_units(row.entries);
    const double norm = row_length(scaled);
    for (const LinearSystem::Entry& entry : scaled) {
      entries.emplace_back(num_rows, static_cast<Index>(entry.column), entry.value / norm);
    }
    ++num_rows;
  }

  LinearProgramData data;
  data.A.resize(num_rows, dim + num_touched);
  data.A.setFromTriplets(entries.begin(), entries.end());
  data.cost = Eigen::VectorXd::Zero(dim + num_touched);
  data.cost.tail(num_touched).setConstant(-1);
  data.row_lower = Eigen::VectorXd::Zero(num_rows);
  data.row_lower.head(num_touched).setConstant(-kInfinity);
  data.row_upper = Eigen::VectorXd::Zero(num_rows);
  data.column_lower = Eigen::VectorXd::Constant(dim + num_touched, -kInfinity);
  data.column_lower.tail(num_touched).setZero();
  data.column_upper = Eigen::VectorXd::Constant(dim + num_touched, kInfinity);
  data.column_upper.tail(num_touched).setOnes();
  const LinearProgramSolution solution = LinearProgram(data).solve();
  if (solution.status != LinearProgramStatus::optimal) return {};

  constexpr double kHalf = 0.5;  // a threshold: s_i is either 0 or 1
  std::vector<std::size_t> active;
  for (Index i = 0; i < num_touched; ++i) {
    if (solution.x[dim + i] < kHalf) active.push_back(touched[static_cast<std::size_t>(i)]);
  }
  return active;
}

}  // namespace softradial
