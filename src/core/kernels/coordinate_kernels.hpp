#pragma once

#include <cstddef>
#include <cstdint>

#include "softradial/projection.hpp"
#include "softradial/rows.hpp"

// Fused passes for boxes, simplices and capped simplices: u is read where it lies, x is written once.
//
//   d_j   = u_j - u0_j                                 (no sum constraint)
//   d_j   = (u_j - u_1) - (u0_j + shift)               shift = mean(u - u_1) - mean(u0): the hull {1.x = total}
//   d_j   = (u_j - u_1) - shift                        shift = mean(u - u_1), where u0 is the same in every coordinate
//   gamma = max_j max(d_j up_j, -d_j down_j, 0)        up, down: guarded reciprocal slacks, 0 on an open side
//   rho   = |d|^2
//
// Subtracting u_1 first makes a common offset of any size harmless: what is summed is never larger than the spread of
// the row. A mean of the raw u was the alternative: it needs a second pass to be accurate.
namespace softradial::kernels {

template <class T>
struct CoordinateData {
  std::size_t dim = 0;
  bool sum = false;      // the hull is {1.x = total}, otherwise all of R^n
  bool uniform = false;  // anchor, up and down are the same for every coordinate: the arrays are not read
  const T* anchor = nullptr;
  const T* up = nullptr;
  const T* down = nullptr;
  T anchor_mean = 0;
};

// rho, gamma, shift of every row; with find_active also the active side: j for an upper bound, dim + j for a lower one.
// A row that is not finite, or whose rho would overflow, has a rho that is not below kLargestRho.
void reduce(const CoordinateData<float>& data, Rows<const float> u, RowState<float>* state, bool find_active) noexcept;
void reduce(const CoordinateData<double>& data, Rows<const double> u, RowState<double>* state,
            bool find_active) noexcept;

// x = u0 + phi d
void apply(const CoordinateData<float>& data, Rows<const float> u, const RowState<float>* state, const float* phi,
           Rows<float> x) noexcept;
void apply(const CoordinateData<double>& data, Rows<const double> u, const RowState<double>* state, const double* phi,
           Rows<double> x) noexcept;

// What the pass over (d, grad_x) finds.
template <class T>
struct CotangentSums {
  T along_d = 0;  // d . grad_x
  T mean = 0;     // mean(grad_x) with a sum constraint, else 0
};
void reduce_vjp(const CoordinateData<float>& data, Rows<const float> u, Rows<const float> grad_x,
                const RowState<float>* state, CotangentSums<float>* sums) noexcept;
void reduce_vjp(const CoordinateData<double>& data, Rows<const double> u, Rows<const double> grad_x,
                const RowState<double>* state, CotangentSums<double>* sums) noexcept;

// grad_u = phi grad_x + along_d d + constant, plus at_active at the active coordinate.
template <class T>
struct CotangentTerms {
  T phi = 0;
  T along_d = 0;
  T constant = 0;
  T at_active = 0;
};
void apply_vjp(const CoordinateData<float>& data, Rows<const float> u, Rows<const float> grad_x,
               const RowState<float>* state, const CotangentTerms<float>* terms, Rows<float> grad_u) noexcept;
void apply_vjp(const CoordinateData<double>& data, Rows<const double> u, Rows<const double> grad_x,
               const RowState<double>* state, const CotangentTerms<double>* terms, Rows<double> grad_u) noexcept;

}  // namespace softradial::kernels
