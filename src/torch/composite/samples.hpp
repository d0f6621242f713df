#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "bounds.hpp"
#include "composite/radial.hpp"

// What the composites of all sets with tensor data share.
namespace softradial::composite {

// x of a set per row. `interior` (..., 1) tells the rows whose anchor is inside: the others come out as NaN, with gradient
// 0, whatever the set's tensors hold for them.
[[nodiscard]] ops::SampleResult project_samples(const at::Tensor& u, const RadialSet& set, const at::Tensor& interior,
                                                const Method& method, at::ScalarType type);

// The cotangents of `inputs` for x = project(inputs), undefined for those that are undefined or require no gradient. They
// can be differentiated where autograd is recording.
[[nodiscard]] std::vector<at::Tensor> cotangents(
    const std::vector<at::Tensor>& inputs, const at::Tensor& grad_x,
    const std::function<at::Tensor(const std::vector<at::Tensor>&)>& project);

}  // namespace softradial::composite
