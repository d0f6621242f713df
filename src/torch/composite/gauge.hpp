#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "softradial/gauge_form.hpp"

namespace softradial::composite {

// gamma(d) by ATen ops, without kappa |d|: (..., dim) -> (..., 1). Differentiable twice; on d's device, in d's dtype.
using Gauge = std::function<at::Tensor(const at::Tensor& d)>;

// A gauge from its closed form, with its constants as tensors of these options.
// Throws InvalidSet for a level set of C++ callables: they know nothing of tensors.
[[nodiscard]] Gauge make_gauge(const GaugeForm& form, const at::TensorOptions& options);

// The pieces that sets with tensor data share with the above; batched constants broadcast against d.

// max(0, max_j max(d_j up_j, -d_j down_j)); up, down: (..., dim)
[[nodiscard]] at::Tensor sides_gauge(const at::Tensor& d, const at::Tensor& up, const at::Tensor& down);
// b + sqrt(curved + b^2), without cancellation; curved >= 0, b: (..., 1)
[[nodiscard]] at::Tensor quadratic_root(const at::Tensor& curved, const at::Tensor& b);

}  // namespace softradial::composite
