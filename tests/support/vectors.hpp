#pragma once

#include <Eigen/Core>
#include <initializer_list>

namespace softradial::support {

// Vectors and matrices as they are written on paper: vec({1, 2}), mat({{1, 0}, {0, 1}}).
[[nodiscard]] inline Eigen::VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

[[nodiscard]] inline Eigen::MatrixXd mat(std::initializer_list<std::initializer_list<double>> rows) {
  Eigen::MatrixXd result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : rows) result.row(i++) = vec(row).transpose();
  return result;
}

}  // namespace softradial::support
