#pragma once

#include <cstddef>

#include "kernels/simplex_kernels.hpp"
#include "softradial/rows.hpp"

// The unrolled corrections of DC3 and HardNet on boxes, simplices and capped simplices.
namespace softradial::kernels {

// push_j = 2 (relu(x_j - upper_j) - relu(lower_j - x_j)). With a sum, the last coordinate completes it:
//   x = u - (1.u - total) / n (symmetric; u as it is otherwise),   then `steps` times
//   m_j <- momentum m_j + push_j - push_n,   x_j <- x_j - rate m_j   for j < n,   x_n <- total - sum of the others.
// Without one all coordinates move, by their own push.
template <class T>
struct Dc3Steps {
  BoundedSum<T> set;
  bool sum;
  bool symmetric;
  std::size_t steps;
  T rate;
  T momentum;
};

// `m` is a row of scratch.
void dc3(const Dc3Steps<float>& steps, Rows<const float> u, Rows<float> x, float* m) noexcept;
void dc3(const Dc3Steps<double>& steps, Rows<const double> u, Rows<double> x, double* m) noexcept;
// `path` has steps + 1 rows of scratch.
void dc3_vjp(const Dc3Steps<float>& steps, Rows<const float> u, Rows<const float> grad_x, Rows<float> grad_u, float* m,
             Rows<float> path) noexcept;
void dc3_vjp(const Dc3Steps<double>& steps, Rows<const double> u, Rows<const double> grad_x, Rows<double> grad_u,
             double* m, Rows<double> path) noexcept;

// x <- x + 1/2 (w - 1 sum(w) / (n + 2)),   w_j = (total - 1.x) + relu(lower_j - x_j) - relu(x_j - upper_j),   `steps` times:
// the least-squares correction of the rows [1; I; I]. Without a sum: x <- x + w / 2 with w free of its first term.
template <class T>
struct LeastSquaresSteps {
  BoundedSum<T> set;
  bool sum;
  std::size_t steps;
};

void least_squares(const LeastSquaresSteps<float>& steps, Rows<const float> u, Rows<float> x) noexcept;
void least_squares(const LeastSquaresSteps<double>& steps, Rows<const double> u, Rows<double> x) noexcept;
// `path` has `steps` rows of scratch.
void least_squares_vjp(const LeastSquaresSteps<float>& steps, Rows<const float> u, Rows<const float> grad_x,
                       Rows<float> grad_u, Rows<float> path) noexcept;
void least_squares_vjp(const LeastSquaresSteps<double>& steps, Rows<const double> u, Rows<const double> grad_x,
                       Rows<double> grad_u, Rows<double> path) noexcept;

}  // namespace softradial::kernels
