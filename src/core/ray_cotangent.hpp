#pragma once

#include "profile.hpp"

// The scalars of the backward pass of a radial map: the one place that combines a profile's slopes with a
// ray. Scalar code and vector kernels call these. Derivation: docs/math/vjp.md.
//
//   J'g = P_hull( phi g + radial d + normal n ),     n = grad gamma(d)
//   radial = phi (d.g) e_rho / rho,                  normal = phi (d.g) e_gamma / gamma
namespace softradial {

// The profile at a ray u = u0 + 2^exponent d, for the scaled direction: x = u0 + step d, phi = step / 2^exponent. The
// exponent is 0, and the step is phi, unless |u| is extreme.
template <class T>
struct RayScale {
  T step;
  Scale<T> at;
};

template <class T>
struct RayCotangent {
  T phi;
  T radial;
  T normal;
  T pull;  // gamma times the cotangent of gamma, where the set's data move it: step (d.g) e_gamma
};

// phi along e / argument: the contribution of a profile's argument, rho or gamma, with elasticity e to a derivative. 0 where
// the argument is 0 (rho: u is the anchor; gamma: the ray never leaves C) or where phi does not depend on it. An elasticity
// vanishes with a small argument, so that their quotient is taken first there.
template <class T>
[[nodiscard, gnu::always_inline]] inline T elasticity_term(T phi, T along, T argument, T elasticity) noexcept {
  if (!(argument > 0) || elasticity == 0) return 0;
  return argument < 1 ? phi * along * (elasticity / argument) : phi * (along / argument) * elasticity;
}

// `along` is d.g. For a gauge whose guard is in its data: kappa = 0.
template <class T>
[[nodiscard, gnu::always_inline]] inline RayCotangent<T> ray_cotangent(const RayScale<T>& scale, T rho, T gamma,
                                                                       T along) noexcept {
  const Scale<T>& at = scale.at;
  return {at.phi, elasticity_term(at.phi, along, rho, at.e_rho), elasticity_term(at.phi, along, gamma, at.e_gamma),
          gamma > 0 ? scale.step * along * at.e_gamma : T{0}};
}

// For the guarded gamma = gamma(d) + kappa |d|, whose gradient is n + kappa d / |d|: the second term joins `radial`.
template <class T>
[[nodiscard, gnu::always_inline]] inline RayCotangent<T> ray_cotangent(const RayScale<T>& scale, T rho, T gamma,
                                                                       T along, T kappa, T norm) noexcept {
  RayCotangent<T> out = ray_cotangent(scale, rho, gamma, along);
  if (rho > 0) out.radial += out.normal * kappa / norm;
  return out;
}

// The cotangent of the active slack s where gamma = a.d / s:  -(phi (d.g) e_gamma / gamma) (gamma / s). Nothing is divided by
// gamma, which is as small as the set is large.
template <class T>
[[nodiscard, gnu::always_inline]] inline T slack_cotangent(const Scale<T>& at, T gamma, T along,
                                                           T reciprocal_slack) noexcept {
  return gamma > 0 ? -at.phi * along * at.e_gamma * reciprocal_slack : T{0};
}

}  // namespace softradial
