#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/kernel_table.hpp"
#include "kernels/panels.hpp"
#include "softradial/rows.hpp"

// The largest entry of W d over the rows of W, for a block of vectors d: a matrix product whose result is never stored.
//
//   best[r] = max(0, max_i w_i . d_r),   index[r] = the smallest i that attains it, -1 where the maximum is not positive.
//
// Each w_i . d_r is one chain of fused multiply-adds over the columns in order, whatever the block, so that a row alone
// and the same row in a batch agree bit for bit. A BLAS call plus a scan was the alternative: it stores and reads back
// count x m numbers, its bits depend on the batch, and it repacks W on every call.
namespace softradial::kernels {

// Buffers for blocks of at most max_rows vectors. The vectors themselves are read where they lie: a copy of the tiles,
// column by column, as a matrix product would make it, took a tenth of the time at 50 columns and gained nothing at 1000.
template <class T>
struct MatrixMaxScratch {
  explicit MatrixMaxScratch(std::size_t max_rows);

  std::vector<T> best;   // running maxima, kPanelRows lanes for each row
  std::vector<T> panel;  // the panel they were found in, as a number of the lanes' own type
};

template <class T>
struct MatrixMaxKernels {
  void (*matrix_max)(const Panels<T>& w, Rows<const T> d, T* best, std::int32_t* index,
                     MatrixMaxScratch<T>& scratch) noexcept;
  void (*scaled_matrix_max)(const Panels<T>& w, Rows<const T> d, Rows<const T> scales, T* best, std::int32_t* index,
                            MatrixMaxScratch<T>& scratch) noexcept;

  static const MatrixMaxKernels& choose() noexcept;
};
template <>
const MatrixMaxKernels<float>& MatrixMaxKernels<float>::choose() noexcept;
template <>
const MatrixMaxKernels<double>& MatrixMaxKernels<double>::choose() noexcept;

template <class T>
inline void matrix_max(const Panels<T>& w, Rows<const T> d, T* best, std::int32_t* index,
                       MatrixMaxScratch<T>& scratch) noexcept {
  table<MatrixMaxKernels<T>>().matrix_max(w, d, best, index, scratch);
}

// The maximum with scales that change from row to row: best[r] = max(0, max_i scale_ri (w_i . d_r)), scale_ri >= 0. `scales`
// has a number for every row of every panel, num_panels * kPanelRows; those behind the last row of W are zeros.
template <class T>
inline void scaled_matrix_max(const Panels<T>& w, std::type_identity_t<Rows<const T>> d,
                              std::type_identity_t<Rows<const T>> scales, T* best, std::int32_t* index,
                              MatrixMaxScratch<T>& scratch) noexcept {
  table<MatrixMaxKernels<T>>().scaled_matrix_max(w, d, scales, best, index, scratch);
}

}  // namespace softradial::kernels
