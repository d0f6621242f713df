#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

// Decisions that follow earlier ones: d_0 = x_0, d_t = x_t + s (d_{t-1} - x_t), 0 <= s < 1. This is a convex combination of
// points of a convex set, so d obeys the set if x does. In floating point each coordinate stays between those of its two
// points: bounds hold to the bit, other constraints up to rounding.
namespace softradial::study {

// Smooths the rows of x (days, N), in the order of time, in place.
void smooth_rows(at::Tensor& x, double s);
// Turns the gradient of d into that of x, in place.
void smooth_rows_backward(at::Tensor& grad, double s);

// The number of days after which the first decision's weight in the present one, s^days, is below 1e-6.
[[nodiscard]] int64_t smoothing_memory(double s);

}  // namespace softradial::study
