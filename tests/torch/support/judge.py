"""Membership in exact arithmetic, from a set's data as they were given and independently of the library.

A judge mirrors a constructor of softradial.sets. Points are object arrays of Fraction: the binary values of a tensor's
numbers. Slacks are Fraction, or Decimal with 80 digits where the set has logarithms or powers in it.

    slacks(x)           all must be positive
    residuals(x, u0)    of the equalities, each with the sum of the absolute terms in it, those of the anchor u0
                        included: x = u0 + phi d cannot be closer to the hull than the anchor is
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy
import torch

DIGITS = 80


def exact(values: Any) -> numpy.ndarray:
    """Numbers of any shape as an array of Fraction; infinities stay floats, which compare as they should."""
    numbers = torch.as_tensor(values, dtype=torch.float64).detach().numpy()
    flat = [Fraction(v) if numpy.isfinite(v) else v for v in numbers.ravel().tolist()]
    out = numpy.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(numbers.shape)


def decimals(x: numpy.ndarray) -> List[Decimal]:
    return [Decimal(v.numerator) / Decimal(v.denominator) for v in x]


@dataclass(frozen=True)
class Residual:
    value: Fraction
    size: Fraction


class Judge:
    def slacks(self, x: numpy.ndarray) -> Sequence[Any]:
        return []

    def residuals(self, x: numpy.ndarray, u0: numpy.ndarray) -> Sequence[Residual]:
        return []


class Polyhedron(Judge):
    """A x <= b, E x = f. Rows named in `always_active` are equalities in disguise: constant on the hull."""

    def __init__(self, A: Any, b: Any, E: Any = None, f: Any = None, always_active: Sequence[int] = ()) -> None:
        A, b = exact(A), exact(b)
        strict = [i for i in range(len(b)) if i not in always_active]
        self.A, self.b = A[strict], b[strict]
        self.E, self.f = A[list(always_active)], b[list(always_active)]
        if E is not None:
            self.E, self.f = numpy.concatenate([exact(E), self.E]), numpy.concatenate([exact(f), self.f])

    def slacks(self, x):
        return list(self.b - self.A.dot(x))

    def residuals(self, x, u0):
        return [Residual(abs(e.dot(x) - f), abs(e).dot(abs(x) + abs(u0)) + abs(f)) for e, f in zip(self.E, self.f)]


class Coordinates(Judge):
    """lower <= x <= upper, sum(x) = total"""

    def __init__(self, lower: Any, upper: Any, total: Optional[Any] = None) -> None:
        self.lower, self.upper = exact(lower), exact(upper)
        self.total = None if total is None else exact(total)[()]

    def slacks(self, x):
        return list(x - self.lower) + list(self.upper - x)

    def residuals(self, x, u0):
        if self.total is None:
            return []
        return [Residual(abs(sum(x) - self.total), sum(abs(x) + abs(u0)) + abs(self.total))]


def simplex(dim: int, total: Any = 1.0) -> Judge:
    return Coordinates(numpy.zeros(dim), numpy.full(dim, numpy.inf), total)


def capped_simplex(dim: int, cap: Any, total: Any = 1.0) -> Judge:
    return Coordinates(numpy.zeros(dim), torch.as_tensor(cap, dtype=torch.float64).expand(dim), total)


class Quadratic(Judge):
    """1/2 x'Px + q'x + c <= 0"""

    def __init__(self, P: Any, q: Any, c: Any) -> None:
        self.P, self.q, self.c = exact(P), exact(q), exact(c)[()]

    def slacks(self, x):
        return [-(x.dot(self.P.dot(x)) / 2 + self.q.dot(x) + self.c)]


class Ellipsoid(Judge):
    """(x - center)' shape (x - center) <= 1"""

    def __init__(self, center: Any, shape: Any) -> None:
        self.center, self.shape = exact(center), exact(shape)

    def slacks(self, x):
        e = x - self.center
        return [1 - e.dot(self.shape.dot(e))]


class Ball(Judge):
    """|x - center| <= radius"""

    def __init__(self, center: Any, radius: Any) -> None:
        self.center, self.radius = exact(center), exact(radius)[()]

    def slacks(self, x):
        e = x - self.center
        return [self.radius**2 - e.dot(e)]


class SecondOrderCone(Judge):
    """|Mx + s| <= c.x + e"""

    def __init__(self, M: Any, s: Any, c: Any, e: Any) -> None:
        self.M, self.s, self.c, self.e = exact(M), exact(s), exact(c), exact(e)[()]

    def slacks(self, x):
        image, height = self.M.dot(x) + self.s, self.c.dot(x) + self.e
        return [height, height**2 - image.dot(image)]


class Lmi(Judge):
    """F[0] + sum_i x_i F[i] positive definite: all leading minors are positive"""

    def __init__(self, F: Any) -> None:
        self.F = exact(F)

    def slacks(self, x):
        matrix = self.F[0] + sum(xi * Fi for xi, Fi in zip(x, self.F[1:]))
        pivots = []
        for k in range(len(matrix)):
            pivots.append(matrix[k, k])
            if pivots[-1] <= 0:
                break
            below = matrix[k + 1 :, k] / matrix[k, k]
            matrix[k + 1 :, k + 1 :] = matrix[k + 1 :, k + 1 :] - numpy.outer(below, matrix[k, k + 1 :])
        return pivots


