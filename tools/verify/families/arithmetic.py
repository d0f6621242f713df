"""What the families' judges compute with. Each inequality of a set is a number that must be positive, its slack.

A filter computes slacks for all rows at once, with a bound of their errors. It works in double for points in single
precision and in the 80 bits of long double for points in double, so that points and data are converted without an error.
With eps the spacing of these numbers at 1, a sum of k products, in any order, fused or not, errs by at most (k + 1) eps/2
times the sum of the absolute products, to first order (Higham, Accuracy and Stability of Numerical Algorithms, section
3.1); every bound takes (k + 2) eps or more, twice that: the other half pays for the terms of higher order and for the
rounding of the bound itself. What underflows is below TINY: the smallest number of the precision, 5e-324 or 4e-4951, times
more than 10^23 operations. NaN, where something overflows, is a doubt.

Points that were computed themselves, as A x + b or x / scale, come with `err`, how far each coordinate may be from the true
one. A bound adds the most that this changes the slack, twice, for the rounding of err and of the bound. Points as they are
given have err = 0.
"""
from __future__ import annotations

import decimal
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

Json = Dict[str, Any]
Slack = Union[Fraction, Decimal]
# The slacks of one point, one by one.
Exact = Callable[[Sequence[Fraction]], Iterable[Slack]]
# Values (rows) or (rows, several) and bounds of their errors, for points in the filter's precision and their err.
Values = Tuple[np.ndarray, np.ndarray]
Filter = Callable[[np.ndarray, np.ndarray], Values]
Vector = List[Decimal]

LONG = np.longdouble
EPS = {np.dtype(t): float(np.finfo(t).eps) for t in (np.float64, LONG)}
LONG_EPS = EPS[np.dtype(LONG)]
TINY = {np.dtype(np.float64): np.float64("1e-300"), np.dtype(LONG): LONG("1e-4900")}
# What a quotient x / scale errs by, in eps/2.
QUOTIENT = 1
DIGITS = decimal.Context(prec=60, Emin=-999999, Emax=999999)
# A slack in decimals, of which the 60 digits say no more.
LEAST_SLACK = Decimal("1e-50")


def wide_type(x: np.ndarray) -> type:
    """The precision of the filter."""
    return np.float64 if x.dtype == np.float32 else LONG


@dataclass
class Equality:
    """row . x = bound, which floating point meets up to rounding: the residual is measured, not judged. `weight`, `size`:
    of the terms that each entry of the row and the bound are sums of, where they are."""

    row: np.ndarray
    bound: Any
    weight: Optional[np.ndarray] = None
    size: Any = 0.0

    @property
    def weights(self) -> np.ndarray:
        return np.abs(self.row) if self.weight is None else self.weight


def rounded(values: Any) -> list:
    """Numbers as SET.json has them."""
    return np.asarray(values, dtype=float).tolist()


def fractions_of(values: Any) -> List[Fraction]:
    return [Fraction(float(v)) for v in np.asarray(values, dtype=float).ravel()]


def column(values: Any, kind: Any) -> np.ndarray:
    """A number for all rows or one for each: as (1) or (rows)."""
    return np.atleast_1d(np.asarray(values, dtype=float)).astype(kind)


class Matrix:
    """Rows of numbers as SET.json has them: (m, n) for all points, (points, m, n), or sparse."""

    def __init__(self, given: Any, n: int) -> None:
        if isinstance(given, dict):
            # Every row has as many places as the longest one; those that are left over have the number 0.
            rows: List[List[Tuple[int, float]]] = [[] for _ in range(given["rows"])]
            for i, j, number in given["entries"]:
                rows[i].append((j, number))
            self.terms = max([len(row) for row in rows], default=0)
            padded = [row + [(0, 0.0)] * (self.terms - len(row)) for row in rows]
            self.places: Optional[np.ndarray] = np.array([[j for j, _ in row] for row in padded], dtype=int)
            self.numbers = np.array([[v for _, v in row] for row in padded], dtype=float)
        else:
            self.places = None
            self.numbers = np.asarray(given, dtype=float)
            if self.numbers.ndim < 3:
                self.numbers = self.numbers.reshape(-1, n)
            self.terms = n

    def __len__(self) -> int:
        return self.numbers.shape[-2]

    def dots(self, x: np.ndarray, size: bool = False) -> np.ndarray:
        """(points, m) for x (points, n); `size`: of the absolute numbers."""
        numbers = (np.abs(self.numbers) if size else self.numbers).astype(x.dtype)
        if self.places is not None:
            return (x[:, self.places] * numbers).sum(2)
        return x @ numbers.T if numbers.ndim == 2 else (x[:, None, :] * numbers).sum(2)

    def exact_rows(self) -> List[List[Tuple[int, Fraction]]]:
        """What is not 0 of every row."""
        whole = np.broadcast_to(np.arange(self.terms), self.numbers.shape) if self.places is None else self.places
        return [[(int(j), Fraction(float(v))) for j, v in zip(places, row) if v] for places, row in zip(whole, self.numbers)]

    def dense(self, n: int) -> np.ndarray:
        if self.places is None:
            return self.numbers
        out = np.zeros((len(self), n))
        np.add.at(out, (np.arange(len(self))[:, None], self.places), self.numbers)
        return out


def exact_dot(row: Sequence[Tuple[int, Fraction]], x: Sequence[Fraction]) -> Fraction:
    return sum((number * x[j] for j, number in row), Fraction(0))


