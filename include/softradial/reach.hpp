#pragma once

#include "softradial/anchor.hpp"
#include "softradial/set.hpp"

namespace softradial {

// How far a set reaches from its anchor, as one number R: with gamma the gauge, P the projection onto the k directions of the
// hull and e_j the axes,
//
//   1 / R^2 = (1 / 2k) sum_j (gamma(P e_j)^2 + gamma(-P e_j)^2).
//
// A ball has its radius, a cube half its edge; {s x : x in C} has s R. Infinite where no axis leaves the set.
[[nodiscard]] double reach(const Set& set, const Anchor& anchor);

// lambda in units of the set, R^2, so that a set that is s times as large gives s times the map: p_sC(s u) = s p_C(u). 1 where
// R is infinite.
[[nodiscard]] double auto_lambda(const Set& set, const Anchor& anchor);

}  // namespace softradial
