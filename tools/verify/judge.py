"""Decides whether points are strictly inside a set, in exact arithmetic on their binary values and on the set's data as they
were given. It shares no code with the library: a set is a dict as SET.json has it.

Each inequality is a number that must be positive. It is computed in extended precision with a bound of its error; the rows
for which that leaves a doubt are computed again, in rationals, or in decimals of 60 digits where a formula has logarithms.
"""
from __future__ import annotations

import decimal
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Callable, Dict, Iterator, List, Sequence

import numpy as np

Json = Dict[str, Any]
Exact = Callable[[Sequence[Fraction]], bool]

LONG = np.longdouble
EPS = float(np.finfo(LONG).eps)
# Beside the relative errors: what underflows in extended precision.
TINY = LONG("1e-4900")
DIGITS = decimal.Context(prec=60, Emin=-999999, Emax=999999)


@dataclass
class Inequality:
    """value(x) > 0 for rows x in extended precision: the values and bounds of their errors; exact(x) for one point."""

    value: Callable[[np.ndarray], "tuple[np.ndarray, np.ndarray]"]
    exact: Exact


@dataclass
class Equality:
    """row . x = bound, which floating point meets up to rounding: the residual is measured, not judged."""

    row: np.ndarray
    bound: float


def fractions_of(values: Any) -> List[Fraction]:
    return [Fraction(float(v)) for v in np.asarray(values, dtype=float).ravel()]


def linear(row: Any, bound: float) -> Inequality:
    """bound - row . x > 0"""
    row = np.asarray(row, dtype=float)
    used = np.flatnonzero(row)
    coefficients = row[used].astype(LONG)
    exact_row = [(int(j), Fraction(float(row[j]))) for j in used]

    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        terms = x[:, used] * coefficients
        return LONG(bound) - terms.sum(1), (len(used) + 2) * EPS * (np.abs(terms).sum(1) + abs(bound)) + TINY

    return Inequality(value, lambda x: sum((a * x[j] for j, a in exact_row), Fraction(0)) < Fraction(bound))


def bounds(lower: Any, upper: Any) -> Iterator[Inequality]:
    """All sides of a box at once: comparisons of doubles are exact."""
    low = np.array([-np.inf if v is None else v for v in np.asarray(lower, dtype=object)], dtype=float)
    high = np.array([np.inf if v is None else v for v in np.asarray(upper, dtype=object)], dtype=float)
    free = low != high

    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        inside = ((x > low) & (x < high))[:, free].all(1)
        return np.where(inside, LONG(1), LONG(-1)), np.zeros(len(x), dtype=LONG)

    yield Inequality(value, lambda x: False)


def quadratic(P: Any, q: Any, c: float, center: Any) -> Inequality:
    """-(1/2 y'Py + q'y + c) > 0, y = x - center"""
    P, q, center = (np.asarray(v, dtype=float) for v in (P, q, center))
    exact_P, exact_q, exact_center = [fractions_of(row) for row in P], fractions_of(q), fractions_of(center)

    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        y = x - center.astype(LONG)
        size = np.abs(x) + np.abs(center)
        form = (y @ P.astype(LONG) * y).sum(1) / 2 + y @ q.astype(LONG) + LONG(c)
        scale = (size @ np.abs(P) * size).sum(1) + size @ np.abs(q) + abs(c)
        return -form, (2 * len(q) + 8) * EPS * scale + TINY

    def exact(x: Sequence[Fraction]) -> bool:
        y = [a - b for a, b in zip(x, exact_center)]
        images = [sum((a * b for a, b in zip(row, y)), Fraction(0)) for row in exact_P]
        form = sum((a * b for a, b in zip(y, images)), Fraction(0))
        return form / 2 + sum((a * b for a, b in zip(exact_q, y)), Fraction(0)) + Fraction(c) < 0

    return Inequality(value, exact)


def ball(center: Any, radius: float) -> Inequality:
    """radius^2 - |x - center|^2 > 0"""
    center = np.asarray(center, dtype=float)
    exact_center = fractions_of(center)

    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        y = x - center.astype(LONG)
        size = np.abs(x) + np.abs(center)
        square = LONG(radius) ** 2
        return square - (y * y).sum(1), (len(center) + 8) * EPS * ((size * size).sum(1) + square) + TINY

    def exact(x: Sequence[Fraction]) -> bool:
        return sum(((a - b) ** 2 for a, b in zip(x, exact_center)), Fraction(0)) < Fraction(radius) ** 2

    return Inequality(value, exact)


