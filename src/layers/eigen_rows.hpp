#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "softradial/rows.hpp"

// Batches of rows as Eigen matrices.
namespace softradial::layers {

// One matrix row for each row, in the precision of the batch.
template <class T>
using RowMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
[[nodiscard]] RowMatrix<T> gather(Rows<const T> rows) {
  RowMatrix<T> out(static_cast<Eigen::Index>(rows.count()), static_cast<Eigen::Index>(rows.dim()));
  for (std::size_t i = 0; i < rows.count(); ++i) {
    std::copy_n(rows.row(i), rows.dim(), out.row(static_cast<Eigen::Index>(i)).data());
  }
  return out;
}

template <class T>
void scatter(const RowMatrix<T>& from, Rows<T> to) {
  for (std::size_t i = 0; i < to.count(); ++i) {
    std::copy_n(from.row(static_cast<Eigen::Index>(i)).data(), to.dim(), to.row(i));
  }
}

// One column for each row, in double precision.
template <class T>
[[nodiscard]] Eigen::MatrixXd columns(Rows<const T> rows) {
  return gather(rows).transpose().template cast<double>();
}

template <class T>
void write_columns(const Eigen::MatrixXd& samples, Rows<T> rows) {
  scatter<T>(samples.transpose().template cast<T>(), rows);
}

}  // namespace softradial::layers
