#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernel_table.hpp"
#include "profile.hpp"
#include "row_state.hpp"
#include "softradial/row_status.hpp"
#include "softradial/rows.hpp"

// Fused passes for capped simplices that change from row to row, {0 <= x <= cap, sum(x) = total}, seen from the closed-form
// anchor of softradial/sample_bounds.hpp with lower = 0:
//
//   u0_j = theta reach_j,   reach_j = min(cap_j, total),   theta = total / sum(reach)
//
// A cap above the total is implied by the others, so that reach_j may stand for it, and both slacks are shares of reach_j:
//
//   gamma(d) = max_j max(d_j up, -d_j down) / reach_j,
//   up = 1 / ((1 - theta) (1 - 8 ulp) - ulp),   down = 1 / (theta (1 - 9 ulp))          (guarded: docs/math/margin.md)
//
//   pass 1   sum(reach), mean(u - u_1)
//   pass 2   d, |d|^2, gamma
//   pass 3   x = u0 + phi d
// Neither u0 nor the slacks are stored: forming them again costs less than loading them. Separate passes for the set-up, as
// for other bounds, were four times slower.
namespace softradial::kernels {

template <class T>
struct ShareMap {
  std::size_t dim;
  Method method;
  ProfileFunction<T> profile;
};

template <class T>
struct ShareRows {
  Rows<const T> caps;
  Rows<const T> total;  // one number a row
};

// What the forward pass of a row saves. gamma is not saved: it is that of the active coordinate.
template <class T>
struct ShareState {
  T rho = 0;                // |d|^2
  T theta = 0;              // u0 = theta reach
  T shift = 0;              // mean(u - u_1) - mean(u0)
  std::int32_t active = 0;  // the active side: j for a cap, dim + j for a lower bound, the smallest j among equals
};

template <class T>
struct ShareKernels {
  std::size_t (*project)(const ShareMap<T>& map, const ShareRows<T>& sets, Rows<const T> u, Rows<T> x,
                         RowStatus* status, RowState<T>* state) noexcept;
  std::size_t (*vjp)(const ShareMap<T>& map, const ShareRows<T>& sets, Rows<const T> u, Rows<const T> grad_x,
                     const RowStatus* status, const RowState<T>* state, Rows<T> grad_u, Rows<T> grad_caps,
                     Rows<T> grad_total) noexcept;

  static const ShareKernels& choose() noexcept;
};
template <>
const ShareKernels<float>& ShareKernels<float>::choose() noexcept;
template <>
const ShareKernels<double>& ShareKernels<double>::choose() noexcept;

// Does rows 0, 1, ... up to the first that is of extreme size or not finite, and returns how many it did. Rows without an
// interior by more than rounding are marked and become NaN. `state` is null or has a place for each row, which receives a
// ShareState.
template <class T>
inline std::size_t project_shares(const ShareMap<T>& map, const ShareRows<T>& sets, Rows<const T> u, Rows<T> x,
                                  RowStatus* status, RowState<T>* state) noexcept {
  return table<ShareKernels<T>>().project(map, sets, u, x, status, state);
}

// The cotangents of u, and of the caps and the totals if these have data. `status` and `state` are what project_shares
// saved. Stops at the first row that is not ok or was not done there, and returns how many it did.
template <class T>
inline std::size_t shares_vjp(const ShareMap<T>& map, const ShareRows<T>& sets, Rows<const T> u, Rows<const T> grad_x,
                              const RowStatus* status, const RowState<T>* state, Rows<T> grad_u, Rows<T> grad_caps,
                              Rows<T> grad_total) noexcept {
  return table<ShareKernels<T>>().vjp(map, sets, u, grad_x, status, state, grad_u, grad_caps, grad_total);
}

}  // namespace softradial::kernels
