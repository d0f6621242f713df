#pragma once

#include "bounds.hpp"

namespace softradial::composite {

// The ops of softradial/sample_bounds.hpp by ATen ops, with every kind of derivative.
[[nodiscard]] ops::SampleResult project_bounds(const at::Tensor& u, const ops::BoundsData& data,
                                               const ops::MapPtr& map);

// Differentiable itself. All cotangents of data that require a gradient.
[[nodiscard]] ops::BoundsGradient project_bounds_backward(const at::Tensor& grad_x, const at::Tensor& u,
                                                          const ops::BoundsData& data, const ops::MapPtr& map);

}  // namespace softradial::composite