class LpBall(Judge):
    """|x - center|_p <= radius"""

    def __init__(self, center: Any, radius: Any, p: float) -> None:
        self.center, self.radius, self.p = exact(center), exact(radius)[()], p

    def slacks(self, x):
        e = abs(x - self.center)
        if self.p == numpy.inf:
            return [self.radius - max(e)]
        if self.p == int(self.p):
            return [self.radius ** int(self.p) - sum(e ** int(self.p))]
        with localcontext() as context:
            context.prec = DIGITS
            p = Decimal(self.p)
            return [decimals([self.radius])[0] ** p - sum(v**p for v in decimals(e))]


class LogSumExp(Judge):
    """log sum_j exp(x_j) <= bound"""

    def __init__(self, bound: Any) -> None:
        self.bound = exact(bound)[()]

    def slacks(self, x):
        with localcontext() as context:
            context.prec = DIGITS
            return [decimals([self.bound])[0].exp() - sum(v.exp() for v in decimals(x))]


class KlBall(Judge):
    """x >= 0, sum(x) = 1, sum_j x_j log(x_j / reference_j) <= radius"""

    def __init__(self, reference: Any, radius: Any) -> None:
        self.reference, self.radius = exact(reference), exact(radius)[()]
        self.simplex = simplex(len(self.reference))

    def slacks(self, x):
        inside = self.simplex.slacks(x)
        if min(inside) <= 0:
            return inside
        with localcontext() as context:
            context.prec = DIGITS
            pairs = zip(decimals(x), decimals(self.reference))
            return inside + [decimals([self.radius])[0] - sum(p * (p / q).ln() for p, q in pairs)]

    def residuals(self, x, u0):
        return self.simplex.residuals(x, u0)


class Intersection(Judge):
    def __init__(self, *parts: Judge) -> None:
        self.parts = parts

    def slacks(self, x):
        return [s for part in self.parts for s in part.slacks(x)]

    def residuals(self, x, u0):
        return [r for part in self.parts for r in part.residuals(x, u0)]


class Product(Judge):
    """parts: (judge, dim) pairs"""

    def __init__(self, *parts: Tuple[Judge, int]) -> None:
        ends = numpy.cumsum([dim for _, dim in parts]).tolist()
        self.parts = [(judge, slice(end - dim, end)) for (judge, dim), end in zip(parts, ends)]

    def slacks(self, x):
        return [s for judge, block in self.parts for s in judge.slacks(x[block])]

    def residuals(self, x, u0):
        return [r for judge, block in self.parts for r in judge.residuals(x[block], u0[block])]


class AffinePreimage(Judge):
    """A x + b in the part"""

    def __init__(self, part: Judge, A: Any, b: Any) -> None:
        self.part, self.A, self.b = part, exact(A), exact(b)

    def slacks(self, x):
        return self.part.slacks(self.A.dot(x) + self.b)

    def residuals(self, x, u0):
        return self.part.residuals(self.A.dot(x) + self.b, self.A.dot(u0) + self.b)


class Scaled(Judge):
    """x / factor in the part"""

    def __init__(self, part: Judge, factor: Any) -> None:
        self.part, self.factor = part, exact(factor)[()]

    def slacks(self, x):
        return self.part.slacks(x / self.factor)

    def residuals(self, x, u0):
        return self.part.residuals(x / self.factor, u0 / self.factor)


# Residuals stay below this many ulp of the terms' sum, times the dimension: one for the equality of the anchor, one for
# that of the direction, one for the rounding of x, one to spare.
RESIDUAL_ULPS = 4


def ulp(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).eps


def judge_row(judge: Judge, row: torch.Tensor, anchor: torch.Tensor) -> Optional[str]:
    """What is wrong with one point, or None."""
    if not bool(torch.isfinite(row).all()):
        return f"not finite: {row.tolist()}"
    x = exact(row)
    slack = min(judge.slacks(x), default=1)
    if not slack > 0:
        return f"slack {float(slack):.3e} at {row.tolist()}"
    for residual in judge.residuals(x, exact(anchor)):
        if residual.value > RESIDUAL_ULPS * ulp(row.dtype) * len(x) * residual.size:
            return f"residual {float(residual.value):.3e}, terms sum to {float(residual.size):.3e}, at {row.tolist()}"
    return None


def faults(judges: Union[Judge, Sequence[Judge]], x: torch.Tensor, anchor: Optional[torch.Tensor] = None) -> List[str]:
    """One line for each row of x (..., dim) that is not strictly inside. Judges and anchors: one, or each row's own."""
    rows = x.detach().reshape(-1, x.shape[-1])
    each = [judges] * len(rows) if isinstance(judges, Judge) else judges
    anchors = torch.zeros_like(rows) if anchor is None else anchor.detach().expand(len(rows), -1)
    assert len(each) == len(rows)
    verdicts = (judge_row(*data) for data in zip(each, rows, anchors))
    return [f"row {i}: {verdict}" for i, verdict in enumerate(verdicts) if verdict is not None]
