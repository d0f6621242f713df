#pragma once

#include <ATen/core/Tensor.h>

#include "softradial/method.hpp"

namespace softradial::composite {

// A direction divided by `scale` >= 1, so that no square overflows: u = u0 + scale d. All (..., 1); scale is frozen.
struct ScaledRay {
  at::Tensor rho;    // |d|^2
  at::Tensor gamma;  // guarded gamma(d)
  at::Tensor scale;
};

// x = u0 + step d: step = scale phi(scale^2 rho, scale gamma).
[[nodiscard]] at::Tensor step(const Method& method, const ScaledRay& ray);

// log phi, and e_radial = d log(phi t) / d log t along the ray (docs/math/vjp.md).
struct LogScale {
  at::Tensor log_phi;
  at::Tensor log_radial;
};
[[nodiscard]] LogScale log_scale(const Method& method, const ScaledRay& ray);

}  // namespace softradial::composite
