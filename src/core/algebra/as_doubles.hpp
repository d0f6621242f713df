#pragma once

#include <Eigen/Core>
#include <span>

namespace softradial {

// Converts numbers of either precision to doubles, exactly.
template <class T>
[[nodiscard]] Eigen::VectorXd as_doubles(std::span<const T> values) {
  return Eigen::Map<const Eigen::VectorX<T>>(values.data(), static_cast<Eigen::Index>(values.size()))
      .template cast<double>();
}

// Converts a matrix that is stored row by row.
template <class T>
[[nodiscard]] Eigen::MatrixXd as_doubles(std::span<const T> values, std::size_t columns) {
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto width = static_cast<Eigen::Index>(columns);
  return Eigen::Map<const RowMajor>(values.data(), static_cast<Eigen::Index>(values.size()) / width, width)
      .template cast<double>();
}

}  // namespace softradial
