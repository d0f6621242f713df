"""The layers as functions, for use without modules:

    from softradial import functional as F

    x = F.soft_radial(u, softradial.CappedSimplex(50, cap=0.05))
    x = F.soft_radial(u, set, contraction="exponential", lambda_=2.0, cap=cap_of(z))

u and the data of a call are tensors, or numbers, lists and arrays, as for the layers. The first call makes the layer of a
set and its options. The last CACHED_LAYERS different layers are kept, over all functions and threads. Equal sets share a
layer, so a set may be written in the call itself; comparing large sets takes time, passing the same object again does not.
Layers on sets with learned data are not kept. `clear_cache()` forgets all layers.
"""

from functools import lru_cache
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from torch import Tensor

from . import layers, methods
from ._numbers import Numbers, to_tensor
from .sets import Set, set_of

CACHED_LAYERS = 64

__all__ = [
    "CACHED_LAYERS",
    "clear_cache",
    "dc3",
    "gauge_map",
    "gauge_map_inverse",
    "gauge_map_log_abs_det",
    "hard_radial",
    "hardnet",
    "hardnet_aff",
    "hardnet_cvx",
    "hop",
    "hp",
    "mirror",
    "mirror_inverse",
    "mirror_log_abs_det",
    "orthogonal",
    "penalty",
    "qp",
    "ray_scalar",
    "rayen",
    "soft_orthogonal",
    "soft_orthogonal_inverse",
    "soft_orthogonal_log_abs_det",
    "soft_radial",
    "soft_radial_inverse",
    "soft_radial_log_abs_det",
    "softmax",
]


def __dir__() -> List[str]:
    return __all__


@lru_cache(maxsize=CACHED_LAYERS)
def _kept(make: Callable[..., Any], set: Set, options: Tuple[Any, ...], training: bool) -> Any:
    return make(set, *options).train(training)


def clear_cache() -> None:
    """Forgets all layers that the functions of this module keep."""
    _kept.cache_clear()


def _layer(make: Callable[..., Any], set: Set, options: Tuple[Any, ...], training: bool = True) -> Any:
    known = set_of(set)
    return make(known, *options).train(training) if known.learned() else _kept(make, known, options, training)


def _is_point(anchor: Any) -> bool:
    """Whether the anchor is a constant point (dim), which belongs to the layer. Points (..., dim) and learned points are
    data of the call."""
    if anchor is None or isinstance(anchor, str):
        return False
    point = to_tensor("anchor", anchor)
    return point.dim() == 1 and not point.requires_grad


def _radial(make: Callable[..., Any], set: Set, options: Tuple[Any, ...], anchor: Any) -> Any:
    if _is_point(anchor):
        return _layer(make, set, (*options, tuple(to_tensor("anchor", anchor).tolist())))
    return _layer(make, set, (*options, anchor if isinstance(anchor, str) else "auto"))


def _project(
    make: Callable[..., Any], u: Numbers, set: Set, options: Tuple[Any, ...], anchor: Any, data: Dict[str, Numbers]
) -> Tensor:
    layer = _radial(make, set, options, anchor)
    fixed = anchor is None or isinstance(anchor, str) or _is_point(anchor)
    return layer(u, **data) if fixed else layer(u, anchor=anchor, **data)


def soft_radial(
    u: Numbers,
    set: Set,
    contraction: str = "rational",
    lambda_: Union[float, str] = "auto",
    epsilon: float = 0.01,
    anchor: Any = "auto",
    **data: Numbers,
) -> Tensor:
    """x strictly inside the set, (..., dim) like u: softradial.SoftRadial(set, ...)(u, **data).

    anchor is "auto", "chebyshev", "analytic", or a point inside, (dim) or (..., dim).

    >>> import softradial, torch
    >>> from softradial import functional
    >>> x = functional.soft_radial(torch.zeros(2, 4), softradial.Simplex(4))
    >>> x.tolist()
    [[0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]]
    """
    return _project(layers.SoftRadial, u, set, (contraction, layers.number_or_auto(lambda_), float(epsilon)), anchor, data)


