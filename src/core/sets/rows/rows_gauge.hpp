#pragma once

#include <vector>

#include "sets/margin.hpp"
#include "softradial/linear_system.hpp"
#include "softradial/set.hpp"

namespace softradial {

// The rows of a polyhedron seen from its anchor: w_i = a_i / ((b_i - a_i.u0) (1 - sigma_i)), so that
// gamma(d) = max_i w_i.d, floored at 0. Rows that are constant on the hull are left out.
struct ScaledRows {
  std::vector<LinearSystem::Row> rows;
  Margin margin;
};

// gamma(d) = max(0, max_i w_i.d) over scaled rows: by a matrix kernel, or by the non-zeros alone.
template <class T>
[[nodiscard]] GaugePtr<T> make_dense_rows_gauge(const ScaledRows& rows, std::size_t dim);
template <class T>
[[nodiscard]] GaugePtr<T> make_sparse_rows_gauge(const ScaledRows& rows, std::size_t dim);

// The gauge of scaled rows by tensors. W: (rows x dim); without rows gamma = 0.
[[nodiscard]] TensorGauge rows_in_tensors(const Eigen::MatrixXd& W, const TensorSpace& space);

// The gauge of A x <= b from an anchor for each sample, (..., dim), guarded row by row as row_slack_kernels.hpp does it.
// A: (m, dim) or (..., m, dim); slack: (..., m), b - A u0 as slack_roundings() (guard.hpp) has it.
[[nodiscard]] TensorGaugeAt rows_gauge_in_tensors(const Tensor& A, const Tensor& slack, const Tensor& anchor,
                                                  const TensorSpace& space);

}  // namespace softradial
