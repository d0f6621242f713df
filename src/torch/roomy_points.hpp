#pragma once

#include "reduced_rows.hpp"

namespace softradial::ops {

struct RoomyPoints {
  at::Tensor y;      // (B, k)
  at::Tensor found;  // (B): whether y has room; if not, y is where the climb ended
};

// Points with room around them in {y : G y <= h}, one for each sample, without a matrix for each sample: with d_k(y) the
// distance from row k, in units of its norm, the climb raises the soft minimum of the distances
//
//   phi(y) = -tau log sum_k exp(-d_k(y) / tau),   grad phi = -sum_k p_k g_k / |g_k|,   p = softmax(-d / tau),
//
// which is within tau log m of the smallest distance and, unlike a barrier, is defined outside the set. The steps are conjugate
// gradients (Polak and Ribiere), preconditioned by the mean of g_k g_k' / |g_k|^2, with a search along the line: two products
// with G each. tau falls from round to round with the spread of the near rows, (p.d - min d) / 6; p is uniform at first.
//
// A point has room where min d >= p.d / 4 and |grad phi| <= 1/5. For any y* in the set min d(y*) <= p.d(y) + |grad phi| |y* - y|:
// so no point within 5 p.d(y) of it is more than eight times as far from the rows.
[[nodiscard]] RoomyPoints roomy_points(const Reduced& problem, const at::Tensor& from);

}  // namespace softradial::ops
