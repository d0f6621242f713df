#pragma once

#include "polyhedra.hpp"

namespace softradial::composite {

// The ops of softradial/sample_polyhedra.hpp by ATen ops, with every kind of derivative.
[[nodiscard]] ops::SampleResult project_polyhedra(const at::Tensor& u, const ops::PolyhedraData& data,
                                                  const ops::MapPtr& map);

// Differentiable itself. All cotangents of data that require a gradient.
[[nodiscard]] ops::PolyhedraGradient project_polyhedra_backward(const at::Tensor& grad_x, const at::Tensor& u,
                                                                const ops::PolyhedraData& data, const ops::MapPtr& map);

}  // namespace softradial::composite
