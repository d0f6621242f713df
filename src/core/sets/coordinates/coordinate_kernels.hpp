#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernel_table.hpp"
#include "profile.hpp"
#include "row_state.hpp"
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

// What the forward pass of a row saves: all that d needs besides u, and the gauge.
template <class T>
struct CoordinateState {
  T rho = 0;    // |d|^2; infinite: u is not finite or of extreme size
  T gamma = 0;  // gamma(d)
  T shift = 0;  // 0 without a sum constraint
  std::int32_t active =
      0;  // the active side: j for an upper bound, dim + j for a lower one, the smallest j among equals
};

// A coordinate set with a method.
template <class T>
struct CoordinateMap {
  CoordinateData<T> data;
  Method method;
  ProfileFunction<T> profile;
};

template <class T>
struct CoordinateKernels {
  void (*reduce)(const CoordinateData<T>& data, Rows<const T> u, CoordinateState<T>* state) noexcept;
  std::size_t (*project)(const CoordinateMap<T>& map, Rows<const T> u, Rows<T> x, RowState<T>* state) noexcept;
  std::size_t (*project_vjp)(const CoordinateMap<T>& map, Rows<const T> u, Rows<const T> grad_x,
                             const RowState<T>* state, Rows<T> grad_u, T* along_d) noexcept;

  static const CoordinateKernels& choose() noexcept;
};
template <>
const CoordinateKernels<float>& CoordinateKernels<float>::choose() noexcept;
template <>
const CoordinateKernels<double>& CoordinateKernels<double>::choose() noexcept;

// Computes the states of the rows of u, which may be of any finite size.
template <class T>
inline void reduce(const CoordinateData<T>& data, Rows<const T> u, CoordinateState<T>* state) noexcept {
  table<CoordinateKernels<T>>().reduce(data, u, state);
}

// x = u0 + phi d for rows 0, 1, ... up to the first whose rho is not below kLargestRho (not finite, or extreme); returns
// how many it did. `state` is null or has a place for each row, which receives a CoordinateState. x may be u.
template <class T>
inline std::size_t project(const CoordinateMap<T>& map, Rows<const T> u, Rows<T> x, RowState<T>* state) noexcept {
  return table<CoordinateKernels<T>>().project(map, u, x, state);
}

// grad_u = phi (g - mean g) + radial d + (normal slope at the active coordinate, minus its mean), with the scalars of
// ray_cotangent.hpp and slope = +-(reciprocal slack); the means only with a sum constraint.
// Stops and counts as `project` does. `state` is null, or what `project` saved; `along_d` is null or receives each d.g.
template <class T>
inline std::size_t project_vjp(const CoordinateMap<T>& map, Rows<const T> u, Rows<const T> grad_x,
                               const RowState<T>* state, Rows<T> grad_u, T* along_d = nullptr) noexcept {
  return table<CoordinateKernels<T>>().project_vjp(map, u, grad_x, state, grad_u, along_d);
}

}  // namespace softradial::kernels