def soft_radial_inverse(
    x: Numbers,
    set: Set,
    contraction: str = "rational",
    lambda_: Union[float, str] = "auto",
    epsilon: float = 0.01,
    anchor: Any = "auto",
) -> Tensor:
    """The u on the set's affine hull with soft_radial(u, ...) = x; NaN in rows outside the set."""
    return _radial(layers.SoftRadial, set, (contraction, layers.number_or_auto(lambda_), float(epsilon)), anchor).inverse(x)


def soft_radial_log_abs_det(
    u: Numbers,
    set: Set,
    contraction: str = "rational",
    lambda_: Union[float, str] = "auto",
    epsilon: float = 0.01,
    anchor: Any = "auto",
) -> Tensor:
    """log |det J(u)| of soft_radial on the directions of the set's affine hull, one number a row."""
    words = (contraction, layers.number_or_auto(lambda_), float(epsilon))
    return _radial(layers.SoftRadial, set, words, anchor).log_abs_det(u)


def hard_radial(u: Numbers, set: Set, anchor: Any = "auto", **data: Numbers) -> Tensor:
    """u itself if it is inside the set, else the point where the ray to u leaves the set: softradial.HardRadial."""
    return _project(layers.HardRadial, u, set, (), anchor, data)


def gauge_map(
    u: Numbers, set: Set, contraction: str = "rational", lambda_: float = 1.0, anchor: Any = "auto", **data: Numbers
) -> Tensor:
    """x strictly inside the set, by a map that is smooth across its boundary: softradial.GaugeMap."""
    return _project(layers.GaugeMap, u, set, (contraction, float(lambda_)), anchor, data)


def gauge_map_inverse(
    x: Numbers, set: Set, contraction: str = "rational", lambda_: float = 1.0, anchor: Any = "auto"
) -> Tensor:
    """The u on the set's affine hull with gauge_map(u, ...) = x; NaN in rows outside the set."""
    return _radial(layers.GaugeMap, set, (contraction, float(lambda_)), anchor).inverse(x)


def gauge_map_log_abs_det(
    u: Numbers, set: Set, contraction: str = "rational", lambda_: float = 1.0, anchor: Any = "auto"
) -> Tensor:
    """log |det J(u)| of gauge_map on the directions of the set's affine hull, one number a row."""
    return _radial(layers.GaugeMap, set, (contraction, float(lambda_)), anchor).log_abs_det(u)


def soft_orthogonal(
    u: Numbers, set: Set, kappa: float = 0.03, delta: float = 0.003, anchor: Any = "auto", **data: Numbers
) -> Tensor:
    """x strictly inside the set, close to its nearest point to u: softradial.SoftOrthogonal(set, ...)(u, **data)."""
    return _project(methods.SoftOrthogonal, u, set, (kappa, delta), anchor, data)


def soft_orthogonal_inverse(
    x: Numbers, set: Set, kappa: float = 0.03, delta: float = 0.003, anchor: Any = "auto"
) -> Tensor:
    """The u on the set's affine hull with soft_orthogonal(u, ...) = x; NaN in rows outside the set."""
    return _radial(methods.SoftOrthogonal, set, (kappa, delta), anchor).inverse(x)


def soft_orthogonal_log_abs_det(
    u: Numbers, set: Set, kappa: float = 0.03, delta: float = 0.003, anchor: Any = "auto"
) -> Tensor:
    """log |det J(u)| of soft_orthogonal on the directions of the set's affine hull, one number a row."""
    return _radial(methods.SoftOrthogonal, set, (kappa, delta), anchor).log_abs_det(u)


def mirror(u: Numbers, set: Set, temperature: float = 1.0) -> Tensor:
    """x strictly inside the set, by logistic functions with a common shift: softradial.Mirror."""
    return _layer(methods.Mirror, set, (temperature,))(u)


