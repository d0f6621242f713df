#pragma once

#include <Eigen/Core>

namespace softradial {

// 1 / |row| for each row of M; 1 for a row of zeros. diag(row_units(M)) M has rows of length 1, whose rank does not depend on
// the units in which each row of M is given.
[[nodiscard]] inline Eigen::VectorXd row_units(const Eigen::MatrixXd& M) {
  const Eigen::VectorXd units = M.rowwise().stableNorm().cwiseInverse();
  return units.array().isFinite().select(units, 1);
}

}  // namespace softradial
