#pragma once

#include <cstddef>
#include <cstdint>

#include "profile.hpp"
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
  T inverse_dim = 0;
};

// rho, gamma, shift and active of every row: the active side is j for an upper bound, dim + j for a lower one, the
// smallest coordinate among equals.
void reduce(const CoordinateData<float>& data, Rows<const float> u, RowState<float>* state) noexcept;
void reduce(const CoordinateData<double>& data, Rows<const double> u, RowState<double>* state) noexcept;

// A set of this kind with a method.
template <class T>
struct CoordinateMap {
  CoordinateData<T> data;
  Method method;
  ProfileFunction<T> profile;
};

// x = u0 + phi d for rows 0, 1, ... up to the first whose rho is not below kLargestRho (not finite, or extreme): returns
// how many were done. `state` is null or has a place for each row. x may be u.
std::size_t project(const CoordinateMap<float>& map, Rows<const float> u, Rows<float> x,
                    RowState<float>* state) noexcept;
std::size_t project(const CoordinateMap<double>& map, Rows<const double> u, Rows<double> x,
                    RowState<double>* state) noexcept;

// grad_u = phi (g - mean g) + along d + (n at the active coordinate, minus its mean); the means only with a sum constraint:
//   along = phi (d.g) e_rho / rho,   n = phi (d.g) e_gamma / gamma * (+-reciprocal slack).
// Stops and counts as `project` does. `state` is null, or what `project` left; `along_d` is null or receives each d.g.
std::size_t project_vjp(const CoordinateMap<float>& map, Rows<const float> u, Rows<const float> grad_x,
                        const RowState<float>* state, Rows<float> grad_u, float* along_d = nullptr) noexcept;
std::size_t project_vjp(const CoordinateMap<double>& map, Rows<const double> u, Rows<const double> grad_x,
                        const RowState<double>* state, Rows<double> grad_u, double* along_d = nullptr) noexcept;

}  // namespace softradial::kernels
