#pragma once

#include <cstddef>

#include "kernels/kernel_table.hpp"
#include "softradial/rows.hpp"

// Vectorised passes over one row of n numbers. The order of summation depends on n and on the processor's vector length
// only, never on where the row lies.
namespace softradial::kernels {

// out_i = phi_i g_i + radial_i d_i + normal_i row_i; without a row the last term is left out.
template <class T>
struct CotangentRow {
  T phi;
  T radial;
  T normal;
  const T* row;
};

template <class T>
struct RowKernels {
  T (*subtract)(const T* u, const T* u0, T* d, std::size_t n) noexcept;
  T (*dot)(const T* a, const T* b, std::size_t n) noexcept;
  T (*dot_of_sizes)(const T* a, const T* b, std::size_t n) noexcept;
  T (*largest)(const T* x, std::size_t n) noexcept;
  void (*add_scaled)(T a, const T* x, T* y, std::size_t n) noexcept;
  void (*combine)(T a, const T* x, T b, const T* y, T* out, std::size_t n) noexcept;
  void (*subtract_rows)(Rows<const T> u, const T* u0, T* d, T* squares) noexcept;
  void (*dot_rows)(const T* d, Rows<const T> g, T* out) noexcept;
  void (*step_rows)(const T* u0, const T* step, const T* d, Rows<T> x) noexcept;
  void (*cotangent_rows)(const CotangentRow<T>* terms, const T* d, Rows<const T> g, Rows<T> out) noexcept;

  static const RowKernels& choose() noexcept;
};
template <>
const RowKernels<float>& RowKernels<float>::choose() noexcept;
template <>
const RowKernels<double>& RowKernels<double>::choose() noexcept;

// d = u - u0; returns |d|^2 (infinite or NaN where it overflows or u is not finite).
template <class T>
inline T subtract(const T* u, const T* u0, T* d, std::size_t n) noexcept {
  return table<RowKernels<T>>().subtract(u, u0, d, n);
}

// a . b
template <class T>
[[nodiscard]] inline T dot(const T* a, const T* b, std::size_t n) noexcept {
  return table<RowKernels<T>>().dot(a, b, n);
}

// sum_j |a_j b_j|
template <class T>
[[nodiscard]] inline T dot_of_sizes(const T* a, const T* b, std::size_t n) noexcept {
  return table<RowKernels<T>>().dot_of_sizes(a, b, n);
}

// max_j |x_j|; may ignore a NaN.
template <class T>
[[nodiscard]] inline T largest(const T* x, std::size_t n) noexcept {
  return table<RowKernels<T>>().largest(x, n);
}

// y += a x
template <class T>
inline void add_scaled(T a, const T* x, T* y, std::size_t n) noexcept {
  table<RowKernels<T>>().add_scaled(a, x, y, n);
}

// out = a x + b y; out may be x or y.
template <class T>
inline void combine(T a, const T* x, T b, const T* y, T* out, std::size_t n) noexcept {
  table<RowKernels<T>>().combine(a, x, b, y, out, n);
}

// Passes over all rows of a batch in one call: on short rows the calls would take longer than the work. d is contiguous.

// d_i = u_i - u0, squares_i = |d_i|^2
template <class T>
inline void subtract_rows(Rows<const T> u, const T* u0, T* d, T* squares) noexcept {
  table<RowKernels<T>>().subtract_rows(u, u0, d, squares);
}

// out_i = d_i . g_i
template <class T>
inline void dot_rows(const T* d, Rows<const T> g, T* out) noexcept {
  table<RowKernels<T>>().dot_rows(d, g, out);
}

// x_i = u0 + step_i d_i
template <class T>
inline void step_rows(const T* u0, const T* step, const T* d, Rows<T> x) noexcept {
  table<RowKernels<T>>().step_rows(u0, step, d, x);
}

template <class T>
inline void cotangent_rows(const CotangentRow<T>* terms, const T* d, Rows<const T> g, Rows<T> out) noexcept {
  table<RowKernels<T>>().cotangent_rows(terms, d, g, out);
}

}  // namespace softradial::kernels
