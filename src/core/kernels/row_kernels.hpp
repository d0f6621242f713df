#pragma once

#include <cstddef>

// Vectorised passes over one row of n numbers. The order of summation depends on n and on the processor's vector length
// only, never on where the row lies.
namespace softradial::kernels {

// d = u - u0; returns |d|^2 (infinite or NaN where it overflows or u is not finite).
float subtract(const float* u, const float* u0, float* d, std::size_t n) noexcept;
double subtract(const double* u, const double* u0, double* d, std::size_t n) noexcept;

// a . b
float dot(const float* a, const float* b, std::size_t n) noexcept;
double dot(const double* a, const double* b, std::size_t n) noexcept;

// y += a x
void add_scaled(float a, const float* x, float* y, std::size_t n) noexcept;
void add_scaled(double a, const double* x, double* y, std::size_t n) noexcept;

// out = a x + b y; out may be x or y.
void combine(float a, const float* x, float b, const float* y, float* out, std::size_t n) noexcept;
void combine(double a, const double* x, double b, const double* y, double* out, std::size_t n) noexcept;

}  // namespace softradial::kernels
