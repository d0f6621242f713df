#pragma once

#include <cstddef>
#include <span>

#include "kernels/kernel_table.hpp"
#include "softradial/rows.hpp"

// Vectorised passes for maps onto boxes, simplices and capped simplices.
namespace softradial::kernels {

// Where the search for tau begins. If the u of a row were normally distributed, with variance v, the coordinates of a set
// whose share F = (total - sum(lower)) / sum(upper - lower) is filled would have
//   tau = mean(u) - middle - quantile sqrt(v + width2)       quantile = Phi^-1(F),  width2 = mean((upper - lower)^2) / 12
// and the sum would fall there with the slope density / sqrt(v + width2). Without a density it begins at mean(u) - total / n.
template <class T>
struct SumGuide {
  T middle = 0;
  T quantile = 0;
  T width2 = 0;
  T density = 0;
};
template <class T>
[[nodiscard]] SumGuide<T> sum_guide(std::span<const T> lower, std::span<const T> upper, T total);

// {lower <= x <= upper, 1.x = total}; lower and upper finite, of dim numbers.
template <class T>
struct BoundedSum {
  std::size_t dim;
  const T* lower;
  const T* upper;
  T total;
  SumGuide<T> guide = {};
};

template <class T>
struct SimplexKernels {
  void (*softmax)(Rows<const T> u, T total, T inverse_temperature, Rows<T> x) noexcept;
  void (*softmax_vjp)(Rows<const T> x, Rows<const T> g, T total, T inverse_temperature, Rows<T> grad_u) noexcept;
  std::size_t (*project_bounded_sum)(const BoundedSum<T>& set, Rows<const T> u, Rows<T> x) noexcept;
  void (*bounded_sum_vjp)(const BoundedSum<T>& set, Rows<const T> x, Rows<const T> g, Rows<T> grad_u) noexcept;

  static const SimplexKernels& choose() noexcept;
};
template <>
const SimplexKernels<float>& SimplexKernels<float>::choose() noexcept;
template <>
const SimplexKernels<double>& SimplexKernels<double>::choose() noexcept;

// x = total softmax(u / temperature)
template <class T>
inline void softmax(Rows<const T> u, T total, T inverse_temperature, Rows<T> x) noexcept {
  table<SimplexKernels<T>>().softmax(u, total, inverse_temperature, x);
}

// grad_u = x (g - x.g / total) / temperature
template <class T>
inline void softmax_vjp(Rows<const T> x, Rows<const T> g, T total, T inverse_temperature, Rows<T> grad_u) noexcept {
  table<SimplexKernels<T>>().softmax_vjp(x, g, total, inverse_temperature, grad_u);
}

// x = clip(u - tau, lower, upper) with tau such that 1.x = total: the orthogonal projection. Returns the number of
// steps of the search for tau, summed over the rows.
//
// s(tau) = sum_j clip(u_j - tau, lower_j, upper_j) falls and is piecewise linear with slope -k; k is the number of free
// coordinates. Newton's method in a bracket is exact once it reaches the right piece. If k = 0, the first steps take the
// slope of the guide and later ones bisect; so does a step that leaves the bracket. The search works on differences to the
// largest number of the row, then to the tau that was found, so that a common offset of any size does no harm. At a
// vertex (k = 0 and s = total) tau is any number of an interval, and x is the vertex.
template <class T>
inline std::size_t project_bounded_sum(const BoundedSum<T>& set, Rows<const T> u, Rows<T> x) noexcept {
  return table<SimplexKernels<T>>().project_bounded_sum(set, u, x);
}

// grad_u_j = g_j - mean of g over the free coordinates, those strictly between their bounds; 0 at the others.
template <class T>
inline void bounded_sum_vjp(const BoundedSum<T>& set, Rows<const T> x, Rows<const T> g, Rows<T> grad_u) noexcept {
  table<SimplexKernels<T>>().bounded_sum_vjp(set, x, g, grad_u);
}

}  // namespace softradial::kernels
