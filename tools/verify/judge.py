"""Decides whether points are strictly inside a set, in exact arithmetic on their binary values and on the set's data as they
were given. It shares no code with the library: a set is a dict as SET.json has it, and what its type asks of points stands
in families/. Numbers of it may have an axis of rows in front (samples.py): then every point has a set of its own.

Each inequality is a number that must be positive. A filter computes it for all rows at once, with a bound of its error, and
proves most of them (families/arithmetic.py); the rows for which it leaves a doubt are computed again one by one, in
rationals, or in decimals of 60 digits where a formula has logarithms.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any, List, Optional

import numpy as np

from families.arithmetic import EPS, TINY, Exact, Json, column, fractions_of, wide_type
from families.table import equalities, exact, filters, has_filters


class Judge:
    """What a set asks of its points."""

    def __init__(self, description: Json, dim: int, scale: Optional[np.ndarray] = None) -> None:
        """`scale` (rows): the set of each row is that of the description, scaled."""
        self.dim = dim
        self.scale = scale
        self.filters = filters(description, dim) if has_filters(description) else None
        self.equalities = equalities(description, dim)
        self._description = description
        self._exact: Optional[Exact] = None

    def description_of(self, row: int) -> Json:
        """The set of one row."""
        return self._description

    def exactly_inside(self, x: np.ndarray, row: int) -> bool:
        if self._exact is None:
            self._exact = exact(self.description_of(row), self.dim)
        return self._in(self._exact, x, row)

    def _in(self, slacks: Exact, x: np.ndarray, row: int) -> bool:
        point: List[Fraction] = fractions_of(x)
        if self.scale is not None:
            factor = Fraction(float(self.scale[row]))
            point = [v / factor for v in point]
        return all(slack > 0 for slack in slacks(point))

    def inside(self, x: np.ndarray) -> np.ndarray:
        """Which rows are finite and satisfy every inequality strictly: proved for each."""
        finite = np.isfinite(x).all(1)
        wide: np.ndarray = np.where(finite[:, None], x, 0).astype(wide_type(x))
        err = np.zeros_like(wide)
        if self.scale is not None:
            wide = wide / self.scale.astype(wide.dtype)[:, None]
            err = EPS[wide.dtype] * np.abs(wide)
        proved, refuted = finite.copy() if self.filters is not None else np.zeros_like(finite), ~finite
        for value_of in self.filters or ():
            value, doubt = value_of(wide, err)
            above, below = value > doubt, value < -doubt
            proved &= above if above.ndim == 1 else above.all(1)
            refuted |= below if below.ndim == 1 else below.any(1)
        for i in np.flatnonzero(~proved & ~refuted):
            proved[i] = self.exactly_inside(x[i], int(i))
        return proved & ~refuted

    def residual(self, x: np.ndarray, around: Any = 0.0, anchor: Any = 0.0) -> np.ndarray:
        """The largest |row . x - bound| over the equalities, relative to the size of the terms and to their number.
        x is the sum of other numbers, whose rounding counts where they cancel: `around`, the size of each of them, or
        `anchor`, one of them."""
        worst = np.zeros(len(x))
        kind: Any = np.dtype(wide_type(x))
        wide = x.astype(kind)
        factor = 1 if self.scale is None else self.scale.astype(kind)
        for equality in self.equalities:
            weights = equality.weights.astype(kind)
            bound = column(equality.bound, kind) * factor
            size = (np.abs(wide) * weights).sum(1) + np.abs(bound) + equality.size * factor + around * weights.sum(-1)
            size = size + (np.abs(anchor) * weights).sum(-1)
            off = np.abs((wide * equality.row.astype(kind)).sum(1) - bound) / np.maximum(size, TINY[kind])
            terms_of_row = np.count_nonzero(equality.row, axis=-1)
            worst = np.maximum(worst, (off / np.maximum(1, terms_of_row)).astype(float))
        return worst
