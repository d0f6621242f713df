#pragma once

#include <cstddef>

#include "kernels/kernel_table.hpp"
#include "softradial/rows.hpp"

// The mirror map of boxes, simplices and capped simplices: docs/math/mirror.md.
namespace softradial::kernels {

// x_j = lower_j + width_j share((u_j - tau) / T), with
//   share(z) = 1 / (1 + exp(-z)) if the upper sides are closed, else exp(z),
// and the tau at which sum_j (x_j - lower_j) = goal; tau = 0 without a sum. The bounds are guarded: numbers of T strictly
// inside the bounds as they were given. A fixed coordinate has width 0 and its value as both bounds.
template <class T>
struct MirrorBounds {
  std::size_t dim;
  const T* lower;
  const T* upper;
  const T* width;         // upper - lower; for an open side the scale of the exponential
  const T* reciprocal;    // 1 / width, 0 for a fixed coordinate
  T inverse_temperature;  // 1 / T
  bool closed;            // whether the upper sides are closed: all or none
  bool sum;               // whether there is a sum; the members below are for it
  T goal;                 // what the coordinates together add to their lower bounds
  T room;                 // sum of the widths
  T level;                // log(goal / (room - goal)): (u - tau) / T if all u are equal
};

template <class T>
struct MirrorKernels {
  std::size_t (*project)(const MirrorBounds<T>& set, Rows<const T> u, Rows<T> x, T* scratch, T* shifts) noexcept;
  void (*vjp)(const MirrorBounds<T>& set, Rows<const T> x, Rows<const T> g, Rows<T> grad_u) noexcept;

  static const MirrorKernels& choose() noexcept;
};
template <>
const MirrorKernels<float>& MirrorKernels<float>::choose() noexcept;
template <>
const MirrorKernels<double>& MirrorKernels<double>::choose() noexcept;

// `scratch` is a row. `shifts` is null or has two numbers for each row, (origin, log q) with tau = origin + T log q: tau as
// one number would be too coarse if u is large. Returns the steps of the search for tau, summed over the rows.
//
// With E_j = exp((u_j - origin) / T) a share is E_j / (E_j + q): one exponential for each coordinate, a reciprocal for each
// step. The share of the sum that is filled, F = sum_j width_j share_j / room, has a logit that falls in log q with a slope
// in [-1, 0), which is -1 where all u are equal: Halley's method on it, log(F / (1 - F)) = level, settles in a few steps. The
// bracket min(u) - T level <= tau <= max(u) - T level holds for every row; a step that leaves it, and from kHalleySteps on
// every second one, bisects. A row that spreads over more than kSpan T is bisected down to that first.
template <class T>
inline std::size_t mirror(const MirrorBounds<T>& set, Rows<const T> u, Rows<T> x, T* scratch, T* shifts) noexcept {
  return table<MirrorKernels<T>>().project(set, u, x, scratch, shifts);
}

// grad_u_j = a_j (g_j - a.g / sum(a)) / T with a_j = width_j share_j'(z) from x alone; without a sum a_j g_j / T. The
// Jacobian is symmetric: tangents go the same way.
template <class T>
inline void mirror_vjp(const MirrorBounds<T>& set, Rows<const T> x, Rows<const T> g, Rows<T> grad_u) noexcept {
  table<MirrorKernels<T>>().vjp(set, x, g, grad_u);
}

}  // namespace softradial::kernels
