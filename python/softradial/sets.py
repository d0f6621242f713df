"""Convex sets. Each function returns a ``Set``: an immutable object that TorchScript knows, too.

    s = softradial.CappedSimplex(50, cap=0.05)
    s.dim, s.violation(x), s.to_json(), s.with_anchor(point)

Data are numbers, sequences or tensors; they are kept in double precision as they were given. A tensor that requires a
gradient stays connected: a layer on the set passes gradients to it.
"""

from __future__ import annotations

import os
from typing import Any, Callable, List, Optional, Sequence, Union

import torch
from torch import Tensor

from ._library import ops

Set = torch.ScriptObject
Numbers = Union[Tensor, Sequence[Any], float, int]


def _tensor(values: Numbers) -> Tensor:
    return values if isinstance(values, Tensor) else torch.as_tensor(values, dtype=torch.float64)


def _constant(name: str, values: Numbers) -> Tensor:
    """Data that take no gradient: one that is asked for must not get lost in silence."""
    tensor = _tensor(values)
    if tensor.requires_grad:
        raise ValueError(f"{name}: gradients to it are not available; detach it, or give it sample by sample where that is")
    return tensor


def _number(name: str, value: Any) -> float:
    return float(_constant(name, value)) if isinstance(value, Tensor) else float(value)


def _fixed(sets: Sequence[Set]) -> List[Set]:
    for part in sets:
        if not isinstance(part, Set):
            raise ValueError(f"{part}: cannot be part of a combined set; functions are combined before, by their maximum")
    learned = [name for part in sets for name in part.learned()]
    if learned:
        raise ValueError(f"{', '.join(learned)}: gradients to the data of a combined set's parts are not available")
    return list(sets)


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
    return _build(ops.simplex, dim, _number("sum", sum))


def CappedSimplex(dim: int, cap: Numbers, sum: float = 1.0) -> Set:
    """{0 <= x <= cap : sum(x) = sum}; one cap for all coordinates or one for each"""
    total = _number("sum", sum)
    if isinstance(cap, (int, float)):
        return _build(ops.uniformly_capped_simplex, dim, float(cap), total)
    return _build(ops.capped_simplex, dim, _tensor(cap), total)


def Box(lower: Numbers, upper: Numbers) -> Set:
    """{lower <= x <= upper}; -inf and inf leave a side open"""
    return _build(ops.box, _tensor(lower), _tensor(upper))


def Ball(center: Numbers, radius: Numbers) -> Set:
    """{|x - center| <= radius}"""
    return _build(ops.ball, _tensor(center), _tensor(radius))


def Ellipsoid(center: Numbers, shape: Numbers) -> Set:
    """{(x - center)' shape (x - center) <= 1}"""
    return _build(ops.ellipsoid, _tensor(center), _constant("shape", shape))


def Polyhedron(A: Numbers, b: Numbers, E: Optional[Numbers] = None, f: Optional[Numbers] = None) -> Set:
    """{A x <= b, E x = f}; A may be a sparse tensor"""
    sparse = isinstance(A, Tensor) and A.layout != torch.strided
    matrix = _constant("A", A) if sparse else _tensor(A)
    normals = None if E is None else _constant("E", E)
    levels = None if f is None else _constant("f", f) if sparse else _tensor(f)
    return _build(ops.polyhedron, matrix, _tensor(b), normals, levels)


def Quadratic(P: Numbers, q: Numbers, c: float) -> Set:
    """{1/2 x'Px + q'x + c <= 0}, P positive semidefinite"""
    return _build(ops.quadratic, _constant("P", P), _constant("q", q), _number("c", c))


def SecondOrderCone(M: Numbers, s: Numbers, c: Numbers, e: float) -> Set:
    """{|Mx + s| <= c.x + e}"""
    return _build(ops.second_order_cone, _constant("M", M), _constant("s", s), _constant("c", c), _number("e", e))


def Lmi(F: Numbers) -> Set:
    """{F[0] + sum_i x_i F[i] positive semidefinite}; F: (dim + 1, m, m), symmetric"""
    return _build(ops.lmi, torch.stack([_constant("F", matrix) for matrix in F]))  # type: ignore[union-attr]


def LpBall(center: Numbers, radius: float, p: float) -> Set:
    """{|x - center|_p <= radius}, 1 <= p <= inf"""
    return _build(ops.lp_ball, _constant("center", center), _number("radius", radius), float(p))


def LogSumExp(dim: int, bound: float) -> Set:
    """{log sum_j exp(x_j) <= bound}"""
    return _build(ops.log_sum_exp, dim, _number("bound", bound))


def KlBall(reference: Numbers, radius: float) -> Set:
    """{x >= 0 : sum(x) = 1, sum_j x_j log(x_j / reference_j) <= radius}"""
    return _build(ops.kl_ball, _constant("reference", reference), _number("radius", radius))


def Intersection(*sets: Set) -> Set:
    """the points that all of them contain"""
    return _build(ops.intersection, _fixed(sets))


def Product(*sets: Set) -> Set:
    """(x_1, x_2, ...) with x_k in the k-th"""
    return _build(ops.product, _fixed(sets))


def AffinePreimage(set: Set, A: Numbers, b: Numbers) -> Set:
    """{x : A x + b in set}"""
    return _build(ops.affine_preimage, _fixed([set])[0], _constant("A", A), _constant("b", b))


def Scaled(set: Set, factor: float) -> Set:
    """{factor y : y in set}, factor > 0"""
    return _build(ops.scaled, _fixed([set])[0], _number("factor", factor))


def parse_set(json: str) -> Set:
    """a set from the text of a SET.json"""
    return _build(ops.read_set, json)


def load_set(path: Union[str, "os.PathLike[str]"]) -> Set:
    """a set from a SET.json file"""
    return _build(ops.read_set_file, os.fspath(path))
