#pragma once

#include <cstddef>

#include "kernels/kernel_table.hpp"

// Vectorised passes over the bounds of one row, for sets that change from row to row (softradial/sample_bounds.hpp).
namespace softradial::kernels {

// lower <= x <= upper, with reach_j = min(upper_j - lower_j, spare).
template <class T>
struct BoundsRow {
  std::size_t dim;
  const T* lower;
  const T* upper;
  T spare;
};

template <class T>
struct BoundsKernels {
  T (*sum)(const T* values, std::size_t n) noexcept;
  T (*reach_sum)(const BoundsRow<T>& row) noexcept;
  void (*reach_anchor)(const BoundsRow<T>& row, T theta, T* anchor) noexcept;
  bool (*guarded_sides)(const BoundsRow<T>& row, const T* anchor, T* up, T* down) noexcept;
  T (*reach_dot)(const BoundsRow<T>& row, const T* h) noexcept;
  T (*reach_vjp)(const BoundsRow<T>& row, const T* h, T theta, T mean, T* grad_lower, T* grad_upper) noexcept;

  static const BoundsKernels& choose() noexcept;
};
template <>
const BoundsKernels<float>& BoundsKernels<float>::choose() noexcept;
template <>
const BoundsKernels<double>& BoundsKernels<double>::choose() noexcept;

// sum_j values_j
template <class T>
[[nodiscard]] inline T sum(const T* values, std::size_t n) noexcept {
  return table<BoundsKernels<T>>().sum(values, n);
}

// sum_j reach_j
template <class T>
[[nodiscard]] inline T reach_sum(const BoundsRow<T>& row) noexcept {
  return table<BoundsKernels<T>>().reach_sum(row);
}

// anchor = lower + theta reach
template <class T>
inline void reach_anchor(const BoundsRow<T>& row, T theta, T* anchor) noexcept {
  table<BoundsKernels<T>>().reach_anchor(row, theta, anchor);
}

// Guarded reciprocal slacks at the anchor (guard.hpp), 0 on an open side (upper_j = +infinity, lower_j = -infinity).
// False where the anchor is not finite or a slack is not resolvable.
template <class T>
inline bool guarded_sides(const BoundsRow<T>& row, const T* anchor, T* up, T* down) noexcept {
  return table<BoundsKernels<T>>().guarded_sides(row, anchor, up, down);
}

// sum_j h_j reach_j
template <class T>
[[nodiscard]] inline T reach_dot(const BoundsRow<T>& row, const T* h) noexcept {
  return table<BoundsKernels<T>>().reach_dot(row, h);
}

// grad_reach_j = theta (h_j - mean):  upper_j gets it where reach_j = upper_j - lower_j, spare gets the rest (returned);
// lower_j gets h_j minus what upper_j got. Null pointers are not written.
template <class T>
inline T reach_vjp(const BoundsRow<T>& row, const T* h, T theta, T mean, T* grad_lower, T* grad_upper) noexcept {
  return table<BoundsKernels<T>>().reach_vjp(row, h, theta, mean, grad_lower, grad_upper);
}

}  // namespace softradial::kernels
