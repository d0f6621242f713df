#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "composite/radial.hpp"
#include "map_object.hpp"

namespace softradial::composite {

// The fixed set of a map as tensors on a device, in float or double. Half and bfloat16 are computed in float: for these two
// the guard also covers the last rounding of x.
[[nodiscard]] RadialSet make_radial_set(const ops::MapObject& map, at::Device device, at::ScalarType type);

// The ops on a fixed set.
[[nodiscard]] at::Tensor project(const at::Tensor& u, const ops::MapPtr& map);
[[nodiscard]] at::Tensor project_backward(const at::Tensor& grad_x, const at::Tensor& u, const ops::MapPtr& map);
[[nodiscard]] at::Tensor inverse(const at::Tensor& x, const ops::MapPtr& map);
[[nodiscard]] at::Tensor log_abs_det(const at::Tensor& u, const ops::MapPtr& map);

}  // namespace softradial::composite
