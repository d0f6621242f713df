#pragma once

#include <variant>

namespace softradial {

// The radial contraction r : [0, inf) -> [epsilon, 1), of rho = |u - u0|^2 (paper, eqs. rational, exponential,
// hyperbolic):
//   rational      r = epsilon + (1 - epsilon) rho / (rho + lambda)
//   exponential   r = epsilon + (1 - epsilon) (1 - exp(-rho / lambda))
//   hyperbolic    r = epsilon + (1 - epsilon) tanh(rho / lambda)
enum class Contraction { rational, exponential, hyperbolic };

// phi = r(rho) min(1, 1/gamma): a bijection of the hull onto the relative interior (paper, definition 2.1). lambda = 1 as in the
// paper; layers that are given no method take it in units of the set (softradial/reach.hpp).
struct SoftRadial {
  Contraction contraction = Contraction::rational;
  double lambda = 1.0;  // float32: keep |u - u0| below 300 sqrt(lambda), or the slope along the ray is rounding
  double epsilon = 0.01;
  bool operator==(const SoftRadial&) const = default;
};

// phi = min(1, 1/gamma): identity inside, onto the boundary outside; its Jacobian is singular there (paper, remark 2.2).
struct HardRadial {
  bool operator==(const HardRadial&) const = default;
};

// phi = s(gamma) / gamma with s : [0, inf) -> [0, 1) a contraction of the gauge itself, with z = gamma / lambda:
//   rational  s = z / (1 + z),   exponential  s = 1 - exp(-z),   hyperbolic  s = tanh(z).
// A bijection onto the relative interior that is smooth across the boundary of C, and 1/lambda near the anchor.
struct GaugeMap {
  Contraction contraction = Contraction::rational;
  double lambda = 1.0;
  bool operator==(const GaugeMap&) const = default;
};

using Method = std::variant<SoftRadial, HardRadial, GaugeMap>;

}  // namespace softradial