def affine(M: Matrix, s: Any, x: np.ndarray, err: np.ndarray) -> Values:
    """M x + s and its err: a sum of n products and a number."""
    s = np.asarray(s, dtype=float).astype(x.dtype)
    size = M.dots(np.abs(x), size=True) + np.abs(s)
    doubt = (M.terms + 2 + QUOTIENT) * EPS[x.dtype] * size + 2 * M.dots(err, size=True) + TINY[x.dtype]
    return M.dots(x) + s, doubt


def linear(A: Matrix, b: Any) -> Filter:
    """b - A x > 0. An infinite b is no inequality."""
    b = np.asarray(b, dtype=float)

    def value(x: np.ndarray, err: np.ndarray) -> Values:
        product, doubt = affine(A, np.where(np.isinf(b), 0, -b), x, err)
        return np.where(np.isinf(b), b.astype(x.dtype), -product), doubt

    return value


def exact_linear(A: Matrix, b: Any) -> Exact:
    rows = [(row, Fraction(float(bound))) for row, bound in zip(A.exact_rows(), b) if not np.isinf(bound)]
    return lambda x: (bound - exact_dot(row, x) for row, bound in rows)


def exact_affine(M: Matrix, s: Any) -> Callable[[Sequence[Fraction]], List[Fraction]]:
    rows, start = M.exact_rows(), fractions_of(s)
    return lambda x: [exact_dot(row, x) + v for row, v in zip(rows, start)]


# --------------------------------------------------------------------------------------------------------------- 60 digits


def number(value: Any) -> Decimal:
    """Exactly what it is: decimals stay as they are, so that data may move by less than an ulp."""
    return value if isinstance(value, Decimal) else Decimal(float(value))


def vector(values: Any) -> Vector:
    return [number(v) for v in values]


def as_decimal(value: Fraction) -> Decimal:
    return DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


def in_digits() -> Any:
    """The context in which decimals compute."""
    return decimal.localcontext(DIGITS)


def in_decimals(slack: Callable[[Vector], Decimal]) -> Exact:
    """A slack whose error is far below the 60 digits; what is smaller than that counts as 0."""
    def exact(x: Sequence[Fraction]) -> Iterator[Slack]:
        with in_digits():
            found = slack([as_decimal(v) for v in x])
        yield found if found > LEAST_SLACK else min(found, Decimal(0))
    return exact


def dot(a: Iterable[Decimal], b: Iterable[Decimal]) -> Decimal:
    return sum((x * y for x, y in zip(a, b)), Decimal(0))


def power(base: Decimal, exponent: Decimal) -> Decimal:
    """base^exponent for base >= 0."""
    if exponent == 1 or base == 0:
        return base if exponent else Decimal(1)
    return (base.ln() * exponent).exp()


# The exit of a ray at + t d: the t at which it leaves an inequality; nothing where it never does.
Exit = Optional[Decimal]
# A step below this, of a search for an exit, leaves less than the digits.
NEGLIGIBLE = Decimal("1e-50")
# A ray that has not left by then never does: directions have the size of the set.
FOREVER = Decimal("1e40")
# Brackets, relative to the exit, from which the secant method is tried.
BRACKETS = (Decimal("1e-2"), Decimal("1e-8"), Decimal("1e-15"))
MOST_SECANTS = 16


def linear_exit(row: Vector, bound: Decimal, at: Vector, d: Vector) -> Exit:
    speed = dot(row, d)
    return (bound - dot(row, at)) / speed if speed > 0 else None


def side_exits(lower: Sequence[Any], upper: Sequence[Any], at: Vector, d: Vector) -> Iterator[Exit]:
    """Of lower <= x <= upper, coordinate by coordinate; None is an open side, and a coordinate that is fixed has none."""
    for low, high, a, v in zip(lower, upper, at, d):
        end = high if v > 0 else low
        if v != 0 and end is not None and low != high:
            yield (number(end) - a) / v


def quadratic_exit(a: Decimal, b: Decimal, c: Decimal) -> Exit:
    """The first positive root of a t^2 + b t + c with c < 0."""
    square = b * b - 4 * a * c
    if square < 0 or b + square.sqrt() <= 0:
        return None
    return -2 * c / (b + square.sqrt())


def exit_by(slack: Callable[[Decimal], Decimal], most: Exit = None) -> Exit:
    """Where a slack that is positive at 0 is 0 for the first time, by bisection and at the end by secants. `most`, or
    nothing, where it is positive until then."""
    low, high = Decimal(0), Decimal(1) if most is None else most * (1 - NEGLIGIBLE)
    while slack(high) > 0:
        low, high = high, 4 * high
        if most is not None or high > FOREVER:
            return most
    for width in BRACKETS:
        low, high = halved(slack, low, high, width)
        found = secant(slack, low, high)
        if found is not None:
            return found
    return halved(slack, low, high, NEGLIGIBLE)[1]


def halved(slack: Callable[[Decimal], Decimal], low: Decimal, high: Decimal, width: Decimal) -> Tuple[Decimal, Decimal]:
    while high - low > width * high:
        middle = (low + high) / 2
        low, high = (middle, high) if slack(middle) > 0 else (low, middle)
    return low, high


def secant(slack: Callable[[Decimal], Decimal], low: Decimal, high: Decimal) -> Exit:
    """The root between them; nothing where the secants lead elsewhere."""
    a, b = low, high
    at_a, at_b = slack(a), slack(b)
    for _ in range(MOST_SECANTS):
        if at_a == at_b:
            return b if at_b == 0 else None
        a, at_a, b = b, at_b, b - at_b * (b - a) / (at_b - at_a)
        if not low <= b <= high:
            return None
        if abs(a - b) <= NEGLIGIBLE * b:
            return b
        at_b = slack(b)
    return None
