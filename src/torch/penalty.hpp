#pragma once

#include <ATen/core/Tensor.h>

#include "set_object.hpp"

namespace softradial::ops {

// Throws ShapeError unless x is (..., dim).
void check_points(const at::Tensor& x, const Set& set);

// The penalty of softradial/violation.hpp for each row, (...), differentiable once.
[[nodiscard]] at::Tensor penalty(const at::Tensor& x, const SetPtr& set);

}  // namespace softradial::ops
