"""Decides whether points are strictly inside a set, in exact arithmetic on their binary values and on the set's data as they
were given. It shares no code with the library: a set is a dict as SET.json has it. Numbers of it may have an axis of rows in
front (`Samples`): then every point has a set of its own.

Each inequality is a number that must be positive. A filter computes it for all rows at once, with a bound of its error, and
proves most of them; the rows for which it leaves a doubt are computed again one by one, in rationals, or in decimals of 60
digits where a formula has logarithms.

The filter works in double for points in single precision and in the 80 bits of long double for points in double, so that
points and data are converted without an error. With eps the spacing of these numbers at 1, a sum of k products, in any
order, fused or not, errs by at most (k + 1) eps/2 times the sum of the absolute products, to first order (Higham, Accuracy
and Stability of Numerical Algorithms, section 3.1); every bound below takes (k + 2) eps or more, twice that: the other half
pays for the terms of higher order and for the rounding of the bound itself. What underflows is below TINY: the smallest
number of the precision, 5e-324 or 4e-4951, times more than 10^23 operations. NaN, where something overflows, is a doubt.
"""
from __future__ import annotations

import decimal
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

Json = Dict[str, Any]
Exact = Callable[[Sequence[Fraction]], bool]
# Values (rows) or (rows, several) and bounds of their errors, for points in the filter's precision.
Filter = Callable[[np.ndarray], Tuple[np.ndarray, np.ndarray]]

LONG = np.longdouble
EPS = {np.dtype(t): float(np.finfo(t).eps) for t in (np.float64, LONG)}
TINY = {np.dtype(np.float64): np.float64("1e-300"), np.dtype(LONG): LONG("1e-4900")}
# What a quotient x / scale errs by, in eps/2.
QUOTIENT = 1
DIGITS = decimal.Context(prec=60, Emin=-999999, Emax=999999)


def wide_type(x: np.ndarray) -> type:
    """The precision of the filter."""
    return np.float64 if x.dtype == np.float32 else LONG


@dataclass
class Equality:
    """row . x = bound, which floating point meets up to rounding: the residual is measured, not judged."""

    row: np.ndarray
    bound: Any


def fractions_of(values: Any) -> List[Fraction]:
    return [Fraction(float(v)) for v in np.asarray(values, dtype=float).ravel()]


def open_sides(values: Any, infinity: float) -> np.ndarray:
    """SET.json has null for an open side."""
    if isinstance(values, np.ndarray):
        return values.astype(float)
    return np.array([infinity if v is None else v for v in values], dtype=float)


# ------------------------------------------------------------------------------------------------------------- the filter


def row_dots(x: np.ndarray, A: np.ndarray) -> np.ndarray:
    """x (rows, n) times A (m, n) for all rows, or (rows, m, n): (rows, m)."""
    return x @ A.T if A.ndim == 2 else (x[:, None, :] * A).sum(2)


def column(values: Any, kind: Any) -> np.ndarray:
    """A number for all rows or one for each: as (1) or (rows)."""
    return np.atleast_1d(np.asarray(values, dtype=float)).astype(kind)


