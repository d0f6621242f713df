#pragma once

#include "softradial/anchor.hpp"
#include "softradial/method.hpp"
#include "softradial/projection.hpp"
#include "softradial/set.hpp"

namespace softradial {

// How far a set reaches from its anchor, as one number R. With gamma the gauge, P the projection onto the k directions of the
// hull and e_j the axes,
//
//   1 / R^2 = (1 / 2k) sum_j (gamma(P e_j)^2 + gamma(-P e_j)^2),    k = sum_j |P e_j|^2.
//
// For a ball R is the radius, for a cube half the edge; {s x : x in C} has s R. R is infinite where no axis leaves the set.
// With more than 64 axes, both sums run over 64 of them, evenly spaced; above 2^16 dimensions they run over fewer, down to 8.
// The cost is that of 128 rows at most, and of 16 rows in a million dimensions.
[[nodiscard]] double reach(const Set& set, const Anchor& anchor);

// lambda in units of the set: R^2. A set that is s times as large then gives s times the map: p_sC(s u) = s p_C(u). The value
// is 1 where R is infinite, and is kept within [2^-96, 2^96], the range of single precision. Soft radial layers use it unless
// they are given a number; the paper's experiments have lambda = 1.
[[nodiscard]] double auto_lambda(const Set& set, const Anchor& anchor);

// The method with lambda = auto_lambda. The anchor that this finds is stored as options.anchor_point.
[[nodiscard]] SoftRadial with_auto_lambda(SoftRadial method, const Set& set, ProjectionOptions& options);

}  // namespace softradial
