"""Linear matrix inequalities."""
from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Iterator, List, Sequence

import numpy as np

from families.arithmetic import (LONG, LONG_EPS, Exact, Exit, Filter, Json, Slack, Values, Vector, exit_by, fractions_of,
                                 rounded, vector)
from families.table import SetType


def eliminates(matrices: np.ndarray) -> np.ndarray:
    """Which of the symmetric matrices (rows, k, k) have positive pivots, as far as rounding lets one see."""
    left = matrices.copy()
    positive = np.ones(len(left), dtype=bool)
    for k in range(left.shape[1]):
        pivot = left[:, k, k]
        positive &= pivot > 0
        below = left[:, k + 1:, k] / np.where(positive, pivot, 1)[:, None]
        left[:, k + 1:, k + 1:] -= below[:, :, None] * left[:, None, k, k + 1:]
    return positive


def matrix_filter(F: Any) -> Filter:
    """M = F[0] + sum_i x_i F[i] positive definite. Where elimination succeeds on M - delta, M is: the pivots are those of
    a matrix that differs by less than delta. Where it fails on M + delta, M is not. delta takes the rounding of M, of which
    each entry is a sum of len(F) products, and that of the elimination, (order + 1) eps/2 trace(|M|) (Rump, Verification of
    positive definiteness, 2006), with a factor of 8 and more to spare; and what err changes of M, twice."""
    F = np.asarray(F, dtype=float)
    order = F.shape[1]

    def value(given: np.ndarray, err: np.ndarray) -> Values:
        x, wide = given.astype(LONG), F.astype(LONG)
        M = wide[0] + np.einsum("bi,ikl->bkl", x, wide[1:])
        sizes = np.abs(wide[1:]).sum((1, 2))
        delta = (8 * order + 4 * len(F) + 8) * LONG_EPS * (np.abs(wide[0]).sum() + np.abs(x) @ sizes) + 2 * err @ sizes
        shift = delta[:, None, None] * np.eye(order, dtype=LONG)
        above, below = eliminates(M - shift), np.isfinite(M).all((1, 2)) & ~eliminates(M + shift)
        return above.astype(LONG) - below, np.full(len(x), LONG(0.5))

    return value


def pivots(matrix: List[list]) -> Iterator[Any]:
    """Until one is not positive."""
    rows = [list(row) for row in matrix]
    for k in range(len(rows)):
        yield rows[k][k]
        if rows[k][k] <= 0:
            return
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            for j in range(k, len(rows)):
                rows[i][j] -= factor * rows[k][j]


def matrix_at(F: List[List[list]], x: Sequence[Any]) -> List[list]:
    order = range(len(F[0]))
    return [[F[0][k][m] + sum((v * Fi[k][m] for v, Fi in zip(x, F[1:])), 0 * F[0][k][m]) for m in order] for k in order]


def exact_matrix(F: Any) -> Exact:
    exact_F = [[fractions_of(row) for row in matrix] for matrix in F]

    def slacks(x: Sequence[Fraction]) -> Iterator[Slack]:
        yield from pivots(matrix_at(exact_F, x))

    return slacks


def matrix_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    """The determinant is 0 there for the first time: the pivots before the last one are positive still."""
    F = [[vector(row) for row in matrix] for matrix in d["F"]]

    def slack(t: Decimal) -> Decimal:
        found = list(pivots(matrix_at(F, [a + t * v for a, v in zip(at, direction)])))
        product = Decimal(1)
        for pivot in found:
            product *= pivot
        return product if len(found) == len(F[0]) else Decimal(-1)

    return [exit_by(slack)]


def lmi(F: Any) -> Json:
    return {"type": "lmi", "F": rounded(F)}


def symmetric(count: int, order: int, seed: int) -> List[np.ndarray]:
    return [(M + M.T) / 2 for M in np.random.default_rng(seed).normal(size=(count, order, order))]


SQUARE = [[[1, 0], [0, -1]], [[0, 1], [1, 0]]]

TYPES = [
    SetType(
        "lmi", dim=lambda d: len(d["F"]) - 1, filters=lambda d, n: [matrix_filter(d["F"])],
        exact=lambda d, n: exact_matrix(d["F"]), exits=matrix_exits,
        ordinary={"lmi_3": lmi([np.eye(3), *symmetric(3, 3, 3)]), "lmi_disc": lmi([[[1, 0], [0, 1]], *SQUARE])},
        sized={"lmi": lambda size: lmi([size * np.eye(2), *SQUARE, np.eye(2)])},
        awkward={
            "lmi_10": lmi([3 * np.eye(6), *symmetric(10, 6, 5)]),
            # A disc of radius 1 around (300, 200).
            "lmi_far": lmi([[[1 - 300, -200], [-200, 1 + 300]], *SQUARE]),
            "lmi_mixed_units": lmi([[[1, 0.1], [0.1, 1]], [[1e-7, 0], [0, -1e-7]], [[0, 1e6], [1e6, 0]]]),
            "lmi_condition_1e8": lmi([[[1, 0], [0, 1]], [[1, 0], [0, -1]], [[0, 1e-8], [1e-8, 0]]]),
        },
    ),
]
