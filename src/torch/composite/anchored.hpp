#pragma once

#include <ATen/core/Tensor.h>

#include "composite/gauge.hpp"
#include "softradial/description.hpp"

namespace softradial::composite {

// The gauge of a set from an anchor that may change from sample to sample, guarded; differentiable in the anchor and in d.
struct AnchoredGauge {
  Gauge gauge;
  at::Tensor kappa;     // (..., 1)
  at::Tensor interior;  // (..., 1): whether the anchor is inside by more than rounding
};

// anchor: (dim) or (..., dim), in double. Results serve directions of the working type of `type` and outputs of `type`.
// Throws InvalidSet for sets whose gauge needs more than their data: KL balls and level sets of callables.
[[nodiscard]] AnchoredGauge anchored_gauge(const Description& set, const at::Tensor& anchor, at::ScalarType type);

// {|x - center| <= radius} and {(x - center)' shape (x - center) <= 1} with tensor data, in double.
[[nodiscard]] AnchoredGauge ball_gauge(const at::Tensor& center, const at::Tensor& radius, const at::Tensor& anchor,
                                       at::ScalarType type);
[[nodiscard]] AnchoredGauge ellipsoid_gauge(const at::Tensor& center, const at::Tensor& shape, const at::Tensor& anchor,
                                            at::ScalarType type);

}  // namespace softradial::composite
