"""Cones: images M x + s in a second-order, an exponential or a power cone."""
from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Dict, Iterator, List, Sequence

import numpy as np

from families.arithmetic import (EPS, LONG, LONG_EPS, TINY, Exact, Exit, Filter, Json, Matrix, Slack, Values, Vector, affine,
                                 column, dot, exact_affine, exit_by, in_decimals, linear, number, quadratic_exit, rounded,
                                 vector)
from families.draws import Samples, everywhere, width
from families.table import SetType


def cone_filters(d: Json, n: int) -> List[Filter]:
    """c.x + e > 0 and (c.x + e)^2 - |Mx + s|^2 > 0. What err changes of a square y^2 is at most 2 (|y| + change) change."""
    M, s, c, e = Matrix(d["M"], n), np.asarray(d["s"], dtype=float), np.asarray(d["c"], dtype=float), d["e"]
    height = Matrix(c[..., None, :], n)

    def value(x: np.ndarray, err: np.ndarray) -> Values:
        kind = x.dtype
        t = height.dots(x)[:, 0] + column(e, kind)
        w = M.dots(x) + s.astype(kind)
        size = height.dots(np.abs(x), size=True)[:, 0] + np.abs(column(e, kind))
        wide = M.dots(np.abs(x), size=True) + np.abs(s)
        total = size**2 + (wide**2).sum(1)
        up, out = height.dots(err, size=True)[:, 0], M.dots(err, size=True)
        moved = 4 * (size + up) * up + 4 * ((wide + out) * out).sum(1)
        return t * t - (w * w).sum(1), (4 * x.shape[1] + len(M) + 10) * EPS[kind] * total + moved + TINY[kind]

    return [linear(Matrix(-c[..., None, :], n), np.asarray(e, dtype=float)[..., None]), value]


def cone_exact(d: Json, n: int) -> Exact:
    height, image = exact_affine(Matrix([d["c"]], n), [d["e"]]), exact_affine(Matrix(d["M"], n), d["s"])

    def slacks(x: Sequence[Fraction]) -> Iterator[Slack]:
        (t,) = height(x)
        yield t
        yield t * t - sum((v * v for v in image(x)), Fraction(0))

    return slacks


def image_of(M: Any, s: Any, at: Vector, d: Vector) -> List[Vector]:
    """M at + s, and M d."""
    rows = [vector(row) for row in M]
    return [[dot(row, at) + number(v) for row, v in zip(rows, s)], [dot(row, d) for row in rows]]


def cone_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    w, v = image_of(d["M"], d["s"], at, direction)
    (t,), (speed,) = image_of([d["c"]], [d["e"]], at, direction)
    return [quadratic_exit(dot(v, v) - speed * speed, 2 * (dot(w, v) - t * speed), dot(w, w) - t * t)]


# ------------------------------------------------------------------------------------------------------------ cones of R^3
#
# (a, b, c) = Mx + s has the errors da, db, dc, which affine() bounds. What must be positive is linear, or has logarithms,
# within a few ulp in long double, of numbers that are positive: where one of them may be off by more than half, there is a
# doubt. In between, derivatives of the slack grow by a factor of at most 3, which the bounds have.


def image_filter(d: Json, n: int, slack: Callable[..., Values], positive: Sequence[int]) -> List[Filter]:
    """The linear inequalities of the image, and slack(a, b, c, da, db, dc) where they leave no doubt."""
    M, s = Matrix(d["M"], n), np.asarray(d["s"], dtype=float)

    def value(given: np.ndarray, err: np.ndarray) -> Values:
        y, doubt = affine(M, s, given.astype(LONG), err.astype(LONG))
        sure = (y[:, positive] > 2 * doubt[:, positive]).all(1)
        values, doubts = slack(*np.where(sure[:, None], y, 1).T, *doubt.T)
        return values, np.where(sure, doubts, np.inf)

    return [linear(Matrix(-M.numbers[list(positive)], n), s[list(positive)]), value]


def exponential_slack(a: np.ndarray, b: np.ndarray, c: np.ndarray, da: np.ndarray, db: np.ndarray, dc: np.ndarray) -> Values:
    """b log(c / b) - a > 0, for b > 0 and c > 0. Its derivatives are -1, log(c / b) - 1 and b / c; while b and c change by
    less than a half, log(c / b) changes by less than log 3 and b / c by less than a factor of 3. The quotient, the
    logarithm, the product and the difference err by less than 8 eps of b (|log(c / b)| + 1) + |a|."""
    log = np.log(c / b)
    doubt = da + (np.abs(log) + 3) * db + 3 * (b / c) * dc
    return b * log - a, 2 * doubt + 8 * LONG_EPS * (b * (np.abs(log) + 1) + np.abs(a))


