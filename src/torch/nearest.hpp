#pragma once

#include <ATen/core/Tensor.h>

#include "bounds.hpp"
#include "samples.hpp"

// Orthogonal projections onto sets that change from row to row, with first derivatives in u and in all data. In double.
namespace softradial::ops {

// The nearest points of {x : A x <= b, E x = f}. u (..., n); A (m, n) or (..., m, n); b (..., m); f (..., k). `steps` replaces
// the exact solution by that many splitting steps (layers/orthogonal/polyhedron_projector.hpp). The map caches the work for
// its own rows.
[[nodiscard]] at::Tensor nearest_in_polyhedra(const at::Tensor& u, const PolyhedraOfSamples& sets,
                                              c10::optional<int64_t> steps, const MapPtr& map);

// The nearest points of {x : lower <= x <= upper}, on the hyperplane 1.x = sum if a sum is given:
//   x = min(max(u - tau, lower), upper)
[[nodiscard]] at::Tensor nearest_in_bounds(const at::Tensor& u, const BoundsData& sets);

// The nearest points of {x : |x - center| <= radius}; radius (..., 1).
[[nodiscard]] at::Tensor nearest_in_balls(const at::Tensor& u, const at::Tensor& center, const at::Tensor& radius);

}  // namespace softradial::ops
