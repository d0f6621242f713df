#pragma once

#include <ATen/core/Tensor.h>

namespace softradial::study {

// For shares x (batch, zones), supply S (batch) and demand d (batch, zones), with the allocation a = S x:
//   served = mean over the batch of  sum_i min_tau(a_i, d_i) / max(sum_i d_i, 1)
//   min_tau(a, d) = -tau log(e^(-a/tau) + e^(-d/tau)) = min(a, d) - tau log(1 + e^(-|a - d|/tau))
// Returns the loss -served and writes its gradient to grad_x (batch, zones); d min_tau / da = sigmoid((d - a)/tau).
// tau = 0 is the hard minimum, with slope 1 where a < d and 0 elsewhere.
double served_loss(const at::Tensor& x, const at::Tensor& supply, const at::Tensor& demand, double tau,
                   at::Tensor& grad_x);

// The served rate with the hard minimum, in double precision.
double served_rate(const at::Tensor& x, const at::Tensor& supply, const at::Tensor& demand);

}  // namespace softradial::study