def power_slack(alpha: float) -> Callable[..., Values]:
    """alpha log a + (1 - alpha) log b - log |c| > 0, for a > 0 and b > 0. Its derivatives are alpha / a, (1 - alpha) / b
    and 1 / c, within a factor of 2. Where c may be 0 it counts as 2 dc, which is at least 2/3 of it: a positive value is as
    good, a negative one says nothing. Logarithms, 1 - alpha, products and sums err by less than 8 eps of the terms."""
    def slack(a: np.ndarray, b: np.ndarray, c: np.ndarray, da: np.ndarray, db: np.ndarray, dc: np.ndarray) -> Values:
        share, rest = LONG(alpha), 1 - LONG(alpha)
        size = np.maximum(np.abs(c), 2 * dc)
        logs = np.stack([share * np.log(a), rest * np.log(b), -np.log(size)])
        moved = share * da / a + rest * db / b + dc / size
        value, doubt = logs.sum(0), 4 * moved + 8 * LONG_EPS * (np.abs(logs).sum(0) + 1)
        return value, np.where((np.abs(c) < 2 * dc) & (value < 0), np.inf, doubt)

    return slack


def image_exact(d: Json, n: int, positive: Sequence[int], slack: Callable[[Vector], Decimal]) -> Exact:
    image, curved = exact_affine(Matrix(d["M"], n), d["s"]), in_decimals(slack)

    def slacks(x: Sequence[Fraction]) -> Iterator[Slack]:
        y = image(x)
        yield from (y[k] for k in positive)
        if all(y[k] > 0 for k in positive):
            yield from curved(y)

    return slacks


def exponential_log(y: Vector) -> Decimal:
    """Of the same sign whatever the size of the cone: log(c / b) - a / b."""
    a, b, c = y
    return (c / b).ln() - a / b


def power_log(alpha: float) -> Callable[[Vector], Decimal]:
    share = Decimal(alpha)

    def slack(y: Vector) -> Decimal:
        a, b, c = y
        return share * a.ln() + (1 - share) * b.ln() - abs(c).ln() if c else Decimal(1)

    return slack


def image_exits(d: Json, at: Vector, direction: Vector, positive: Sequence[int], slack: Callable[[Vector], Decimal]
                ) -> List[Exit]:
    y, v = image_of(d["M"], d["s"], at, direction)
    flat = [-y[k] / v[k] for k in positive if v[k] < 0]
    most = min(flat) if flat else None
    return [exit_by(lambda t: slack([a + t * b for a, b in zip(y, v)]), most)]


def power_gap(alpha: Any) -> Callable[[Vector], Decimal]:
    """a^alpha b^(1 - alpha) - |c|"""
    share = number(alpha)
    return lambda y: (share * y[0].ln() + (1 - share) * y[1].ln()).exp() - abs(y[2])


# ------------------------------------------------------------------------------------------------------------ with every row


def cones(random: np.random.Generator, count: int, dtype: type) -> Samples:
    n = width(random, 2, 5)
    axes = np.eye(n)
    description = second_order_cone(axes[:-1], np.zeros(n - 1), axes[-1], 1.0)
    data: Dict[str, np.ndarray] = {"s": (0.1 * random.normal(size=(count, n - 1))).astype(dtype),
                                   "c": (axes[-1] + 0.1 * random.normal(size=(count, n))).astype(dtype),
                                   "e": (10 ** random.uniform(0, 3, count)).astype(dtype)}
    return Samples(description, data, np.zeros((count, n)), np.ones(count), everywhere(count), axes)


# ----------------------------------------------------------------------------------------------------------------- subjects


def second_order_cone(M: Any, s: Any, c: Any, e: float) -> Json:
    return {"type": "second_order_cone", "M": rounded(M), "s": rounded(s), "c": rounded(c), "e": e}


def exponential_cone(M: Any, s: Any) -> Json:
    return {"type": "exponential_cone", "M": rounded(M), "s": rounded(s)}


def power_cone(M: Any, s: Any, alpha: float) -> Json:
    return {"type": "power_cone", "M": rounded(M), "s": rounded(s), "alpha": alpha}


AXES = np.eye(3)
SLANT = np.array([[0.3, 0.1, -0.1, 0.05], [0, 0.7, 0.1, 0.2], [0.3, 0, 0.9, -0.4]])
TALL = np.random.default_rng(6).normal(size=(3, 12))
UP, OUT = np.array([0.0, 1, 2]), np.array([1.0, 1, 0.2])
AWAY = np.array([300.0, -200, 150])

