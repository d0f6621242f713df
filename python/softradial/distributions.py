"""Distributions on convex sets: a base distribution pushed through a layer, with exact densities.

The layer is one-to-one, so that with u = layer.inverse(x)

    log p(x) = log p_base(v) - log |det J(u)|,    u = anchor + basis v,

where the columns of `basis` span the set's affine hull. Densities are per unit of length, area, volume ... on the hull:
a simplex in R^n has dimension n - 1.
"""

from typing import Any, Dict, List, Optional

import torch
from torch import Tensor
from torch.distributions import Distribution, Independent, Normal, constraints

from ._numbers import Numbers, dtype_name, shape_text, to_tensor
from .layers import HardRadial, _Radial
from .level_sets import check_rows

__all__ = ["ConstrainedNormal", "Pushforward", "hull_basis"]


def __dir__() -> List[str]:
    return __all__


def hull_basis(layer: _Radial) -> Tensor:
    """Orthonormal columns that span the directions of the set's affine hull: (dim, hull_dim), double."""
    normals = layer.projection.normals
    complete = torch.linalg.qr(normals.T, mode="complete")[0]
    return complete[:, normals.shape[0] :].contiguous()


def _check_layer(layer: Any) -> None:
    if not isinstance(layer, _Radial):
        raise TypeError(f"layer: expected a SoftRadial or a GaugeMap, got {type(layer).__name__}")
    if isinstance(layer, HardRadial):
        raise ValueError("layer: a HardRadial is not one-to-one, its image has no density")


class Pushforward(Distribution):
    """The distribution of layer(anchor + basis v) for v from `base`, whose event has the dimension of the set's hull.

    rsample is differentiable in the parameters of `base`. log_prob is exact, and differentiable in x and these parameters.
    """

    arg_constraints: Dict[str, constraints.Constraint] = {}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, base: Distribution, layer: _Radial, validate_args: Optional[bool] = None) -> None:
        _check_layer(layer)
        if not isinstance(base, Distribution):
            raise TypeError(f"base: expected a torch.distributions.Distribution, got {type(base).__name__}")
        self.base = base
        self.layer = layer
        self.basis = hull_basis(layer)
        if tuple(base.event_shape) != (self.basis.shape[1],):
            raise ValueError(
                f"base: expected event shape ({self.basis.shape[1]},), the dimension of the set's hull, "
                f"got {tuple(base.event_shape)}"
            )
        super().__init__(base.batch_shape, torch.Size([self.basis.shape[0]]), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "Pushforward":
        return Pushforward(self.base.expand(batch_shape), self.layer)

    def to_input(self, v: Tensor) -> Tensor:
        """u = anchor + basis v"""
        return self.layer.anchor.to(v) + v @ self.basis.to(v).T

    def to_base(self, u: Tensor) -> Tensor:
        """v = basis'(u - anchor)"""
        return (u - self.layer.anchor.to(u)) @ self.basis.to(u)

    def sample(self, sample_shape: Any = torch.Size()) -> Tensor:
        with torch.no_grad():
            return self.layer(self.to_input(self.base.sample(sample_shape)))

    def rsample(self, sample_shape: Any = torch.Size()) -> Tensor:
        return self.layer(self.to_input(self.base.rsample(sample_shape)))

    def rsample_with_log_prob(self, sample_shape: Any = torch.Size()) -> "tuple[Tensor, Tensor]":
        """A sample and its log density, without inverting the layer, as a policy gradient needs them."""
        v = self.base.rsample(sample_shape)
        u = self.to_input(v)
        return self.layer(u), self.base.log_prob(v) - self.layer.log_abs_det(u)

    def log_prob(self, value: Numbers) -> Tensor:
        """The log density at each row of value (..., dim); -inf outside the set."""
        u = self.layer.inverse(to_tensor("value", value))
        outside = u.isnan().any(-1)
        u = torch.where(outside.unsqueeze(-1), self.layer.anchor.to(u).expand_as(u), u)
        density = self.base.log_prob(self.to_base(u)) - self.layer.log_abs_det(u)
        return torch.where(outside, torch.full_like(density, -float("inf")), density)


class ConstrainedNormal(Pushforward):
    """A normal distribution around the pre-image `loc` (..., dim), pushed onto the set: a stochastic policy.

    loc     output of a network; projected onto the set's hull
    scale   standard deviation: a number, (...) or (..., hull_dim)
    """

    def __init__(self, layer: _Radial, loc: Numbers, scale: Numbers, validate_args: Optional[bool] = None) -> None:
        _check_layer(layer)
        middle = to_tensor("loc", loc)
        if not middle.is_floating_point():
            raise TypeError(f"loc: expected floating-point numbers, got {dtype_name(middle)}")
        check_rows("loc", middle, layer.set.dim)
        basis = hull_basis(layer).to(middle)
        mean = (middle - layer.anchor.to(middle)) @ basis
        deviation = to_tensor("scale", scale).to(middle)
        if deviation.dim() > 0 and deviation.shape == mean.shape[:-1]:
            deviation = deviation.unsqueeze(-1)
        try:
            deviation = deviation.expand_as(mean)
        except RuntimeError:
            given, expected = shape_text(deviation), shape_text(mean)
            raise ValueError(f"scale: shape {given} does not broadcast to {expected}, the hull's coordinates") from None
        if not bool((deviation > 0).all()):
            raise ValueError(f"scale: expected positive numbers, got {deviation.min().item():g}")
        super().__init__(Independent(Normal(mean, deviation), 1), layer, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "ConstrainedNormal":
        expanded = self._get_checked_instance(ConstrainedNormal, _instance)
        Pushforward.__init__(expanded, self.base.expand(batch_shape), self.layer)
        return expanded

    @property
    def mode(self) -> Tensor:
        """The image of loc: the deterministic decision."""
        return self.layer(self.to_input(self.base.mean))
