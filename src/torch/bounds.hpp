#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

#include "map_object.hpp"
#include "set_builders.hpp"

// Projections onto coordinate sets that change from row to row (softradial/sample_bounds.hpp), through the dispatcher.
namespace softradial::ops {

// lower, upper: broadcast to u (..., dim). sum: () or (..., 1), or none if the set has no sum constraint. anchor: none uses
// the closed form. All have u's dtype.
struct BoundsData {
  at::Tensor lower;
  at::Tensor upper;
  MaybeTensor sum;
  MaybeTensor anchor;
};

// The result x, its status (...), int8 values of RowStatus, and the state that the backward pass needs.
struct SampleResult {
  at::Tensor x;
  at::Tensor status;
  at::Tensor state;
};

[[nodiscard]] SampleResult project_bounds(const at::Tensor& u, const BoundsData& data, const MapPtr& map);

// Cotangents of u, lower, upper, sum and anchor, each in its own shape. A cotangent is undefined if `data` has no such tensor
// or the tensor requires no gradient.
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
