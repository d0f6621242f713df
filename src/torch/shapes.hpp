#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "softradial/errors.hpp"

// Error messages about a tensor's shape or type: one line that names what is expected and what is given.
namespace softradial::ops {

// "(2, 3)"
[[nodiscard]] std::string shape_text(const at::Tensor& tensor);

// Throws ShapeError unless the tensor has a floating-point dtype.
void check_floating(const at::Tensor& tensor, const char* name);

// Throws ShapeError unless tensor is (..., width).
void check_width(const at::Tensor& tensor, int64_t width, const char* name);

// The error for data that do not broadcast over the rows, which are those of u or p.
[[nodiscard]] ShapeError does_not_broadcast(const at::Tensor& data, const char* name, const at::Tensor& rows,
                                            const char* name_of_rows);

}  // namespace softradial::ops