def second_order_cone(M: Any, s: Any, c: Any, e: float) -> Iterator[Inequality]:
    """c.x + e > 0 and (c.x + e)^2 - |Mx + s|^2 > 0"""
    M, s, c = (np.asarray(v, dtype=float) for v in (M, s, c))
    yield linear(-c, e)
    exact_M, exact_s, exact_c = [fractions_of(row) for row in M], fractions_of(s), fractions_of(c)

    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        t = x @ c.astype(LONG) + LONG(e)
        w = x @ M.T.astype(LONG) + s.astype(LONG)
        size = (np.abs(x) @ np.abs(c) + abs(e)) ** 2 + ((np.abs(x) @ np.abs(M.T) + np.abs(s)) ** 2).sum(1)
        return t * t - (w * w).sum(1), (4 * len(c) + len(s) + 8) * EPS * size + TINY

    def exact(x: Sequence[Fraction]) -> bool:
        t = sum((a * b for a, b in zip(exact_c, x)), Fraction(e))
        w = [sum((a * b for a, b in zip(row, x)), start) for row, start in zip(exact_M, exact_s)]
        return t * t > sum((v * v for v in w), Fraction(0))

    yield Inequality(value, exact)


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


def lmi(F: Any) -> Inequality:
    """F[0] + sum_i x_i F[i] positive definite. Eigenvalues in double leave a doubt of a few ulp of the largest terms."""
    F = np.asarray(F, dtype=float)
    exact_F = [[fractions_of(row) for row in matrix] for matrix in F]
    order = F.shape[1]

    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        sums = (F[0] + np.einsum("bi,ikl->bkl", x, F[1:].astype(LONG))).astype(float)
        size = np.abs(F[0]).sum() + np.abs(x).astype(float) @ np.abs(F[1:]).sum((1, 2))
        finite = np.isfinite(sums).all((1, 2))
        smallest = np.full(len(x), -np.inf)
        smallest[finite] = np.linalg.eigvalsh(sums[finite])[:, 0]
        return smallest.astype(LONG), (16 * order * np.finfo(float).eps * size).astype(LONG)

    def exact(x: Sequence[Fraction]) -> bool:
        return positive_definite([[exact_F[0][k][m] + sum((x[i] * exact_F[i + 1][k][m] for i in range(len(x))), Fraction(0))
                                   for m in range(order)] for k in range(order)])

    return Inequality(value, exact)


def as_decimal(value: Fraction) -> decimal.Decimal:
    return DIGITS.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))


def in_decimals(slack: Callable[[List[decimal.Decimal]], decimal.Decimal]) -> Exact:
    """A slack whose relative error is far below the 60 digits; what is smaller than that counts as 0."""
    def exact(x: Sequence[Fraction]) -> bool:
        with decimal.localcontext(DIGITS):
            return slack([as_decimal(v) for v in x]) > decimal.Decimal("1e-50")
    return exact


def lp_ball(center: Any, radius: float, p: float) -> Iterator[Inequality]:
    """radius^p - sum |x_j - center_j|^p > 0"""
    center = np.asarray(center, dtype=float)
    if np.isinf(p):
        for j in range(len(center)):
            unit = np.eye(len(center))[j]
            # x_j - center_j may not be a double: rationals decide near the bound.
            yield shifted(unit, center[j], radius)
            yield shifted(-unit, -center[j], radius)
        return

    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        y = np.abs(x - center.astype(LONG)) / LONG(radius)
        doubt = EPS * (np.abs(x) + np.abs(center)) / LONG(radius)
        slope = LONG(p) * np.maximum(y, 1) ** LONG(p - 1)
        return 1 - (y ** LONG(p)).sum(1), (slope * doubt).sum(1) + (len(center) + 16) * EPS * (1 + (y ** LONG(p)).sum(1))

    def slack(x: List[decimal.Decimal]) -> decimal.Decimal:
        power = decimal.Decimal(p)
        total = decimal.Decimal(0)
        for a, b in zip(x, center):
            y = abs(a - decimal.Decimal(float(b))) / decimal.Decimal(float(radius))
            total += (y.ln() * power).exp() if y > 0 else decimal.Decimal(0)
        return 1 - total

    yield Inequality(value, in_decimals(slack))


def shifted(row: np.ndarray, origin: float, bound: float) -> Inequality:
    """bound - (row . x - origin) > 0"""
    j = int(np.flatnonzero(row)[0])
    sign = float(row[j])

    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        return LONG(bound) - (LONG(sign) * x[:, j] - LONG(origin)), 4 * EPS * (np.abs(x[:, j]) + abs(origin) + abs(bound))

    return Inequality(value, lambda x: Fraction(sign) * x[j] - Fraction(origin) < Fraction(bound))


def log_sum_exp(dim: int, bound: float) -> Inequality:
    """1 - sum_j exp(x_j - bound) > 0"""
    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        terms = np.exp(np.minimum(x - LONG(bound), LONG(100)))
        return 1 - terms.sum(1), (dim + 8) * EPS * (1 + (terms * (1 + np.abs(x) + abs(bound))).sum(1))

    def slack(x: List[decimal.Decimal]) -> decimal.Decimal:
        top = decimal.Decimal(float(bound))
        return 1 - sum(((v - top).exp() for v in x if v - top > -10000), decimal.Decimal(0))

    return Inequality(value, in_decimals(slack))


