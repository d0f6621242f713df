#pragma once

#include "composite/gauge.hpp"

namespace softradial::composite {

// |d|_p over the last dimension, kept; 1 <= p <= infinity. The gradient at d = 0 is 0.
[[nodiscard]] at::Tensor lp_norm(const at::Tensor& d, double p);

// The gauge of a level set {h <= 0}: the exit of each ray, found in double. Its derivatives come from Newton steps at the
// root that autograd sees: with t frozen there, t - f(t) / f'(t) has the first derivatives of the exit, and a second step
// its second ones.
[[nodiscard]] Gauge make_level_gauge(const LevelForm& form, const at::TensorOptions& options);

// The same from an anchor u0 (dim) or (..., dim) in double that may require a gradient; rays longer than `longest` (..., 1)
// count as never leaving, and all are inside up to longest * 2^-52.
[[nodiscard]] Gauge make_level_gauge(const LevelFunction& h, const at::Tensor& u0, const at::Tensor& longest);

}  // namespace softradial::composite
