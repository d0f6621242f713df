#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/kernel_table.hpp"
#include "kernels/simplex_kernels.hpp"
#include "softradial/rows.hpp"

// The unrolled corrections of DC3 and HardNet on boxes, simplices and capped simplices.
namespace softradial::kernels {

// DC3. push_j = 2 (relu(x_j - upper_j) - relu(lower_j - x_j)) is the slope of the squared violation. If the set has a
// sum, the last coordinate follows from the others:
//   x = u - (1.u - total) / n if symmetric, else x = u;   then `steps` times
//   m_j <- momentum m_j + push_j - push_n,   x_j <- x_j - rate m_j   for j < n,   x_n <- total - sum of the others.
// Without a sum, all coordinates move, each by its own push.
template <class T>
struct Dc3Steps {
  BoundedSum<T> set;
  bool sum;
  bool symmetric;
  std::size_t steps;
  T rate;
  T momentum;
};

// HardNet.   x <- x + 1/2 (w - 1 sum(w) / (n + 2)),   w_j = (total - 1.x) + relu(lower_j - x_j) - relu(x_j - upper_j),
// `steps` times: the least-squares correction of the rows [1; I; I]. Without a sum: x <- x + w / 2, where w lacks its
// first term.
template <class T>
struct LeastSquaresSteps {
  BoundedSum<T> set;
  bool sum;
  std::size_t steps;
};

template <class T>
struct CorrectionKernels {
  void (*dc3)(const Dc3Steps<T>& steps, Rows<const T> u, Rows<T> x, T* m) noexcept;
  void (*dc3_vjp)(const Dc3Steps<T>& steps, Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, T* m,
                  Rows<T> path) noexcept;
  void (*least_squares)(const LeastSquaresSteps<T>& steps, Rows<const T> u, Rows<T> x) noexcept;
  void (*least_squares_vjp)(const LeastSquaresSteps<T>& steps, Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u,
                            Rows<T> path) noexcept;

  static const CorrectionKernels& choose() noexcept;
};
template <>
const CorrectionKernels<float>& CorrectionKernels<float>::choose() noexcept;
template <>
const CorrectionKernels<double>& CorrectionKernels<double>::choose() noexcept;

// `m` is a row of scratch.
template <class T>
inline void dc3(const Dc3Steps<T>& steps, Rows<const T> u, Rows<T> x, T* m) noexcept {
  table<CorrectionKernels<T>>().dc3(steps, u, x, m);
}

// `path` has steps + 1 rows of scratch.
template <class T>
inline void dc3_vjp(const Dc3Steps<T>& steps, Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, T* m,
                    std::type_identity_t<Rows<T>> path) noexcept {
  table<CorrectionKernels<T>>().dc3_vjp(steps, u, grad_x, grad_u, m, path);
}

template <class T>
inline void least_squares(const LeastSquaresSteps<T>& steps, Rows<const T> u, Rows<T> x) noexcept {
  table<CorrectionKernels<T>>().least_squares(steps, u, x);
}

// `path` has `steps` rows of scratch.
template <class T>
inline void least_squares_vjp(const LeastSquaresSteps<T>& steps, Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u,
                              std::type_identity_t<Rows<T>> path) noexcept {
  table<CorrectionKernels<T>>().least_squares_vjp(steps, u, grad_x, grad_u, path);
}

}  // namespace softradial::kernels
