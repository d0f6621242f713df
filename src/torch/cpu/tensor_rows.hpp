#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "softradial/projection.hpp"
#include "softradial/rows.hpp"

// Tensors (..., n) as batches of rows for the core.
namespace softradial::ops {

// Whether the tensor has one of the core's two precisions; the composite computes the others in single precision.
[[nodiscard]] inline bool core_precision(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble;
}

// A matrix (rows, n) whose rows are contiguous, sharing the tensor's memory where its strides allow.
[[nodiscard]] inline at::Tensor as_matrix(const at::Tensor& tensor) {
  const at::Tensor matrix = tensor.dim() == 2 ? tensor : tensor.reshape({-1, tensor.size(-1)});
  return matrix.stride(1) == 1 || matrix.size(1) == 1 ? matrix : matrix.contiguous();
}

template <class T>
[[nodiscard]] Rows<const T> const_rows(const at::Tensor& matrix) {
  return {matrix.data_ptr<T>(), static_cast<std::size_t>(matrix.size(0)), static_cast<std::size_t>(matrix.size(1)),
          static_cast<std::ptrdiff_t>(matrix.stride(0))};
}

// The rows of a contiguous tensor (..., n) that the op has just made.
template <class T>
[[nodiscard]] Rows<T> fresh_rows(const at::Tensor& tensor, int64_t rows) {
  return {tensor.data_ptr<T>(), static_cast<std::size_t>(rows), static_cast<std::size_t>(tensor.size(-1))};
}

// A batch of RowState<T> is stored as a tensor (rows, kStateWidth<T>).
template <class T>
inline constexpr int64_t kStateWidth = sizeof(RowState<T>) / sizeof(T);
static_assert(sizeof(RowState<float>) == 4 * sizeof(float) && sizeof(RowState<double>) == 4 * sizeof(double));

template <class T>
[[nodiscard]] std::span<RowState<T>> states(const at::Tensor& state) {
  return {reinterpret_cast<RowState<T>*>(state.data_ptr<T>()), static_cast<std::size_t>(state.size(0))};
}

// Calls body(first, count) for consecutive runs of rows, on as many threads as torch may use. Rows do not depend on each
// other, so the result is the same to the bit wherever the runs are cut.
template <class Body>
void for_each_run(int64_t rows, int64_t work_per_row, const Body& body) {
  constexpr int64_t kGrain = 1 << 15;
  if (rows == 0) return;
  at::parallel_for(0, rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, work_per_row)),
                   [&](int64_t first, int64_t last) {
                     body(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
                   });
}

}  // namespace softradial::ops
