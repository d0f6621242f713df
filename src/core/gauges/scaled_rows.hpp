#pragma once

#include <vector>

#include "gauges/margin.hpp"
#include "softradial/linear_system.hpp"
#include "softradial/set.hpp"

namespace softradial {

// The rows of a polyhedron seen from its anchor: w_i = a_i / ((b_i - a_i.u0) (1 - sigma_i)), so that
// gamma(d) = max_i w_i.d, floored at 0. Rows that are constant on the hull are left out.
struct ScaledRows {
  std::vector<LinearSystem::Row> rows;
  Margin margin;
};

// The guard: with s_i the slack and a chain of at most `terms` products in w_i.d,
//   sigma_i = ulp (8 + sum_j |a_ij u0_j| / s_i),   kappa = ulp (terms / 2 + 2) max_i |w_i|.
template <class T>
[[nodiscard]] ScaledRows scale_rows(const LinearSystem& system, const AnchoredHull& at);

}  // namespace softradial
