#pragma once

#include <cstdint>

namespace softradial::study::kernels {

// For one row: returns sum_i min_tau(scale x_i, d_i) and writes grad_i = factor sigmoid((d_i - scale x_i)/tau). tau > 0.
double soft_min_row(const float* x, const float* demand, int64_t count, float scale, float tau, float factor,
                    float* grad) noexcept;
double soft_min_row(const double* x, const double* demand, int64_t count, double scale, double tau, double factor,
                    double* grad) noexcept;

}  // namespace softradial::study::kernels
