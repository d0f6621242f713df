#pragma once

#include <cstddef>

#include "profile.hpp"
#include "softradial/projection.hpp"
#include "softradial/row_status.hpp"
#include "softradial/rows.hpp"

// Fused passes for capped simplices that change from row to row, {0 <= x <= cap, sum(x) = total}, seen from the closed-form
// anchor of softradial/sample_bounds.hpp with lower = 0:
//
//   u0_j = theta reach_j,   reach_j = min(cap_j, total),   theta = total / sum(reach)
//
// A cap above the total is implied by the others, so that reach_j may stand for it, and both slacks are shares of it:
//
//   gamma(d) = max_j max(d_j up, -d_j down) / reach_j,
//   up = 1 / ((1 - theta) (1 - 8 ulp) - ulp),   down = 1 / (theta (1 - 9 ulp))          (guarded: docs/math/margin.md)
//
//   pass 1   sum(reach), mean(u - u_1)
//   pass 2   d, |d|^2, gamma
//   pass 3   x = u0 + phi d
// Neither u0 nor the slacks are stored: forming them again costs less than loading them. Set-up by passes of their own, as
// other bounds have it, was four times slower.
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

// Does rows 0, 1, ... up to the first of extreme size or that is not finite: returns how many were done. Those without an
// interior by more than rounding are marked, and NaN. `state` is null or has a place for each row: {rho, theta, shift,
// active}; gamma is that of the active coordinate.
std::size_t project_shares(const ShareMap<float>& map, const ShareRows<float>& sets, Rows<const float> u, Rows<float> x,
                           RowStatus* status, RowState<float>* state) noexcept;
std::size_t project_shares(const ShareMap<double>& map, const ShareRows<double>& sets, Rows<const double> u,
                           Rows<double> x, RowStatus* status, RowState<double>* state) noexcept;

// The cotangents of u, and of the caps and the totals where those have data. `status` and `state` are what project_shares
// left; stops at the first row that is not ok or was not done there, and returns how many were done.
std::size_t shares_vjp(const ShareMap<float>& map, const ShareRows<float>& sets, Rows<const float> u,
                       Rows<const float> grad_x, const RowStatus* status, const RowState<float>* state,
                       Rows<float> grad_u, Rows<float> grad_caps, Rows<float> grad_total) noexcept;
std::size_t shares_vjp(const ShareMap<double>& map, const ShareRows<double>& sets, Rows<const double> u,
                       Rows<const double> grad_x, const RowStatus* status, const RowState<double>* state,
                       Rows<double> grad_u, Rows<double> grad_caps, Rows<double> grad_total) noexcept;

}  // namespace softradial::kernels
