#pragma once

#include "softradial/anchor.hpp"
#include "softradial/method.hpp"
#include "softradial/projection.hpp"
#include "softradial/set.hpp"

namespace softradial {

// How far a set reaches from its anchor, as one number R: with gamma the gauge, P the projection onto the k directions of the
// hull and e_j the axes,
//
//   1 / R^2 = (1 / 2k) sum_j (gamma(P e_j)^2 + gamma(-P e_j)^2),    k = sum_j |P e_j|^2.
//
// A ball has its radius, a cube half its edge; {s x : x in C} has s R. Infinite where no axis leaves the set. Where there are more
// than 64 axes, both sums are over 64 of them, evenly spaced, and above 2^16 dimensions over fewer, down to 8: the cost is that of
// 128 rows at most, of 16 in a million dimensions.
[[nodiscard]] double reach(const Set& set, const Anchor& anchor);

// lambda in units of the set, R^2, so that a set that is s times as large gives s times the map: p_sC(s u) = s p_C(u). 1 where
// R is infinite, and within [2^-96, 2^96], what single precision holds. What soft radial layers take unless they are given a
// number; the paper's experiments have lambda = 1.
[[nodiscard]] double auto_lambda(const Set& set, const Anchor& anchor);

// The method with that lambda. The anchor that is found for it becomes the point that `options` names.
[[nodiscard]] SoftRadial with_auto_lambda(SoftRadial method, const Set& set, ProjectionOptions& options);

}  // namespace softradial
