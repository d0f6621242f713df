"""Convex sets. Each function returns a ``Set``: an immutable object that TorchScript knows, too.

    s = softradial.CappedSimplex(50, cap=0.05)
    s.dim, s.violation(x), s.to_json(), s.with_anchor(point)

Data are numbers, sequences or tensors; they are kept in double precision as they were given. A tensor that requires a
gradient stays connected: a layer on the set passes gradients to it.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Sequence, Union

import torch
from torch import Tensor

from ._library import ops

Set = torch.ScriptObject
Numbers = Union[Tensor, Sequence[Any], float, int]


def _tensor(values: Numbers) -> Tensor:
    return values if isinstance(values, Tensor) else torch.as_tensor(values, dtype=torch.float64)


def _build(make: Callable[..., Set], *arguments: Any) -> Set:
    """Bad data are the caller's error: ValueError, in the library's one-line words."""
    try:
        return make(*arguments)
    except RuntimeError as error:
        raise ValueError(first_line(error)) from None


def first_line(error: BaseException) -> str:
    return str(error).split("\n", 1)[0]


def Simplex(dim: int, sum: float = 1.0) -> Set:
    """{x >= 0 : sum(x) = sum}"""
    return _build(ops.simplex, dim, float(sum))


def CappedSimplex(dim: int, cap: Numbers, sum: float = 1.0) -> Set:
    """{0 <= x <= cap : sum(x) = sum}; one cap for all coordinates or one for each"""
    if isinstance(cap, (int, float)):
        return _build(ops.uniformly_capped_simplex, dim, float(cap), float(sum))
    caps = _tensor(cap)
    if tuple(caps.shape) not in ((), (dim,)):
        raise ValueError(f"capped_simplex: cap has shape {tuple(caps.shape)}, expected ({dim},)")
    return _build(ops.capped_simplex, caps.expand(dim) if caps.dim() == 0 else caps, float(sum))


def Box(lower: Numbers, upper: Numbers) -> Set:
    """{lower <= x <= upper}; -inf and inf leave a side open"""
    return _build(ops.box, _tensor(lower), _tensor(upper))


def Ball(center: Numbers, radius: Numbers) -> Set:
    """{|x - center| <= radius}"""
    return _build(ops.ball, _tensor(center), _tensor(radius))


def Ellipsoid(center: Numbers, shape: Numbers) -> Set:
    """{(x - center)' shape (x - center) <= 1}"""
    return _build(ops.ellipsoid, _tensor(center), _tensor(shape))


def Polyhedron(A: Numbers, b: Numbers, E: Optional[Numbers] = None, f: Optional[Numbers] = None) -> Set:
    """{A x <= b, E x = f}; A may be a sparse tensor"""
    equalities = [None if data is None else _tensor(data) for data in (E, f)]
    return _build(ops.polyhedron, _tensor(A), _tensor(b), *equalities)


def Quadratic(P: Numbers, q: Numbers, c: float) -> Set:
    """{1/2 x'Px + q'x + c <= 0}, P positive semidefinite"""
    return _build(ops.quadratic, _tensor(P), _tensor(q), float(c))


def SecondOrderCone(M: Numbers, s: Numbers, c: Numbers, e: float) -> Set:
    """{|Mx + s| <= c.x + e}"""
    return _build(ops.second_order_cone, _tensor(M), _tensor(s), _tensor(c), float(e))


def Lmi(F: Numbers) -> Set:
    """{F[0] + sum_i x_i F[i] positive semidefinite}; F: (dim + 1, m, m), symmetric"""
    return _build(ops.lmi, torch.stack([_tensor(matrix) for matrix in F]))  # type: ignore[union-attr]


def LpBall(center: Numbers, radius: float, p: float) -> Set:
    """{|x - center|_p <= radius}, 1 <= p <= inf"""
    return _build(ops.lp_ball, _tensor(center), float(radius), float(p))


def LogSumExp(dim: int, bound: float) -> Set:
    """{log sum_j exp(x_j) <= bound}"""
    return _build(ops.log_sum_exp, dim, float(bound))


def KlBall(reference: Numbers, radius: float) -> Set:
    """{x >= 0 : sum(x) = 1, sum_j x_j log(x_j / reference_j) <= radius}"""
    return _build(ops.kl_ball, _tensor(reference), float(radius))


def Intersection(*sets: Set) -> Set:
    """the points that all of them contain"""
    return _build(ops.intersection, list(sets))


def Product(*sets: Set) -> Set:
    """(x_1, x_2, ...) with x_k in the k-th"""
    return _build(ops.product, list(sets))


def AffinePreimage(set: Set, A: Numbers, b: Numbers) -> Set:
    """{x : A x + b in set}"""
    return _build(ops.affine_preimage, set, _tensor(A), _tensor(b))


def Scaled(set: Set, factor: float) -> Set:
    """{factor y : y in set}, factor > 0"""
    return _build(ops.scaled, set, float(factor))


def parse_set(json: str) -> Set:
    """a set from the text of a SET.json"""
    return _build(ops.read_set, json)


def load_set(path: Union[str, "os.PathLike[str]"]) -> Set:
    """a set from a SET.json file"""
    return _build(ops.read_set_file, os.fspath(path))
