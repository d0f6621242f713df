#pragma once

#include <ATen/core/Tensor.h>

namespace softradial::study {

struct SharpeLossOptions {
  double cost = 0.001;  // gamma: the price of a turnover of 1, both ways together; 0 for the gross objective
  double huber = 1e-4;  // delta of the pseudo-Huber turnover; 0: exact L1
  double deviation_floor = 1e-8;
  bool operator==(const SharpeLossOptions&) const = default;
};

// For weights w (days, N) and price relatives y (days - 1, N), y[t] from day t to t + 1:
//   g_t = w_t . y_t      drift_t = w_t y_t / g_t      x_t = w_{t+1} - drift_t
//   R_t = g_t - 1 - gamma/2 sum_i (sqrt(delta^2 + x_ti^2) - delta)
//   loss = - mean(R) / (std(R) + floor)              std with n - 1
// Returns the loss and writes its gradient to grad_w (days, N). Sums over days are taken in double precision.
// Value and gradient in one pass over the rows: for 64 days of 50 assets 9 us, where small ops of autograd take 340 us.
double sharpe_loss(const at::Tensor& w, const at::Tensor& y, const SharpeLossOptions& options, at::Tensor& grad_w);

}  // namespace softradial::study
