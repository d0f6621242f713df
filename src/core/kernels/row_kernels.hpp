#pragma once

#include <cstddef>

#include "softradial/rows.hpp"

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

// The same for the rows of a batch in one call: on short rows the calls would take longer than the work. d is contiguous.

// d_i = u_i - u0, squares_i = |d_i|^2
void subtract_rows(Rows<const float> u, const float* u0, float* d, float* squares) noexcept;
void subtract_rows(Rows<const double> u, const double* u0, double* d, double* squares) noexcept;

// out_i = d_i . g_i
void dot_rows(const float* d, Rows<const float> g, float* out) noexcept;
void dot_rows(const double* d, Rows<const double> g, double* out) noexcept;

// x_i = u0 + step_i d_i
void step_rows(const float* u0, const float* step, const float* d, Rows<float> x) noexcept;
void step_rows(const double* u0, const double* step, const double* d, Rows<double> x) noexcept;

// out_i = phi_i g_i + radial_i d_i + normal_i row_i; no row: without the last term.
template <class T>
struct CotangentRow {
  T phi;
  T radial;
  T normal;
  const T* row;
};
void cotangent_rows(const CotangentRow<float>* terms, const float* d, Rows<const float> g, Rows<float> out) noexcept;
void cotangent_rows(const CotangentRow<double>* terms, const double* d, Rows<const double> g,
                    Rows<double> out) noexcept;

}  // namespace softradial::kernels
