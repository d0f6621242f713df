#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <string>
#include <vector>

namespace softradial {

// The linear part of a set, rows as they were given:  a_i . x <= b_i  and  e_k . x = f_k.
// Sparse by rows, so that a box in 10^6 variables stays small.
class LinearSystem {
 public:
  struct Entry {
    std::size_t column;
    double value;
  };
  struct Row {
    std::vector<Entry> entries;
    double bound = 0;
    std::string name;  // as in `check` and the error messages: "upper bound 3", "row 7"
  };

  explicit LinearSystem(std::size_t dim) : dim_(dim) {}

  void add_inequality(Row row) { inequalities_.push_back(std::move(row)); }
  void add_equality(Row row) { equalities_.push_back(std::move(row)); }

  // The system in the coordinates y_j = x_j / sizes_j.
  [[nodiscard]] LinearSystem in_sizes(const Eigen::VectorXd& sizes) const;

  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] const std::vector<Row>& inequalities() const noexcept { return inequalities_; }
  [[nodiscard]] const std::vector<Row>& equalities() const noexcept { return equalities_; }

 private:
  std::size_t dim_;
  std::vector<Row> inequalities_;
  std::vector<Row> equalities_;
};

// The row in the coordinates y_j = x_j / sizes_j.
[[nodiscard]] LinearSystem::Row in_sizes(LinearSystem::Row row, const Eigen::VectorXd& sizes);

// bound - entries . x, accumulated in extended precision and rounded once.
[[nodiscard]] double residual(const LinearSystem::Row& row, const double* x) noexcept;

}  // namespace softradial
