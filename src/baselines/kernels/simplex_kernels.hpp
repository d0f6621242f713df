#pragma once

#include <cstddef>

#include "softradial/rows.hpp"

// Vectorised passes for maps onto boxes, simplices and capped simplices.
namespace softradial::kernels {

// x = total softmax(u / temperature)
void softmax(Rows<const float> u, float total, float inverse_temperature, Rows<float> x) noexcept;
void softmax(Rows<const double> u, double total, double inverse_temperature, Rows<double> x) noexcept;

// grad_u = x (g - x.g / total) / temperature
void softmax_vjp(Rows<const float> x, Rows<const float> g, float total, float inverse_temperature,
                 Rows<float> grad_u) noexcept;
void softmax_vjp(Rows<const double> x, Rows<const double> g, double total, double inverse_temperature,
                 Rows<double> grad_u) noexcept;

// {lower <= x <= upper, 1.x = total}; lower and upper finite, of dim numbers.
template <class T>
struct BoundedSum {
  std::size_t dim;
  const T* lower;
  const T* upper;
  T total;
};

// x = clip(u - tau, lower, upper) with tau such that 1.x = total: the orthogonal projection. Returns the steps of the search
// for tau, summed over the rows.
//
// s(tau) = sum_j clip(u_j - tau, lower_j, upper_j) falls, piecewise linear, with slope -k, k the number of free coordinates.
// Newton's method inside a bracket: exact as soon as it lands on the right piece; a bisection only where k = 0 or the step
// leaves the bracket. The row is counted from its largest number, then from the threshold that was found, so that the search
// runs among differences and a common offset of any size is harmless. At a vertex (k = 0 and s = total) tau is any number of an interval, and x the vertex.
std::size_t project_bounded_sum(const BoundedSum<float>& set, Rows<const float> u, Rows<float> x) noexcept;
std::size_t project_bounded_sum(const BoundedSum<double>& set, Rows<const double> u, Rows<double> x) noexcept;

// grad_u_j = g_j - mean of g over the free coordinates, those strictly between their bounds; 0 at the others.
void bounded_sum_vjp(const BoundedSum<float>& set, Rows<const float> x, Rows<const float> g,
                     Rows<float> grad_u) noexcept;
void bounded_sum_vjp(const BoundedSum<double>& set, Rows<const double> x, Rows<const double> g,
                     Rows<double> grad_u) noexcept;

}  // namespace softradial::kernels
