#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "bounds.hpp"
#include "composite/radial.hpp"
#include "polyhedra.hpp"

// Projections onto sets whose data are tensors, by ATen ops, with every kind of derivative.
namespace softradial::composite {

// Projects with one set per row. `interior` (..., 1) tells which rows have their anchor inside. The other rows come out as NaN
// with gradient 0, whatever the set's tensors hold for them.
[[nodiscard]] ops::SampleResult project_samples(const at::Tensor& u, const RadialSet& set, const at::Tensor& interior,
                                                const Method& method, at::ScalarType type);

// The cotangents of `inputs` for x = project(inputs); undefined for inputs that are undefined or require no gradient. They can
// be differentiated again if autograd is recording.
[[nodiscard]] std::vector<at::Tensor> cotangents(
    const std::vector<at::Tensor>& inputs, const at::Tensor& grad_x,
    const std::function<at::Tensor(const std::vector<at::Tensor>&)>& project);

// The ops of softradial/sample_bounds.hpp and softradial/sample_polyhedra.hpp, computed in a precision of the caller's choice. The
// backward passes can be differentiated again; they return the cotangents of all data that require a gradient.
[[nodiscard]] ops::SampleResult project_bounds(const at::Tensor& u, const ops::BoundsData& data, const ops::MapPtr& map,
                                               at::ScalarType working);
[[nodiscard]] ops::BoundsGradient project_bounds_backward(const at::Tensor& grad_x, const at::Tensor& u,
                                                          const ops::BoundsData& data, const ops::MapPtr& map);
[[nodiscard]] ops::SampleResult project_polyhedra(const at::Tensor& u, const ops::PolyhedraData& data,
                                                  const ops::MapPtr& map, at::ScalarType working);
[[nodiscard]] ops::PolyhedraGradient project_polyhedra_backward(const at::Tensor& grad_x, const at::Tensor& u,
                                                                const ops::PolyhedraData& data, const ops::MapPtr& map);

}  // namespace softradial::composite
