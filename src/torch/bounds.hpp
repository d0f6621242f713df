#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

#include "map_object.hpp"
#include "set_builders.hpp"

// Projections onto coordinate sets that change from row to row (softradial/sample_bounds.hpp), through the dispatcher.
namespace softradial::ops {

// lower, upper: broadcast to u (..., dim); sum: () or (..., 1), none without a sum constraint; anchor: none for the closed
// form. All of u's dtype.
struct BoundsData {
  at::Tensor lower;
  at::Tensor upper;
  MaybeTensor sum;
  MaybeTensor anchor;
};

// x; status (...), an int8 of RowStatus; state, what the backward pass needs.
struct SampleResult {
  at::Tensor x;
  at::Tensor status;
  at::Tensor state;
};

[[nodiscard]] SampleResult project_bounds(const at::Tensor& u, const BoundsData& data, const MapPtr& map);

// Cotangents of u, lower, upper, sum and anchor, each in its own shape. Undefined if `data` has no such tensor or if the
// tensor requires no gradient.
struct BoundsGradient {
  at::Tensor u;
  at::Tensor lower;
  at::Tensor upper;
  at::Tensor sum;
  at::Tensor anchor;
};
struct WantedBounds {
  bool lower = false;
  bool upper = false;
  bool sum = false;
  bool anchor = false;
};
[[nodiscard]] BoundsGradient project_bounds_backward(const at::Tensor& grad_x, const at::Tensor& u,
                                                     const BoundsData& data, const at::Tensor& status,
                                                     const at::Tensor& state, const WantedBounds& wanted,
                                                     const MapPtr& map);

}  // namespace softradial::ops