def linear(A: Any, b: Any) -> Filter:
    """b - A x > 0. An infinite b is no inequality."""
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)

    def value(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        kind = x.dtype
        wide_A, wide_b = A.astype(kind), b.astype(kind)
        size = row_dots(np.abs(x), np.abs(wide_A)) + np.where(np.isinf(wide_b), 0, np.abs(wide_b))
        return wide_b - row_dots(x, wide_A), (A.shape[-1] + 2 + QUOTIENT) * EPS[kind] * size + TINY[kind]

    return value


def bounds(lower: Any, upper: Any, quotient: bool) -> Filter:
    """All sides of a box at once: the sign of a difference of two numbers is exact. Fixed coordinates do not count."""
    low, high = open_sides(lower, -np.inf), open_sides(upper, np.inf)
    free = low != high

    def value(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        kind = x.dtype
        slack = np.where(free, np.minimum(x - low.astype(kind), high.astype(kind) - x), 1)
        # The rounding of the difference itself does not change its sign.
        return slack, 2 * EPS[kind] * np.abs(x) if quotient else np.zeros(1, dtype=kind)

    return value


def quadratic(P: Any, q: Any, c: Any, center: Any) -> Filter:
    """-(1/2 y'Py + q'y + c) > 0, y = x - center"""
    P, q, center = (np.asarray(v, dtype=float) for v in (P, q, center))

    def value(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        kind = x.dtype
        y = x - center.astype(kind)
        size = np.abs(x) + np.abs(center)
        form = (y @ P.astype(kind) * y).sum(1) / 2 + (y * q.astype(kind)).sum(1) + column(c, kind)
        scale = (size @ np.abs(P) * size).sum(1) + (size * np.abs(q)).sum(1) + np.abs(column(c, kind))
        return -form, (2 * P.shape[-1] + 10) * EPS[kind] * scale + TINY[kind]

    return value


def ball(center: Any, radius: Any) -> Filter:
    """radius^2 - |x - center|^2 > 0"""
    center = np.asarray(center, dtype=float)

    def value(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        kind = x.dtype
        y = x - center.astype(kind)
        size = np.abs(x) + np.abs(center)
        square = column(radius, kind) ** 2
        return square - (y * y).sum(1), (x.shape[1] + 10) * EPS[kind] * ((size * size).sum(1) + square) + TINY[kind]

    return value


def second_order_cone(M: Any, s: Any, c: Any, e: Any) -> Filter:
    """(c.x + e)^2 - |Mx + s|^2 > 0, where c.x + e > 0 stands besides"""
    M, s, c = (np.asarray(v, dtype=float) for v in (M, s, c))

    def value(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        kind = x.dtype
        t = (x * c.astype(kind)).sum(1) + column(e, kind)
        w = x @ M.T.astype(kind) + s.astype(kind)
        size = (np.abs(x) * np.abs(c)).sum(1) + np.abs(column(e, kind))
        wide = np.abs(x) @ np.abs(M.T).astype(kind) + np.abs(s)
        total = size**2 + (wide**2).sum(1)
        return t * t - (w * w).sum(1), (4 * x.shape[1] + M.shape[0] + 10) * EPS[kind] * total + TINY[kind]

    return value


def eliminates(matrices: np.ndarray) -> np.ndarray:
    """Which of the symmetric matrices (rows, k, k) have positive pivots, as far as rounding lets one see."""
    left = matrices.copy()
    positive = np.ones(len(left), dtype=bool)
    for k in range(left.shape[1]):
        pivot = left[:, k, k]
        positive &= pivot > 0
        column_ = left[:, k + 1:, k] / np.where(positive, pivot, 1)[:, None]
        left[:, k + 1:, k + 1:] -= column_[:, :, None] * left[:, None, k, k + 1:]
    return positive


def lmi(F: Any) -> Filter:
    """M = F[0] + sum_i x_i F[i] positive definite. Where elimination succeeds on M - delta, M is: the pivots are those of
    a matrix that differs by less than delta. Where it fails on M + delta, M is not. delta takes the rounding of M, of which
    each entry is a sum of len(F) products, and that of the elimination, (order + 1) eps/2 trace(|M|) (Rump, Verification of
    positive definiteness, 2006), with a factor of 8 and more to spare."""
    F = np.asarray(F, dtype=float)
    order = F.shape[1]

    def value(given: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        x, wide, eps = given.astype(LONG), F.astype(LONG), EPS[np.dtype(LONG)]
        M = wide[0] + np.einsum("bi,ikl->bkl", x, wide[1:])
        size = np.abs(wide[0]).sum() + np.abs(x) @ np.abs(wide[1:]).sum((1, 2))
        delta = (8 * order + 4 * len(F) + 8) * eps * size
        shift = delta[:, None, None] * np.eye(order, dtype=LONG)
        above, below = eliminates(M - shift), np.isfinite(M).all((1, 2)) & ~eliminates(M + shift)
        return above.astype(LONG) - below, np.full(len(x), LONG(0.5))

    return value


# Powers, exponentials and logarithms are within a few ulp, in long double whatever the points are.


def lp_ball(center: Any, radius: float, p: float) -> Filter:
    """1 - sum (|x_j - center_j| / radius)^p > 0; the largest of them for p = inf"""
    center = np.asarray(center, dtype=float)

    def value(given: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        x, eps = given.astype(LONG), EPS[np.dtype(LONG)]
        if np.isinf(p):
            return LONG(radius) - np.abs(x - center.astype(LONG)), 4 * eps * (np.abs(x) + np.abs(center) + radius)
        y = np.abs(x - center.astype(LONG)) / LONG(radius)
        doubt = 2 * eps * (np.abs(x) + np.abs(center)) / LONG(radius)
        slope = LONG(p) * np.maximum(y, 1) ** LONG(p - 1)
        powers = (y ** LONG(p)).sum(1)
        return 1 - powers, (slope * doubt).sum(1) + (len(center) + 16) * eps * (1 + powers)

    return value


def log_sum_exp(dim: int, bound: float) -> Filter:
    """1 - sum_j exp(x_j - bound) > 0"""

    def value(given: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        x = given.astype(LONG)
        terms = np.exp(np.minimum(x - LONG(bound), LONG(100)))
        return 1 - terms.sum(1), (dim + 8) * EPS[np.dtype(LONG)] * (1 + (terms * (1 + np.abs(x) + abs(bound))).sum(1))

    return value


def kl_ball(reference: Any, radius: float) -> Filter:
    """radius - sum_j x_j log(x_j / reference_j) > 0"""
    reference = np.asarray(reference, dtype=float)

    def value(given: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        x = given.astype(LONG)
        positive = np.maximum(x, TINY[np.dtype(LONG)])
        terms = positive * np.log(positive / reference.astype(LONG))
        size = np.abs(terms).sum(1) + radius + np.abs(x).sum(1)
        return LONG(radius) - terms.sum(1), (len(reference) + 8) * EPS[np.dtype(LONG)] * size

    return value


def filters(d: Json, n: int, quotient: bool) -> Iterator[Filter]:
    """Of a set in n dimensions; `quotient`: of points that were divided by a scale."""
    kind = d["type"]
    if kind == "box":
        yield bounds(d["lower"], d["upper"], quotient)
    elif kind in ("simplex", "capped_simplex"):
        cap = np.asarray(d.get("cap", np.inf), dtype=float)
        yield bounds(np.zeros(n), np.broadcast_to(cap, cap.shape if cap.ndim else n), quotient)
    elif kind == "polyhedron":
        if len(d.get("A", [])):
            yield linear(d["A"], d["b"])
    elif kind == "ball":
        yield ball(d["center"], d["radius"])
    elif kind == "ellipsoid":
        yield quadratic(2 * np.asarray(d["shape"], dtype=float), np.zeros(n), -1.0, d["center"])
    elif kind == "quadratic":
        yield quadratic(d["P"], d["q"], d["c"], np.zeros(n))
    elif kind == "second_order_cone":
        yield linear(-np.asarray(d["c"], dtype=float)[..., None, :], np.asarray(d["e"], dtype=float)[..., None])
        yield second_order_cone(d["M"], d["s"], d["c"], d["e"])
    elif kind == "lmi":
        yield lmi(d["F"])
    elif kind == "lp_ball":
        yield lp_ball(d["center"], d["radius"], d["p"])
    elif kind == "log_sum_exp":
        yield log_sum_exp(n, d["bound"])
    elif kind == "kl_ball":
        yield bounds(np.zeros(n), np.full(n, np.inf), quotient)
        yield kl_ball(d["reference"], d["radius"])
    elif kind == "intersection":
        for part in d["sets"]:
            yield from filters(part, n, quotient)
    elif kind == "product":
        start = 0
        for part in d["sets"]:
            width = dim_of(part)
            for inner in filters(part, width, quotient):
                yield on_columns(inner, slice(start, start + width))
            start += width
    else:
        raise ValueError(f"the judge does not know the type {kind}")


def on_columns(inner: Filter, columns: slice) -> Filter:
    return lambda x: inner(x[:, columns])


# ---------------------------------------------------------------------------------------------------------------- exactly


def exact_dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((v * w for v, w in zip(a, b) if v), Fraction(0))


def exact_bounds(lower: Any, upper: Any) -> Exact:
    low, high = open_sides(lower, -np.inf), open_sides(upper, np.inf)

    def exact(x: Sequence[Fraction]) -> bool:
        return all(a == b or ((np.isinf(a) or Fraction(float(a)) < v) and (np.isinf(b) or v < Fraction(float(b))))
                   for a, b, v in zip(low, high, x))

    return exact


def exact_linear(A: Any, b: Any) -> Exact:
    rows = [(fractions_of(row), Fraction(float(bound))) for row, bound in zip(A, b) if not np.isinf(bound)]
    return lambda x: all(exact_dot(row, x) < bound for row, bound in rows)


def exact_quadratic(P: Any, q: Any, c: float, center: Any) -> Exact:
    exact_P, exact_q, exact_center = [fractions_of(row) for row in P], fractions_of(q), fractions_of(center)

    def exact(x: Sequence[Fraction]) -> bool:
        y = [a - b for a, b in zip(x, exact_center)]
        form = exact_dot(y, [exact_dot(row, y) for row in exact_P])
        return form / 2 + exact_dot(exact_q, y) + Fraction(float(c)) < 0

    return exact


def exact_ball(center: Any, radius: float) -> Exact:
    exact_center = fractions_of(center)
    square = Fraction(float(radius)) ** 2
    return lambda x: sum(((a - b) ** 2 for a, b in zip(x, exact_center)), Fraction(0)) < square


def exact_cone(M: Any, s: Any, c: Any, e: float) -> Exact:
    exact_M, exact_s, exact_c = [fractions_of(row) for row in M], fractions_of(s), fractions_of(c)

    def exact(x: Sequence[Fraction]) -> bool:
        t = exact_dot(exact_c, x) + Fraction(float(e))
        w = [exact_dot(row, x) + start for row, start in zip(exact_M, exact_s)]
        return t > 0 and t * t > sum((v * v for v in w), Fraction(0))

    return exact


def positive_definite(matrix: List[List[Fraction]]) -> bool:
    """By elimination: all pivots positive."""
    rows = [list(row) for row in matrix]
    for k in range(len(rows)):
        if rows[k][k] <= 0:
            return False
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            for j in range(k, len(rows)):
                rows[i][j] -= factor * rows[k][j]
    return True


def exact_lmi(F: Any) -> Exact:
    exact_F = [[fractions_of(row) for row in matrix] for matrix in F]
    order = len(exact_F[0])

    def exact(x: Sequence[Fraction]) -> bool:
        return positive_definite([[exact_F[0][k][m] + sum((x[i] * exact_F[i + 1][k][m] for i in range(len(x))), Fraction(0))
                                   for m in range(order)] for k in range(order)])

    return exact


def as_decimal(value: Fraction) -> decimal.Decimal:
    return DIGITS.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))


def in_decimals(slack: Callable[[List[decimal.Decimal]], decimal.Decimal]) -> Exact:
    """A slack whose relative error is far below the 60 digits; what is smaller than that counts as 0."""
    def exact(x: Sequence[Fraction]) -> bool:
        with decimal.localcontext(DIGITS):
            return slack([as_decimal(v) for v in x]) > decimal.Decimal("1e-50")
    return exact


def exact_lp_ball(center: Any, radius: float, p: float) -> Exact:
    exact_center, exact_radius = fractions_of(center), Fraction(float(radius))
    if np.isinf(p):
        return lambda x: all(abs(a - b) < exact_radius for a, b in zip(x, exact_center))

    def slack(x: List[decimal.Decimal]) -> decimal.Decimal:
        power = decimal.Decimal(p)
        total = decimal.Decimal(0)
        for a, b in zip(x, center):
            y = abs(a - decimal.Decimal(float(b))) / decimal.Decimal(float(radius))
            total += (y.ln() * power).exp() if y > 0 else decimal.Decimal(0)
        return 1 - total

    return in_decimals(slack)


def exact_log_sum_exp(bound: float) -> Exact:
    def slack(x: List[decimal.Decimal]) -> decimal.Decimal:
        top = decimal.Decimal(float(bound))
        return 1 - sum(((v - top).exp() for v in x if v - top > -10000), decimal.Decimal(0))

    return in_decimals(slack)


def exact_kl_ball(reference: Any, radius: float) -> Exact:
    def slack(x: List[decimal.Decimal]) -> decimal.Decimal:
        pairs = zip(x, (decimal.Decimal(float(r)) for r in reference))
        return decimal.Decimal(float(radius)) - sum((v * (v / r).ln() for v, r in pairs if v > 0), decimal.Decimal(0))

    return in_decimals(slack)


def exacts(d: Json, n: int) -> Iterator[Exact]:
    """The inequalities of one set in exact arithmetic."""
    kind = d["type"]
    if kind == "box":
        yield exact_bounds(d["lower"], d["upper"])
    elif kind in ("simplex", "capped_simplex"):
        yield exact_bounds(np.zeros(n), np.broadcast_to(np.asarray(d.get("cap", np.inf), dtype=float), n))
    elif kind == "polyhedron":
        yield exact_linear(d.get("A", []), d.get("b", []))
    elif kind == "ball":
        yield exact_ball(d["center"], d["radius"])
    elif kind == "ellipsoid":
        yield exact_quadratic(2 * np.asarray(d["shape"], dtype=float), np.zeros(n), -1, d["center"])
    elif kind == "quadratic":
        yield exact_quadratic(d["P"], d["q"], d["c"], np.zeros(n))
    elif kind == "second_order_cone":
        yield exact_cone(d["M"], d["s"], d["c"], d["e"])
    elif kind == "lmi":
        yield exact_lmi(d["F"])
    elif kind == "lp_ball":
        yield exact_lp_ball(d["center"], d["radius"], d["p"])
    elif kind == "log_sum_exp":
        yield exact_log_sum_exp(d["bound"])
    elif kind == "kl_ball":
        yield exact_bounds(np.zeros(n), np.full(n, np.inf))
        yield exact_kl_ball(d["reference"], d["radius"])
    elif kind == "intersection":
        for part in d["sets"]:
            yield from exacts(part, n)
    else:
        start = 0
        for part in d["sets"]:
            width = dim_of(part)
            for inner in exacts(part, width):
                yield exact_on_columns(inner, slice(start, start + width))
            start += width


def exact_on_columns(inner: Exact, columns: slice) -> Exact:
    return lambda x: inner(x[columns])


# -------------------------------------------------------------------------------------------------------------- equalities


def equalities(d: Json, n: int) -> Iterator[Equality]:
    kind = d["type"]
    if kind == "box":
        # Of data for each sample, fixed coordinates are the sample judge's.
        lower, upper = ([], []) if isinstance(d["lower"], np.ndarray) else (d["lower"], d["upper"])
        for j, (low, high) in enumerate(zip(lower, upper)):
            if low is not None and low == high:
                yield Equality(np.eye(n)[j], low)
    elif kind in ("simplex", "capped_simplex"):
        yield Equality(np.ones(n), d.get("sum", 1))
        cap = np.asarray(d.get("cap", np.inf), dtype=float)
        closed = np.flatnonzero(np.broadcast_to(cap, n) == 0) if cap.ndim < 2 else np.array([], dtype=int)
        for j in closed:
            yield Equality(np.eye(n)[j], 0)
    elif kind == "polyhedron" and len(d.get("E", [])):
        E, f = np.asarray(d["E"], dtype=float), np.asarray(d["f"], dtype=float)
        for k in range(E.shape[-2]):
            yield Equality(E[..., k, :], f[..., k])
    elif kind == "kl_ball":
        yield Equality(np.ones(n), 1)
    elif kind == "intersection":
        for part in d["sets"]:
            yield from equalities(part, n)
    elif kind == "product":
        start = 0
        for part in d["sets"]:
            width = dim_of(part)
            for inner in equalities(part, width):
                whole = np.zeros(n)
                whole[start:start + width] = inner.row
                yield Equality(whole, inner.bound)
            start += width


class Judge:
    """What a set asks of its points."""

    def __init__(self, description: Json, dim: int, scale: Optional[np.ndarray] = None) -> None:
        """`scale` (rows): the set of each row is that of the description, scaled."""
        self.dim = dim
        self.scale = scale
        self.filters = list(filters(description, dim, scale is not None))
        self.equalities = list(equalities(description, dim))
        self._description = description
        self._exacts: List[Exact] = []

    def description_of(self, row: int) -> Json:
        """The set of one row."""
        return self._description

    def exactly_inside(self, x: np.ndarray, row: int) -> bool:
        if not self._exacts:
            self._exacts = list(exacts(self.description_of(row), self.dim))
        return self._in(self._exacts, x, row)

    def _in(self, conditions: List[Exact], x: np.ndarray, row: int) -> bool:
        point = fractions_of(x)
        if self.scale is not None:
            factor = Fraction(float(self.scale[row]))
            point = [v / factor for v in point]
        return all(condition(point) for condition in conditions)

    def inside(self, x: np.ndarray) -> np.ndarray:
        """Which rows are finite and satisfy every inequality strictly: proved for each."""
        finite = np.isfinite(x).all(1)
        wide: np.ndarray = np.where(finite[:, None], x, 0).astype(wide_type(x))
        if self.scale is not None:
            wide = wide / self.scale.astype(wide.dtype)[:, None]
        proved, refuted = finite.copy(), ~finite
        for value_of in self.filters:
            value, doubt = value_of(wide)
            above, below = value > doubt, value < -doubt
            proved &= above if above.ndim == 1 else above.all(1)
            refuted |= below if below.ndim == 1 else below.any(1)
        for i in np.flatnonzero(~proved & ~refuted):
            proved[i] = self.exactly_inside(x[i], int(i))
        return proved & ~refuted

    def residual(self, x: np.ndarray, around: Any = 0.0) -> np.ndarray:
        """The largest |row . x - bound| over the equalities, relative to the size of the terms and to their number.
        `around`: the size of numbers, the anchor's for example, that x is the sum of."""
        worst = np.zeros(len(x))
        kind: Any = np.dtype(wide_type(x))
        wide = x.astype(kind)
        factor = 1 if self.scale is None else self.scale.astype(kind)
        for equality in self.equalities:
            terms = wide * equality.row.astype(kind)
            bound = column(equality.bound, kind) * factor
            size = np.abs(terms).sum(1) + np.abs(bound) + around * np.abs(equality.row).sum(-1)
            off = np.abs(terms.sum(1) - bound) / np.maximum(size, TINY[kind])
            terms_of_row = np.count_nonzero(equality.row, axis=-1)
            worst = np.maximum(worst, (off / np.maximum(1, terms_of_row)).astype(float))
        return worst


def dim_of(d: Json) -> int:
    kind = d["type"]
    if kind in ("simplex", "capped_simplex", "log_sum_exp"):
        return int(d["dim"])
    if kind == "intersection":
        return dim_of(d["sets"][0])
    if kind == "product":
        return sum(dim_of(part) for part in d["sets"])
    if kind == "lmi":
        return len(d["F"]) - 1
    if kind == "polyhedron":
        rows: Any = d["A"] if len(d.get("A", [])) else d["E"]
        return len(rows[0])
    field = {"box": "lower", "ball": "center", "ellipsoid": "center", "lp_ball": "center", "quadratic": "q",
             "second_order_cone": "c", "kl_ball": "reference"}[kind]
    return len(d[field])
