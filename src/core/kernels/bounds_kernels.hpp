#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "softradial/rows.hpp"

// Vectorised passes over the data of one row, for sets that change from row to row: bounds (softradial/sample_bounds.hpp)
// and slacks of linear rows (softradial/sample_polyhedra.hpp). The guards are derived in docs/math/margin.md.
namespace softradial::kernels {

// lower <= x <= upper, with reach_j = min(upper_j - lower_j, spare).
template <class T>
struct BoundsRow {
  std::size_t dim;
  const T* lower;
  const T* upper;
  T spare;
};

// sum_j values_j
float sum(const float* values, std::size_t n) noexcept;
double sum(const double* values, std::size_t n) noexcept;

// sum_j reach_j
float reach_sum(const BoundsRow<float>& row) noexcept;
double reach_sum(const BoundsRow<double>& row) noexcept;

// anchor = lower + theta reach
void reach_anchor(const BoundsRow<float>& row, float theta, float* anchor) noexcept;
void reach_anchor(const BoundsRow<double>& row, double theta, double* anchor) noexcept;

// Guarded reciprocal slacks at the anchor, 0 on an open side (upper_j = +infinity, lower_j = -infinity):
//   1 / (slack (1 - 8 ulp) - ulp max(|anchor_j|, |bound_j|))
// False where the anchor is not finite, a slack is below kSmallestSlack or NaN, or the guard would take a quarter of it.
bool guarded_sides(const BoundsRow<float>& row, const float* anchor, float* up, float* down) noexcept;
bool guarded_sides(const BoundsRow<double>& row, const double* anchor, double* up, double* down) noexcept;

// sum_j h_j reach_j
float reach_dot(const BoundsRow<float>& row, const float* h) noexcept;
double reach_dot(const BoundsRow<double>& row, const double* h) noexcept;

// grad_reach_j = theta (h_j - mean):  upper_j gets it where reach_j = upper_j - lower_j, spare gets the rest (returned);
// lower_j gets h_j minus what upper_j got. Null pointers are not written.
float reach_vjp(const BoundsRow<float>& row, const float* h, float theta, float mean, float* grad_lower,
                float* grad_upper) noexcept;
double reach_vjp(const BoundsRow<double>& row, const double* h, double theta, double mean, double* grad_lower,
                 double* grad_upper) noexcept;

// slack = b - image, or b where image is null.
template <class T>
struct LinearSlack {
  const T* b;
  const T* image;
};

// Guarded reciprocal slacks of m linear rows a_i.x <= b_i:
//   scale_i = 1 / (slack_i (1 - 8 ulp) - 2 ulp norm_i size),   norm_i = |a_i|, size = |u0| >= |a_i.u0| / norm_i
// A row that never binds has scale 0: slack_i = +infinity, or norm_i = 0 with slack_i >= 0.
// Returns D = max_i norm_i scale_i, an upper bound of the gauge over unit vectors. Negative where a slack is below
// kSmallestSlack or NaN, the guard would take a quarter of it, norm_i is not between kSmallestSlack and its reciprocal,
// or D lies above the latter: products with d of ordinary size could overflow or vanish.
float guarded_scales(const LinearSlack<float>& slack, const float* norms, float size, std::size_t m,
                     float* scale) noexcept;
double guarded_scales(const LinearSlack<double>& slack, const double* norms, double size, std::size_t m,
                      double* scale) noexcept;

// One of these alone, to rounding, for a row that is resolvable and can bind.
template <class T>
[[nodiscard]] T guarded_scale(T slack, T norm, T size) noexcept {
  constexpr T kUlp = std::numeric_limits<T>::epsilon();
  return 1 / std::min(slack * (1 - 8 * kUlp) - 2 * kUlp * norm * size, std::numeric_limits<T>::max() / 8);
}

// The same for samples that share the rows and the anchor, all norms lying between kSmallestSlack and its reciprocal: what
// does not depend on b is prepared once.
template <class T>
struct SharedRows {
  std::span<const T> norms;
  const T* image;        // or null
  std::vector<T> loss;   // 2 ulp norm_i size
  std::vector<T> least;  // the smallest slack that is resolvable

  SharedRows(std::span<const T> row_norms, T size, const T* image_of_anchor);
};
// scales: a row for each of b's. steepest: D of each, or a negative number.
void guarded_scale_rows(const SharedRows<float>& rows, Rows<const float> b, Rows<float> scales,
                        float* steepest) noexcept;
void guarded_scale_rows(const SharedRows<double>& rows, Rows<const double> b, Rows<double> scales,
                        double* steepest) noexcept;

}  // namespace softradial::kernels
