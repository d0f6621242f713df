"""Level sets: balls of other norms, log-sum-exp, KL balls. Powers, exponentials and logarithms are within a few ulp, in long
double whatever the points are."""
from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Iterator, List, Sequence

import numpy as np

from families.arithmetic import (LONG, LONG_EPS, TINY, Equality, Exact, Exit, Filter, Json, Slack, Values, Vector, exit_by,
                                 fractions_of, in_decimals, number, power, rounded, side_exits, vector)
from families.coordinates import bounds, exact_bounds
from families.table import SetType


def norm_filter(center: Any, radius: float, p: float) -> Filter:
    """1 - sum (|x_j - center_j| / radius)^p > 0; the largest of them for p = inf"""
    center = np.asarray(center, dtype=float)

    def value(given: np.ndarray, err: np.ndarray) -> Values:
        x = given.astype(LONG)
        if np.isinf(p):
            size = np.abs(x) + np.abs(center) + radius
            return LONG(radius) - np.abs(x - center.astype(LONG)), 4 * LONG_EPS * size + 2 * err
        y = np.abs(x - center.astype(LONG)) / LONG(radius)
        doubt = (2 * LONG_EPS * (np.abs(x) + np.abs(center)) + 2 * err) / LONG(radius)
        slope = LONG(p) * np.maximum(y + doubt, 1) ** LONG(p - 1)
        powers = (y ** LONG(p)).sum(1)
        return 1 - powers, (slope * doubt).sum(1) + (len(center) + 16) * LONG_EPS * (1 + powers)

    return value


def norm_exact(center: Any, radius: float, p: float) -> Exact:
    exact_center, exact_radius = fractions_of(center), Fraction(float(radius))
    if np.isinf(p):
        return lambda x: (exact_radius - abs(a - b) for a, b in zip(x, exact_center))

    def slack(x: Vector) -> Decimal:
        return 1 - sum((power(abs(a - b) / number(radius), Decimal(p)) for a, b in zip(x, vector(center))), Decimal(0))

    return in_decimals(slack)


def norm_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    start = [a - b for a, b in zip(at, vector(d["center"]))]
    radius, p = number(d["radius"]), float(d["p"])
    if np.isinf(p):
        return list(side_exits([-radius] * len(at), [radius] * len(at), start, direction))

    def slack(t: Decimal) -> Decimal:
        return 1 - sum((power(abs(a + t * v) / radius, Decimal(p)) for a, v in zip(start, direction)), Decimal(0))

    return [exit_by(slack)]


def sum_filter(dim: int, bound: float) -> Filter:
    """1 - sum_j exp(x_j - bound) > 0. While err is below 1, a term changes by less than 3 times its value and err."""

    def value(given: np.ndarray, err: np.ndarray) -> Values:
        x = given.astype(LONG)
        terms = np.exp(np.minimum(x - LONG(bound), LONG(100)))
        doubt = (dim + 8) * LONG_EPS * (1 + (terms * (1 + np.abs(x) + abs(bound))).sum(1)) + 6 * (terms * err).sum(1)
        return 1 - terms.sum(1), np.where((err < 1).all(1), doubt, np.inf)

    return value


def sum_slack(bound: Any, x: Vector) -> Decimal:
    top = number(bound)
    if max(x) - top > 1:
        return Decimal(-1)
    return 1 - sum(((v - top).exp() for v in x if v - top > -10000), Decimal(0))


def sum_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    return [exit_by(lambda t: sum_slack(d["bound"], [a + t * v for a, v in zip(at, direction)]))]


def entropy_filter(reference: Any, radius: float) -> Filter:
    """radius - sum_j x_j log(x_j / reference_j) > 0. The derivative is log(x_j / reference_j) + 1, and changes by less than
    1 while err is below half of x_j."""
    reference = np.asarray(reference, dtype=float)

    def value(given: np.ndarray, err: np.ndarray) -> Values:
        x = given.astype(LONG)
        positive = np.maximum(x, TINY[np.dtype(LONG)])
        logs = np.log(positive / reference.astype(LONG))
        terms = positive * logs
        size = np.abs(terms).sum(1) + radius + np.abs(x).sum(1)
        doubt = (len(reference) + 8) * LONG_EPS * size + 2 * ((np.abs(logs) + 2) * err).sum(1)
        return LONG(radius) - terms.sum(1), np.where((err <= positive / 2).all(1), doubt, np.inf)

    return value