TYPES = [
    SetType(
        "second_order_cone", dim=lambda d: len(d["c"]), filters=cone_filters, exact=cone_exact, exits=cone_exits,
        ordinary={
            "cone": second_order_cone([[1, 0, 0], [0, 1, 0]], [0, 0], [0, 0, 1], 0.5),
            "cone_slanted": second_order_cone([[1, 0.5], [0, 2]], [0.1, 0], [0.3, 0.2], 2),
        },
        unbounded=["cone", "cone_slanted"],
        awkward={
            "cone_halfspace": second_order_cone([], [], [1, -2, 0.5], 1),
            "cone_thin": second_order_cone([[1e4, 0, 0], [0, 1e4, 0]], [0, 0], [0, 0, 1], 0.5),
            "cone_far": second_order_cone(AXES[:2], -AWAY[:2], AXES[2], 1 - AWAY[2]),
            "cone_mixed_units": second_order_cone([[1e-6, 1, 0], [0, 1, 1e7]], [0, 0.1], [1e-7, 0.2, 2e6], 2),
            "cone_condition_1e8": second_order_cone([[1e8, 0], [0, 1]], [0, 0], [0.5, 0.2], 1),
        },
        sized={"cone": lambda size: second_order_cone(AXES, np.zeros(3), np.zeros(3), size)},
        samples={"cone_s_c_e": lambda r, k, t, _: cones(r, k, t)},
    ),
    SetType(
        "exponential_cone", dim=lambda d: len(d["M"][0]),
        filters=lambda d, n: image_filter(d, n, exponential_slack, [1, 2]),
        exact=lambda d, n: image_exact(d, n, [1, 2], exponential_log),
        exits=lambda d, at, v: image_exits(d, at, v, [1, 2], exponential_log),
        ordinary={
            "exponential_cone_1": exponential_cone([[1], [0], [0]], UP),
            "exponential_cone_3": exponential_cone(AXES, UP),
            "exponential_cone_slanted": exponential_cone(SLANT, [0.1, 0.5, 1.5]),
        },
        unbounded=["exponential_cone_1", "exponential_cone_3", "exponential_cone_slanted"],
        sized={"exponential_cone": lambda size: exponential_cone(AXES, size * UP)},
        awkward={
            "exponential_cone_far": exponential_cone(AXES, UP - AWAY),
            "exponential_cone_tiny": exponential_cone(AXES, 1e-20 * UP),
            "exponential_cone_huge": exponential_cone(AXES, 1e20 * UP),
            # exp(x) <= 1 + x + 1e-6
            "exponential_cone_barely": exponential_cone([[1], [0], [1]], [0, 1, 1 + 1e-6]),
            "exponential_cone_mixed_units": exponential_cone(np.diag([1e5, 1, 1e-6]), UP),
            "exponential_cone_condition_1e8": exponential_cone(np.diag([1e4, 1e-4, 1]), UP),
            "exponential_cone_12": exponential_cone(TALL, UP),
        },
    ),
    SetType(
        "power_cone", dim=lambda d: len(d["M"][0]),
        filters=lambda d, n: image_filter(d, n, power_slack(d["alpha"]), [0, 1]),
        exact=lambda d, n: image_exact(d, n, [0, 1], power_log(d["alpha"])),
        exits=lambda d, at, v: image_exits(d, at, v, [0, 1], power_gap(d["alpha"])),
        ordinary={
            "power_cone_1": power_cone([[0], [0], [1]], OUT, 0.5),
            "power_cone_3": power_cone(AXES, OUT, 0.5),
            "power_cone_slanted": power_cone(SLANT, [1, 0.5, 0.1], 0.3),
        },
        unbounded=["power_cone_3", "power_cone_slanted"],
        sized={"power_cone": lambda size: power_cone(AXES, size * OUT, 0.4)},
        awkward={
            "power_cone_alpha_1e-3": power_cone(AXES, OUT, 1e-3),
            "power_cone_alpha_1e-8": power_cone(AXES, OUT, 1e-8),
            "power_cone_alpha_near_1": power_cone(AXES, OUT, 1 - 1e-8),
            # 1 - 1e-6 <= sqrt((1 + x) (1 - x))
            "power_cone_barely": power_cone([[1], [-1], [0]], [1, 1, 1 - 1e-6], 0.5),
            "power_cone_far": power_cone(AXES, OUT - AWAY, 0.7),
            "power_cone_tiny": power_cone(AXES, 1e-20 * OUT, 0.3),
            "power_cone_huge": power_cone(AXES, 1e20 * OUT, 0.3),
            "power_cone_mixed_units": power_cone(np.diag([1e5, 1, 1e-6]), OUT, 0.4),
            "power_cone_condition_1e8": power_cone(np.diag([1e4, 1e-4, 1]), OUT, 0.6),
            "power_cone_12": power_cone(TALL, OUT, 0.25),
        },
    ),
]
