"""Radial profiles in tensors: the formulas of src/core/profile.hpp, in double precision and differentiable.

A map is x = u0 + phi(rho, gamma) d with d = u - u0, rho = |d|^2 and gamma the gauge of d. A branch that is not taken is
given harmless arguments: autograd runs through both sides of a `where`.
"""

import math
from typing import NamedTuple, Tuple, Union

import torch
from torch import Tensor

# Keeps z = rho / lambda away from infinity; beyond, r is 1 to the last bit.
_LARGEST = 1e300
_EPS = torch.finfo(torch.float64).eps
# Steps of the root inside, for all rows at once: 5 are enough for every epsilon and s (src/core/profile.hpp, inside_scale).
_INVERSE_STEPS = 6
# From |f| below this one Newton step is exact to an ulp.
_NEAR = 2.0**-28


class Ray(NamedTuple):
    """A direction divided by `scale`, so that no square overflows: u = u0 + scale d. All (..., 1); scale is a constant."""

    rho: Tensor  # |d|^2
    gamma: Tensor  # gamma(d)
    scale: Tensor


class LogScale(NamedTuple):
    """log phi, and log of e_radial = d log(phi t) / d log t along the ray (docs/math/vjp.md). Both (..., 1)."""

    log_phi: Tensor
    log_radial: Tensor


def where_else(condition: Tensor, values: Tensor, otherwise: float) -> Tensor:
    """The values where the condition holds, a constant elsewhere, where no gradient passes."""
    return values.masked_fill(~condition, otherwise)


def is_finite(values: Tensor) -> Tensor:
    """isfinite, by operations that every exporter knows."""
    return values - values == 0


def _one_minus_exp(z: Tensor) -> Tensor:
    """1 - exp(-z) for z >= 0 without cancellation, by functions that every exporter knows."""
    return (z / 2).tanh() * (1 + (-z).exp())


def _outside(ray: Ray) -> Tensor:
    return ray.gamma * ray.scale > 1


def _reach(ray: Ray) -> Tensor:
    """scale min(1, 1 / (scale gamma))"""
    outside = _outside(ray)
    return torch.where(outside, 1 / where_else(outside, ray.gamma, 1), ray.scale)


def _log_outer_gauge(ray: Ray) -> Tensor:
    """log max(1, scale gamma)"""
    outside = _outside(ray)
    return where_else(outside, where_else(outside, ray.gamma, 1).log() + ray.scale.log(), 0)


class SoftRadialProfile(NamedTuple):
    """phi = r(rho) min(1, 1/gamma)"""

    contraction: str
    lambda_: float
    epsilon: float

    def _contract(self, ray: Ray) -> Tuple[Tensor, Tensor]:
        """r, and log of its elasticity 2 rho r' / r, 0 where rho = 0. With z = rho / lambda and rest = 1 - epsilon:

            rational       r = (z + epsilon) / (z + 1)              2 rho r' = 2 rest z / (z + 1)^2
            exponential    r = epsilon + rest (1 - exp(-z))         2 rho r' = 2 rest z exp(-z)
            hyperbolic     r = epsilon + rest tanh(z)               2 rho r' = 8 rest z exp(-2z) / (1 + exp(-2z))^2
        """
        unit = (self.lambda_ / ray.scale / ray.scale).clamp_min(1 / _LARGEST)  # lambda in units of scale^2
        rest = 1 - self.epsilon
        if self.contraction == "rational":
            low, high = ray.rho + self.epsilon * unit, ray.rho + unit
            moves = ray.rho > 0
            factor = math.log(2 * rest * self.lambda_) - 2 * ray.scale.log()
            log_ratio = where_else(moves, ray.rho, 1).log() - low.log() - high.log()
            return low / high, where_else(moves, factor + log_ratio, 0)
        z = (ray.rho / unit).clamp_max(_LARGEST)
        moves = z > 0
        log_z = where_else(moves, z, 1).log()
        if self.contraction == "exponential":
            r = self.epsilon + rest * _one_minus_exp(z)
            return r, where_else(moves, math.log(2 * rest) + log_z - r.log() - z, 0)
        r = self.epsilon + rest * z.tanh()
        decay = 2 * z + 2 * torch.log1p((-2 * z).exp())
        return r, where_else(moves, math.log(8 * rest) + log_z - r.log() - decay, 0)

    def step(self, ray: Ray) -> Tensor:
        """x = u0 + step d: scale phi(scale^2 rho, scale gamma)."""
        return self._contract(ray)[0] * _reach(ray)

    def log_scale(self, ray: Ray) -> LogScale:
        """e_radial = 1 + elasticity inside, elasticity outside."""
        r, log_elasticity = self._contract(ray)
        outside = _outside(ray)
        inside = where_else(ray.rho > 0, torch.log1p(log_elasticity.exp()), 0)
        return LogScale(r.log() - _log_outer_gauge(ray), torch.where(outside, log_elasticity, inside))

    def _contract_inverse(self, target: Tensor, one_minus_target: Tensor) -> Tensor:
        """rho with r(rho) = target, for epsilon <= target < 1."""
        odds = (target - self.epsilon) / one_minus_target
        if self.contraction == "rational":
            return self.lambda_ * odds
        if self.contraction == "exponential":
            return self.lambda_ * torch.log1p(odds)
        return self.lambda_ / 2 * torch.log1p(2 * odds)

    def inverse_scale(self, s: Tensor, eta: Tensor) -> Tensor:
        """t with t phi(t^2 s, t eta) = 1, for |x - u0|^2 = s and gamma(x - u0) = eta <= 1.

        Outside, r(t^2 s) = eta in closed form; inside, the root of t r(t^2 s) = 1 in [1, 1/epsilon].
        """
        target = eta.clamp_min(self.epsilon)
        rho = self._contract_inverse(target, (1 - target).clamp_min(_EPS / 4))
        t = (rho / where_else(s > 0, s, 1)).sqrt()
        outside = (eta > self.epsilon) & (s > 0) & (t * eta >= 1)
        return torch.where(outside, t, self._inside_scale(s))

    def _inside_scale(self, s: Tensor) -> Tensor:
        """The root of f = log(t r(t^2 s)): Newton's method in log t inside a bracket, as inside_scale in src/core/profile.hpp."""
        one = torch.ones_like(s)
        t = ((math.log(self.lambda_) - s.log()) / 3).exp().clamp(1, 1 / self.epsilon)
        low, high = t / 2, 2 * t
        for _ in range(_INVERSE_STEPS):
            rho = t * s * t
            r, log_elasticity = self._contract(Ray(rho, torch.zeros_like(s), one))
            f = torch.log1p(t * r - 1)
            newton = t * (-f / (1 + where_else(rho > 0, log_elasticity.exp(), 0))).exp()
            before = high / low
            farther, nearer = t * (-f).exp(), t * (-f / 3).exp()
            low = torch.minimum(torch.maximum(torch.minimum(farther, nearer), low), high)
            high = torch.minimum(torch.maximum(torch.maximum(farther, nearer), low), high)
            ratio = high / low
            good = (ratio * ratio <= before) & (newton > low) & (newton < high)
            t = torch.where((f.abs() <= _NEAR) | good, newton, low.sqrt() * high.sqrt())
        return t