def kl_ball(reference: Any, radius: float) -> Inequality:
    """radius - sum_j x_j log(x_j / reference_j) > 0"""
    reference = np.asarray(reference, dtype=float)

    def value(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        positive = np.maximum(x, TINY)
        terms = positive * np.log(positive / reference.astype(LONG))
        return LONG(radius) - terms.sum(1), (len(reference) + 8) * EPS * (np.abs(terms).sum(1) + radius + np.abs(x).sum(1))

    def slack(x: List[decimal.Decimal]) -> decimal.Decimal:
        pairs = zip(x, (decimal.Decimal(float(r)) for r in reference))
        return decimal.Decimal(float(radius)) - sum((v * (v / r).ln() for v, r in pairs if v > 0), decimal.Decimal(0))

    return Inequality(value, in_decimals(slack))


class Judge:
    """What a set asks of its points."""

    def __init__(self, description: Json, dim: int) -> None:
        self.dim = dim
        self.inequalities: List[Inequality] = []
        self.equalities: List[Equality] = []
        self._add(description, slice(0, dim))

    def _add(self, d: Json, columns: slice) -> None:
        n = columns.stop - columns.start
        for found in self._of(d, n, columns):
            self.inequalities.append(found if n == self.dim else on_columns(found, columns))

    def _equal(self, row: Any, bound: float, columns: slice) -> None:
        whole = np.zeros(self.dim)
        whole[columns] = row
        self.equalities.append(Equality(whole, bound))

    def _of(self, d: Json, n: int, columns: slice) -> Iterator[Inequality]:
        kind = d["type"]
        if kind in ("box", "simplex", "capped_simplex"):
            cap = d.get("cap", np.inf)
            lower = d["lower"] if kind == "box" else np.zeros(n)
            upper = d["upper"] if kind == "box" else np.broadcast_to(np.asarray(cap, dtype=float), n)
            yield from bounds(lower, upper)
            for j, (low, high) in enumerate(zip(lower, upper)):
                if low is not None and low == high:
                    self._equal(np.eye(n)[j], low, columns)
            if kind != "box":
                self._equal(np.ones(n), d.get("sum", 1), columns)
        elif kind == "polyhedron":
            for row, bound in zip(d.get("A", []), d.get("b", [])):
                yield linear(row, bound)
            for row, bound in zip(d.get("E", []), d.get("f", [])):
                self._equal(row, bound, columns)
        elif kind == "ball":
            yield ball(d["center"], d["radius"])
        elif kind == "ellipsoid":
            yield quadratic(2 * np.asarray(d["shape"], dtype=float), np.zeros(n), -1, d["center"])
        elif kind == "quadratic":
            yield quadratic(d["P"], d["q"], d["c"], np.zeros(n))
        elif kind == "second_order_cone":
            yield from second_order_cone(d["M"], d["s"], d["c"], d["e"])
        elif kind == "lmi":
            yield lmi(d["F"])
        elif kind == "lp_ball":
            yield from lp_ball(d["center"], d["radius"], d["p"])
        elif kind == "log_sum_exp":
            yield log_sum_exp(n, d["bound"])
        elif kind == "kl_ball":
            yield from bounds(np.zeros(n), np.full(n, np.inf))
            self._equal(np.ones(n), 1, columns)
            yield kl_ball(d["reference"], d["radius"])
        elif kind == "intersection":
            for part in d["sets"]:
                yield from self._of(part, n, columns)
        elif kind == "product":
            start = columns.start
            for part in d["sets"]:
                width = dim_of(part)
                self._add(part, slice(start, start + width))
                start += width
        else:
            raise ValueError(f"the judge does not know the type {kind}")

    def inside(self, x: np.ndarray) -> np.ndarray:
        """Which rows are finite and satisfy every inequality strictly: proved for each."""
        good = np.isfinite(x).all(1)
        rows = np.flatnonzero(good)
        wide = x[rows].astype(LONG)
        for inequality in self.inequalities:
            value, doubt = inequality.value(wide)
            proved = value > doubt
            for i in np.flatnonzero(~proved & ~(value < -doubt)):
                proved[i] = inequality.exact(fractions_of(x[rows[i]]))
            good[rows[~proved]] = False
        return good

    def residual(self, x: np.ndarray) -> np.ndarray:
        """The largest |row . x - bound| over the equalities, relative to the size of the terms and to their number."""
        worst = np.zeros(len(x))
        wide = x.astype(LONG)
        for equality in self.equalities:
            terms = wide * equality.row.astype(LONG)
            size = np.abs(terms).sum(1) + abs(equality.bound)
            off = np.abs(terms.sum(1) - LONG(equality.bound))
            worst = np.maximum(worst, (off / np.maximum(size, TINY) / max(1, np.count_nonzero(equality.row))).astype(float))
        return worst


def on_columns(inequality: Inequality, columns: slice) -> Inequality:
    return Inequality(lambda x: inequality.value(x[:, columns]), lambda x: inequality.exact(x[columns]))


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
        rows: Any = d.get("A") or d["E"]
        return len(rows[0])
    field = {"box": "lower", "ball": "center", "ellipsoid": "center", "lp_ball": "center", "quadratic": "q",
             "second_order_cone": "c", "kl_ball": "reference"}[kind]
    return len(d[field])
