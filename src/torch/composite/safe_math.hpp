#pragma once

#include <ATen/ATen.h>

// Functions whose textbook gradient is infinite or NaN at ordinary inputs, with gradients that are finite.
namespace softradial::composite {

// Returns the values where the condition holds, elsewhere a constant with gradient 0. (masked_fill keeps the dtype when it is
// exported; a `where` with a filled tensor does not.)
[[nodiscard]] inline at::Tensor where_else(const at::Tensor& condition, const at::Tensor& values, double otherwise) {
  return values.masked_fill(condition.bitwise_not(), otherwise);
}

// 1 - exp(-z) for z >= 0 without cancellation, by functions that every exporter knows.
[[nodiscard]] inline at::Tensor one_minus_exp(const at::Tensor& z) { return (z / 2).tanh() * (1 + (-z).exp()); }

// sqrt(x) for x >= 0, with gradient 0 at x = 0.
[[nodiscard]] inline at::Tensor safe_sqrt(const at::Tensor& x) {
  const at::Tensor positive = x > 0;
  return where_else(positive, where_else(positive, x, 1).sqrt(), 0);
}

// |d|_2 over the last dimension, which is kept with size 1.
[[nodiscard]] inline at::Tensor safe_norm(const at::Tensor& d) { return safe_sqrt((d * d).sum(-1, true)); }

// The largest entry over the last dimension, which is kept. Unlike amax, its gradient goes to one of several equal entries.
[[nodiscard]] inline at::Tensor largest(const at::Tensor& values) { return std::get<0>(values.max(-1, true)); }

}  // namespace softradial::composite