def mirror_inverse(x: Numbers, set: Set, temperature: float = 1.0) -> Tensor:
    """The u on the set's affine hull with mirror(u, ...) = x; NaN in rows outside the set."""
    return _layer(methods.Mirror, set, (temperature,)).inverse(x)


def mirror_log_abs_det(u: Numbers, set: Set, temperature: float = 1.0) -> Tensor:
    """log |det J(u)| of mirror on the directions of the set's affine hull, one number a row."""
    return _layer(methods.Mirror, set, (temperature,)).log_abs_det(u)


def softmax(u: Numbers, set: Set, temperature: float = 1.0) -> Tensor:
    """softradial.Softmax(set, temperature)(u)"""
    return _layer(methods.Softmax, set, (temperature,))(u)


def orthogonal(u: Numbers, set: Set, **data: Numbers) -> Tensor:
    """The nearest point of the set: softradial.Orthogonal(set)(u, **data)."""
    return _layer(methods.Orthogonal, set, ())(u, **data)


def dc3(
    u: Numbers,
    set: Set,
    steps: int = 5,
    learning_rate: float = 0.01,
    momentum: float = 0.5,
    symmetric: bool = True,
    training: bool = True,
) -> Tensor:
    """softradial.Dc3; without `training` it ends with an exact projection, which passes no gradient."""
    return _layer(methods.Dc3, set, (steps, learning_rate, momentum, symmetric), training)(u)


def hardnet(u: Numbers, set: Set, steps: int = 3, training: bool = True) -> Tensor:
    """softradial.HardNet; without `training` it ends with an exact projection, which passes no gradient."""
    return _layer(methods.HardNet, set, (steps,), training)(u)


def hardnet_aff(u: Numbers, set: Set, lower: Optional[Numbers] = None, upper: Optional[Numbers] = None) -> Tensor:
    """softradial.HardNetAff; each sample may have its own bounds."""
    return _layer(methods.HardNetAff, set, ())(u, lower, upper)


def hardnet_cvx(u: Numbers, set: Set) -> Tensor:
    """softradial.HardNetCvx"""
    return _layer(methods.HardNetCvx, set, ())(u)


def rayen(u: Numbers, set: Set, anchor: Any = "auto") -> Tensor:
    """softradial.Rayen"""
    return _radial(methods.Rayen, set, (), anchor)(u)


def ray_scalar(u: Numbers, set: Set, anchor: Any = "auto") -> Tensor:
    """softradial.RayScalar: u has dim + 1 numbers."""
    return _radial(methods.RayScalar, set, (), anchor)(u)


def hop(u: Numbers, set: Set, anchor: Any = "auto") -> Tensor:
    """softradial.Hop: u has as many numbers as the set's hull has dimensions."""
    return _radial(methods.Hop, set, (), anchor)(u)


def hp(
    u: Numbers,
    set: Set,
    couplings: int = 4,
    hidden: int = 32,
    training_steps: int = 400,
    bisections: int = 40,
    seed: int = 0,
    anchor: Any = "auto",
) -> Tensor:
    """softradial.Hp; its network is trained at the first call for a set."""
    return _radial(methods.Hp, set, (couplings, hidden, training_steps, bisections, seed), anchor)(u)


def penalty(x: Numbers, set: Set) -> Tensor:
    """The sum of the squared violations of all constraints, for each row, (...); differentiable."""
    return _layer(methods.SoftPenalty, set, ()).penalty(x)


def qp(
    p: Numbers,
    Q: Numbers,
    G: Optional[Numbers] = None,
    h: Optional[Numbers] = None,
    A: Optional[Numbers] = None,
    b: Optional[Numbers] = None,
) -> Tensor:
    """argmin 1/2 x'Qx + p'x subject to Ax = b, Gx <= h for each row of p (..., dim), with gradients to all data. Each sample
    may have its own h and b."""
    return methods.QpLayer(Q, G, None, A, None)(p, h, b)
