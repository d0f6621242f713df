#pragma once

#include <ATen/ATen.h>

#include <span>

#include "cpu/tensor_rows.hpp"
#include "softradial/row_status.hpp"

// Data that may be shared by all rows of a batch or differ from row to row.
namespace softradial::ops {

// The data as rows; `matrix` keeps their memory alive.
template <class T>
struct SampleRows {
  at::Tensor matrix;
  Rows<const T> rows;
};

// (width) or (): one row for the whole batch, stride 0. Other data are broadcast to (..., width) over the batch's shape.
template <class T>
[[nodiscard]] SampleRows<T> sample_rows(const at::Tensor& data, at::IntArrayRef batch, int64_t rows, int64_t width) {
  const auto is_row = [width](const at::Tensor& t) { return t.numel() == width && t.is_contiguous(); };
  if (data.dim() <= 1) {
    const at::Tensor row = is_row(data) ? data : data.expand({width}).contiguous();
    return {row, {row.data_ptr<T>(), static_cast<std::size_t>(rows), static_cast<std::size_t>(width), 0}};
  }
  at::DimVector shape(batch.begin(), batch.end());
  shape.push_back(width);
  const at::Tensor matrix = as_matrix(data.sizes() == at::IntArrayRef(shape) ? data : data.expand(shape));
  return {matrix, const_rows<T>(matrix)};
}

// The batch's shape: u's without the last dimension.
[[nodiscard]] inline at::IntArrayRef batch_shape(const at::Tensor& u) { return u.sizes().slice(0, u.dim() - 1); }

[[nodiscard]] inline std::span<RowStatus> statuses(const at::Tensor& status) {
  return {reinterpret_cast<RowStatus*>(status.data_ptr<int8_t>()), static_cast<std::size_t>(status.numel())};
}

// A matrix (rows, width) for cotangents, if wanted.
template <class T>
[[nodiscard]] Rows<T> wanted_rows(bool wanted, int64_t rows, int64_t width, const at::TensorOptions& options,
                                  at::Tensor& out) {
  if (!wanted) return {};
  out = at::empty({rows, width}, options);
  return fresh_rows<T>(out, rows);
}

// Sums the cotangents of all samples, (rows, width), to the shape that the data had.
[[nodiscard]] inline at::Tensor like_data(const at::Tensor& gradient, const at::Tensor& data, at::IntArrayRef batch) {
  if (!gradient.defined()) return gradient;
  at::DimVector shape(batch.begin(), batch.end());
  shape.push_back(gradient.size(-1));
  return at::sum_to(gradient.reshape(shape), data.sizes());
}

}  // namespace softradial::ops
