#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

#include "map_object.hpp"

// The ops on a fixed set, as C++ functions that go through the dispatcher (schemas: library.cpp).
namespace softradial::ops {

// x = p(u), shape (..., dim).
[[nodiscard]] at::Tensor project(const at::Tensor& u, const MapPtr& map);

// Also returns the state that the backward pass reuses, shape (rows, 4): opaque.
[[nodiscard]] std::tuple<at::Tensor, at::Tensor> project_with_state(const at::Tensor& u, const MapPtr& map);

// J' grad_x. Rows that are not finite do not take part in training: their gradient is 0.
[[nodiscard]] at::Tensor project_backward(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& state,
                                          const MapPtr& map);

// The u on the hull with p(u) = x; NaN in rows outside the set.
[[nodiscard]] at::Tensor inverse(const at::Tensor& x, const MapPtr& map);

// The inverse without derivatives; the composite takes its values from here and adds the derivatives. Called through the
// dispatcher, so that it runs below every transform of torch.func.
[[nodiscard]] at::Tensor find_inverse(const at::Tensor& x, const MapPtr& map);

// log |det J(u)| along the hull's directions, shape (...).
[[nodiscard]] at::Tensor log_abs_det(const at::Tensor& u, const MapPtr& map);

// Throws ShapeError unless tensor is (..., dim).
void check_shape(const at::Tensor& tensor, const MapObject& map, const char* name);

// Returns u itself. Throws NonFiniteInput, naming the first row that has a NaN or an infinity.
[[nodiscard]] at::Tensor check_finite(const at::Tensor& u);

}  // namespace softradial::ops
