#pragma once

#include <type_traits>

#include "kernels/kernel_table.hpp"
#include "kernels/panels.hpp"
#include "softradial/rows.hpp"

// W d for a block of vectors d, W in panels. Each w_i . d_r is one chain of fused multiply-adds over the columns in order,
// whatever the block, so that a row alone and the same row in a batch agree bit for bit.
namespace softradial::kernels {

template <class T>
struct MatrixProductKernels {
  void (*multiply)(const Panels<T>& w, Rows<const T> d, Rows<T> out) noexcept;
  void (*subtract_product)(const Panels<T>& w, Rows<const T> d, Rows<T> out) noexcept;

  static const MatrixProductKernels& choose() noexcept;
};
template <>
const MatrixProductKernels<float>& MatrixProductKernels<float>::choose() noexcept;
template <>
const MatrixProductKernels<double>& MatrixProductKernels<double>::choose() noexcept;

// out_r = W d_r. Rows of d have num_columns numbers, rows of out num_rows.
template <class T>
inline void multiply(const Panels<T>& w, std::type_identity_t<Rows<const T>> d, Rows<T> out) noexcept {
  table<MatrixProductKernels<T>>().multiply(w, d, out);
}

// out_r -= W d_r
template <class T>
inline void subtract_product(const Panels<T>& w, std::type_identity_t<Rows<const T>> d, Rows<T> out) noexcept {
  table<MatrixProductKernels<T>>().subtract_product(w, d, out);
}

}  // namespace softradial::kernels
