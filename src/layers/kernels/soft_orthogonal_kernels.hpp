#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/kernel_table.hpp"
#include "kernels/simplex_kernels.hpp"
#include "softradial/rows.hpp"

// The soft orthogonal map of boxes, simplices and capped simplices: docs/math/soft_orthogonal.md.
namespace softradial::kernels {

// p = Proj_D(u),  w = P_hull(u) - p,  x = p + phi w,  phi = 1 / (1 / kappa + gamma),
// gamma = max_j w_j / (upper_j - p_j) or -w_j / (p_j - lower_j).
template <class T>
struct SoftBounds {
  BoundedSum<T> smaller;  // D; its total is not used without a sum
  bool sum;
  const T* lower;  // of C, guarded: numbers of T strictly inside it; infinite on open sides and for fixed coordinates
  const T* upper;
  const T* moves;  // 1, or 0 for fixed coordinates
  T count;         // how many coordinates move
  T fixed;         // the sum of the coordinates that do not
  T kappa;
};

// What the forward pass of a row saves. The offsets are e_j = u_j - origin, p_j = clip(e_j - tau), w_j = e_j - center - p_j.
template <class T>
struct SoftBoundsState {
  T origin;
  T tau;
  T center;
  T gamma;
  T push;  // +-1 / slack of the coordinate that attains gamma; 0 if gamma is 0
  std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t> active;  // that coordinate; ties: the first
};

template <class T>
struct SoftOrthogonalKernels {
  std::size_t (*project)(const SoftBounds<T>& set, Rows<const T> u, Rows<T> x, SoftBoundsState<T>* states) noexcept;
  void (*vjp)(const SoftBounds<T>& set, Rows<const T> u, const SoftBoundsState<T>* states, Rows<const T> g,
              Rows<T> grad_u) noexcept;

  static const SoftOrthogonalKernels& choose() noexcept;
};
template <>
const SoftOrthogonalKernels<float>& SoftOrthogonalKernels<float>::choose() noexcept;
template <>
const SoftOrthogonalKernels<double>& SoftOrthogonalKernels<double>::choose() noexcept;

// `states` has a place for each row, or is null. Returns the steps of the search for tau, summed over the rows.
template <class T>
inline std::size_t soft_orthogonal(const SoftBounds<T>& set, Rows<const T> u, Rows<T> x,
                                   SoftBoundsState<T>* states) noexcept {
  return table<SoftOrthogonalKernels<T>>().project(set, u, x, states);
}

// With nu_j = +-1 / slack_j at the coordinate that attains gamma, t = phi^2 (w.g), Q the mean-free part of the coordinates
// strictly between the bounds of D, and P that of all that move:
//   grad_u = P (phi g - t nu) + Q ((1 - phi) g - t (gamma - 1) nu)
template <class T>
inline void soft_orthogonal_vjp(const SoftBounds<T>& set, Rows<const T> u, const SoftBoundsState<T>* states,
                                Rows<const T> g, Rows<T> grad_u) noexcept {
  table<SoftOrthogonalKernels<T>>().vjp(set, u, states, g, grad_u);
}

}  // namespace softradial::kernels
