#pragma once

#include <cstddef>
#include <vector>

#include "softradial/projection.hpp"
#include "support/random_points.hpp"

namespace softradial::support {

// How far three ways to the same derivative lie apart, relative to the size of the Jacobian.
struct GradientReport {
  int checked = 0;
  int near_kinks = 0;                 // samples left out
  double vjp_against_jvp = 0;         // largest |J_vjp - J_jvp| / |J_jvp|, both dense, by columns and by rows
  double jvp_against_difference = 0;  // largest |J v - finite difference along v| / |J|
};

// Compares, at `per_scale` random points for each scale, the Jacobian assembled from project_vjp (rows), the one from
// project_jvp (columns), and central differences of fourth order along a random direction of the hull.
//
// A sample is left out where its stencil may straddle a kink: the active piece or the side of gamma = 1 changes within it,
// or the differences with steps h and 2h, which agree to O(h^2) where the map is smooth, do not agree.
[[nodiscard]] GradientReport check_gradients(const Projection<double>& layer, RandomPoints& random,
                                             const std::vector<double>& scales, std::size_t per_scale);

}  // namespace softradial::support