def entropy_slack(d: Json, x: Vector) -> Decimal:
    pairs = zip(x, vector(d["reference"]))
    return number(d["radius"]) - sum((v * (v / r).ln() for v, r in pairs if v > 0), Decimal(0))


def entropy_exact(d: Json, n: int) -> Exact:
    sides, curved = exact_bounds(np.zeros(n), np.full(n, np.inf)), in_decimals(lambda x: entropy_slack(d, x))

    def slacks(x: Sequence[Fraction]) -> Iterator[Slack]:
        yield from sides(x)
        if all(v > 0 for v in x):
            yield from curved(x)

    return slacks


def entropy_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    flat: List[Exit] = list(side_exits([Decimal(0)] * len(at), [None] * len(at), at, direction))
    most = min((t for t in flat if t is not None), default=None)
    return [exit_by(lambda t: entropy_slack(d, [a + t * v for a, v in zip(at, direction)]), most)]


def norm_ball(center: Any, radius: float, p: float) -> Json:
    return {"type": "lp_ball", "center": rounded(center), "radius": radius, "p": p}


def log_sum_exp(dim: int, bound: float) -> Json:
    return {"type": "log_sum_exp", "dim": dim, "bound": bound}


def kl_ball(reference: Any, radius: float) -> Json:
    return {"type": "kl_ball", "reference": rounded(reference), "radius": radius}


EVEN = np.arange(1, 65) / np.arange(1, 65).sum()

TYPES = [
    SetType(
        "lp_ball", dim=lambda d: len(d["center"]), filters=lambda d, n: [norm_filter(d["center"], d["radius"], d["p"])],
        exact=lambda d, n: norm_exact(d["center"], d["radius"], d["p"]), exits=norm_exits,
        ordinary={
            "lp_1": norm_ball([0, 1, 0], 2, 1),
            "lp_1.5": norm_ball([0, 0, 0], 1, 1.5),
            "lp_inf": norm_ball([0.1, 0.2], 1, float("inf")),
        },
        sized={"lp_1": lambda size: norm_ball(np.zeros(3), size, 1), "lp_3": lambda size: norm_ball(np.zeros(3), size, 3)},
        long=lambda n: norm_ball(np.zeros(n), 1.0, 1.5),
        awkward={
            "lp_3_tiny": norm_ball([0, 0], 1e-12, 3),
            "lp_1_far": norm_ball([1e4, -1e4, 0], 1, 1),
            "lp_20": norm_ball([0, 0, 1], 1, 20),
            "lp_1.001_50": norm_ball(np.zeros(50), 1, 1.001),
        },
    ),
    SetType(
        "log_sum_exp", dim=lambda d: int(d["dim"]), filters=lambda d, n: [sum_filter(n, d["bound"])],
        exact=lambda d, n: in_decimals(lambda x: sum_slack(d["bound"], x)), exits=sum_exits,
        ordinary={"log_sum_exp_3": log_sum_exp(3, 1)}, unbounded=["log_sum_exp_3"],
        long=lambda n: log_sum_exp(n, 1),
        awkward={
            "log_sum_exp_1": log_sum_exp(1, -2),
            "log_sum_exp_far": log_sum_exp(2, 1e4),
            "log_sum_exp_50": log_sum_exp(50, 0),
        },
    ),
    SetType(
        "kl_ball", dim=lambda d: len(d["reference"]),
        filters=lambda d, n: [bounds(np.zeros(n), np.full(n, np.inf)), entropy_filter(d["reference"], d["radius"])],
        exact=entropy_exact, equalities=lambda d, n: [Equality(np.ones(n), 1)], exits=entropy_exits,
        ordinary={"kl_3": kl_ball([0.5, 0.3, 0.2], 0.1)},
        long=lambda n: kl_ball(np.full(n, 1 / n), 1),
        awkward={
            "kl_barely": kl_ball([0.5, 0.3, 0.2], 1e-8),
            "kl_whole": kl_ball([0.25, 0.25, 0.5], 10),
            "kl_mixed_units": kl_ball([1e-6, 0.4, 0.6 - 1e-6], 0.2),
            "kl_64": kl_ball(EVEN, 0.5),
        },
    ),
]
