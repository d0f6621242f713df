#pragma once

#include <ATen/core/Tensor.h>

#include "set_builders.hpp"

namespace softradial::ops {

struct Centers {
  at::Tensor point;   // (..., n), in b's dtype; NaN where a sample has no centre
  at::Tensor status;  // (...), int8 values of RowStatus
};

// The analytic centres of {x : A x <= b, E x = f}, one for each sample:
//
//   argmin - sum_k log(b_k - a_k.x)   subject to   E x = f
//
// A: (m, n) or (..., m, n); b: (m) or (..., m); E: (k, n), f: (k) or (..., k), both or neither; start: (n) or (..., n),
// any point, the nearer to the centres the fewer steps. All samples take their steps together, in double
// (core/anchor/center_walk.hpp). Samples that do not converge are given to the core one by one, which tells empty sets from
// difficult ones.
//
// With `differentiable` the centres carry derivatives of two orders in A, b and f: the stationarity condition A'(1/s) = 0 is
// differentiated at the centre, du0 = -H^-1 d(A'(1/s)), H = A' diag(1/s^2) A.
[[nodiscard]] Centers analytic_center(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E,
                                      const MaybeTensor& f, const MaybeTensor& start, bool differentiable);

// A point inside one set, in double. Sets that differ from it in A, b and f may reuse it as their anchor.
struct KnownAnchor {
  at::Tensor point;      // a0, (n)
  at::Tensor distances;  // (m), distance from each row: (b_k - a_k.a0) / |a_k|
  MaybeTensor shift;  // the pseudo-inverse E^+ of equalities of full rank, (n, k); none: there are none, or they depend
};

// A point well inside each of the sets {x : A x <= b, E x = f}, without derivatives: the known anchor, moved onto the sample's
// equalities,
//
//   a0 + E^+ (f - E a0),
//
// where that keeps a quarter of the known anchor's distance from every row; elsewhere a point with room
// (roomy_points.hpp), or one near the analytic centre: its slacks are at least 3/4 of the centre's. Samples without a centre,
// unbounded ones, get that of their part near a0.
[[nodiscard]] Centers interior_point(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E,
                                     const MaybeTensor& f, const KnownAnchor& known);

}  // namespace softradial::ops
