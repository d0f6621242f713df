#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace softradial {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// The data that a set was built from, in plain form: sets are printed, compared and serialised without knowing their types.
// Fields stand in the order of SET.json; +-infinity stands for an open side.
struct Description {
  using Value = std::variant<double, Eigen::VectorXd, Eigen::MatrixXd, SparseMatrix, std::vector<Eigen::MatrixXd>,
                             std::vector<Description>>;

  std::string type;
  std::vector<std::pair<std::string, Value>> fields;

  bool operator==(const Description& other) const;
};

// One line that reads well: `capped_simplex(dim=50, cap=0.05, sum=1)`; long vectors are shown by their size.
[[nodiscard]] std::string to_string(const Description& description);

}  // namespace softradial