class HardRadialProfile(NamedTuple):
    """phi = min(1, 1/gamma)"""

    def step(self, ray: Ray) -> Tensor:
        return _reach(ray)

    def log_scale(self, ray: Ray) -> LogScale:
        """e_radial = 1 inside, 0 outside: the ray is lost."""
        return LogScale(-_log_outer_gauge(ray), (0 * ray.gamma).masked_fill(_outside(ray), -math.inf))

    def inverse_scale(self, s: Tensor, eta: Tensor) -> Tensor:
        return torch.ones_like(s)


class GaugeMapProfile(NamedTuple):
    """phi = s(gamma) / gamma; with z = gamma / lambda: s = z / (1 + z), 1 - exp(-z) or tanh(z)"""

    contraction: str
    lambda_: float

    def _z(self, ray: Ray) -> Tensor:
        return (ray.gamma * ray.scale / self.lambda_).clamp_max(_LARGEST)

    def step(self, ray: Ray) -> Tensor:
        if self.contraction == "rational":
            return 1 / (self.lambda_ / ray.scale + ray.gamma)
        z = self._z(ray)
        away = z > 0
        s = _one_minus_exp(z) if self.contraction == "exponential" else z.tanh()
        return torch.where(away, s / where_else(away, ray.gamma, 1), ray.scale / self.lambda_)

    def log_scale(self, ray: Ray) -> LogScale:
        """e_radial = gamma s'/s: 1 / (1 + z), z exp(-z) / (1 - exp(-z)) or 4 z exp(-2z) / (1 - exp(-4z))."""
        z = self._z(ray)
        log_phi_at_0 = -math.log(self.lambda_)
        if self.contraction == "rational":
            log_slack = -torch.log1p(z)
            return LogScale(log_slack + log_phi_at_0, log_slack)
        away = z > 0
        zs = where_else(away, z, 1)
        if self.contraction == "exponential":
            log_s = _one_minus_exp(zs).log()
            log_radial = zs.log() - zs - log_s
        else:
            log_s = zs.tanh().log()
            log_radial = (4 * zs).log() - 2 * zs - _one_minus_exp(4 * zs).log()
        return LogScale(log_phi_at_0 + where_else(away, log_s - zs.log(), 0), where_else(away, log_radial, 0))

    def inverse_scale(self, s: Tensor, eta: Tensor) -> Tensor:
        """s(t eta) = eta; t = lambda at eta = 0."""
        inside = eta.clamp_max(1 - _EPS / 2)
        if self.contraction == "rational":
            return self.lambda_ / (1 - inside)
        away = inside > 0
        eta = where_else(away, inside, 1)
        if self.contraction == "exponential":
            t = -self.lambda_ * torch.log1p(-inside) / eta
        else:
            t = self.lambda_ / 2 * (torch.log1p(inside) - torch.log1p(-inside)) / eta
        return where_else(away, t, self.lambda_)


Profile = Union[SoftRadialProfile, HardRadialProfile, GaugeMapProfile]


def make_profile(method: str, contraction: str, lambda_: float, epsilon: float) -> Profile:
    if method == "soft_radial":
        return SoftRadialProfile(contraction, lambda_, epsilon)
    return GaugeMapProfile(contraction, lambda_) if method == "gauge_map" else HardRadialProfile()
