"""Boxes and simplices: bounds for every coordinate, and perhaps a sum."""
from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, Iterator, List, Sequence

import numpy as np

from families.arithmetic import (Equality, Exact, Exit, Filter, Json, Slack, Values, Vector, number, rounded, side_exits,
                                 vector)
from families.draws import Samples, any_size, choose, roomy, size_exponent, thinnest, width
from families.table import SetType


def box(lower: list, upper: list) -> Json:
    return {"type": "box", "lower": lower, "upper": upper}


def open_sides(values: Any, infinity: float) -> np.ndarray:
    """SET.json has null for an open side."""
    if isinstance(values, np.ndarray):
        return values.astype(float)
    return np.array([infinity if v is None else v for v in values], dtype=float)


def bounds(lower: Any, upper: Any) -> Filter:
    """All sides of a box at once: the sign of a difference of two numbers is exact. Fixed coordinates do not count."""
    low, high = open_sides(lower, -np.inf), open_sides(upper, np.inf)
    free = low != high

    def value(x: np.ndarray, err: np.ndarray) -> Values:
        slack = np.where(free, np.minimum(x - low.astype(x.dtype), high.astype(x.dtype) - x), 1)
        # The rounding of the difference itself does not change its sign.
        return slack, np.where(free, 2 * err, 0)

    return value


def exact_bounds(lower: Any, upper: Any) -> Exact:
    low, high = open_sides(lower, -np.inf), open_sides(upper, np.inf)

    def slacks(x: Sequence[Fraction]) -> Iterator[Slack]:
        for a, b, v in zip(low, high, x):
            if a != b and not np.isinf(a):
                yield v - Fraction(float(a))
            if a != b and not np.isinf(b):
                yield Fraction(float(b)) - v

    return slacks


def fixed(lower: Any, upper: Any, n: int) -> Iterator[Equality]:
    """The coordinates that have one value. Of data for each sample they are the sample judge's."""
    if np.ndim(lower) == 1 and np.ndim(upper) == 1:
        for j, (low, high) in enumerate(zip(lower, upper)):
            if low is not None and low == high:
                yield Equality(np.eye(n)[j], low)


def box_exits(d: Json, at: Vector, direction: Vector) -> Iterator[Exit]:
    return side_exits(d["lower"], d["upper"], at, direction)


# ---------------------------------------------------------------------------------------------------------------- simplices


def caps_of(d: Json, n: int) -> np.ndarray:
    """(n) or (rows, n)"""
    caps = np.asarray(d.get("cap", np.inf), dtype=float)
    return caps if caps.ndim else np.full(n, caps)


def simplex_dim(d: Json) -> int:
    return int(d["dim"]) if "dim" in d else len(d["cap"])


def simplex_filters(d: Json, n: int) -> Iterator[Filter]:
    yield bounds(np.zeros(n), caps_of(d, n))


def simplex_exact(d: Json, n: int) -> Exact:
    return exact_bounds(np.zeros(n), caps_of(d, n))


def simplex_equalities(d: Json, n: int) -> Iterator[Equality]:
    yield Equality(np.ones(n), d.get("sum", 1))
    yield from fixed(np.zeros(n), caps_of(d, n), n)


def simplex_exits(d: Json, at: Vector, direction: Vector) -> Iterator[Exit]:
    n, caps = len(at), d.get("cap")
    return side_exits([Decimal(0)] * n, caps if isinstance(caps, list) else [caps] * n, at, direction)


def on_reach(d: Json) -> Vector:
    """theta min(cap, sum), the same share of every cap."""
    total = number(d.get("sum", 1))
    reach = [min(number(cap), total) for cap in d["cap"]]
    theta = total / sum(reach, Decimal(0))
    return [theta * v for v in reach]


# ------------------------------------------------------------------------------------------------------------ with every row


def caps_for(random: np.random.Generator, count: int, n: int, dtype: type) -> np.ndarray:
    """For a total of 1: ordinary caps, caps that barely fit, of very different sizes, masks, caps above the total, ties."""
    ordinary = random.uniform(1.05 / n, 3.0 / n, (count, n))
    room = 10 ** random.uniform(thinnest(dtype), 0, (count, 1))
    barely = ordinary / ordinary.sum(1, keepdims=True) * (1 + room)
    uneven = 10 ** random.uniform(-20, 0, (count, n))
    uneven[np.arange(count), random.integers(n, size=count)] = 2
    masked = np.where(random.random((count, n)) < 0.4, 0, ordinary)
    masked[:, :2] = [0.7, 0.6]
    above = np.where(random.random((count, n)) < 0.5, np.inf, 7.0)
    equal = np.full((count, n), 1.5 / n)
    return choose(random.integers(6, size=count), ordinary, barely, uneven, masked, above, equal)


def capped(random: np.random.Generator, count: int, dtype: type, names: str) -> Samples:
    n = width(random, 2)
    total: np.ndarray = any_size(random, count, dtype).astype(dtype) if "sum" in names else np.ones(count, dtype=dtype)
    data: Dict[str, np.ndarray] = {}
    if "cap" in names:
        caps = (caps_for(random, count, n, dtype) * total[:, None].astype(float)).astype(dtype)
        description: Json = {"type": "capped_simplex", "dim": n, "cap": 0.9}
        data["cap"] = caps
    else:
        caps = np.full((count, n), np.inf, dtype=dtype)
        description = {"type": "simplex", "dim": n}
    if "sum" in names:
        data["sum"] = total
    reach = np.minimum(caps, total[:, None]).astype(float)
    share = total / reach.sum(1)
    smallest = np.where(reach > 0, reach, np.inf).min(1)
    # One coordinate that is free, with a sum, is none.
    owed = (share < 1 - roomy(dtype)) & (smallest > 1e-26) & (np.count_nonzero(reach, axis=1) > 1)
    return Samples(description, data, share[:, None] * reach, total.astype(float), owed, np.eye(n))


def boxes(random: np.random.Generator, count: int, dtype: type) -> Samples:
    """Ordinary, far away, of every size, of mixed units, thin, with fixed and with open sides, at the origin."""
    n = width(random, 1)
    shape = (count, n)
    limit = size_exponent(dtype)
    low = random.normal(size=shape)
    room = 10 ** random.uniform(-2, 1, shape)
    far = low * 10 ** random.uniform(2, 6, (count, 1))
    size = 10 ** random.uniform(-limit, limit, (count, 1))
    sizes = 10 ** random.uniform(-limit, limit, shape)
    thin = np.abs(low) * 10 ** random.uniform(thinnest(dtype), -1, shape)
    fixed = np.where(random.random(shape) < 0.4, 0, room)
    which = random.integers(8, size=count)
    lower = choose(which, low, far, low * size, low * sizes, low, low, low, np.zeros(shape))
    upper = lower + choose(which, room, room, room * size, room * sizes, thin, fixed, room, sizes)
    may_open = (which == 6)[:, None]
    lower = np.where(may_open & (random.random(shape) < 0.5), -np.inf, lower).astype(dtype)
    upper = np.where(may_open & (random.random(shape) < 0.5), np.inf, upper).astype(dtype)
    start, end = lower.astype(float), upper.astype(float)
    closed = np.isfinite(start) & np.isfinite(end)
    one_side = np.where(np.isfinite(start), start + 1, np.where(np.isfinite(end), end - 1, 0))
    with np.errstate(invalid="ignore"):
        center = np.where(closed, (start + end) / 2, one_side)
        span = np.where(closed, end - start, 1)
    owed = ((start == end) | ((span > roomy(dtype) * np.abs(center)) & (span > 1e-26))).all(1)
    unit = np.maximum(np.median(span, axis=1), 1e-30)
    return Samples(box([0.0] * n, [1.0] * n), {"lower": lower, "upper": upper}, center, unit, owed, np.eye(n))


# ----------------------------------------------------------------------------------------------------------------- subjects


def simplex(dim: int, **more: Any) -> Json:
    return {"type": "simplex", "dim": dim, **more}


def capped_simplex(cap: Any, dim: int, **more: Any) -> Json:
    return {"type": "capped_simplex", "dim": dim, "cap": cap, **more}


OWN_CAPS: List[float] = rounded(np.random.default_rng(1).uniform(0.02, 0.3, 20))
UNITS: List[float] = rounded(10 ** np.random.default_rng(4).uniform(-6, 6, 20000))
BOXES: Dict[str, Json] = {
    "box_fixed": box([-1, 0.5, 0], [1, 0.5, 2]),
    "box_mixed_units": box([1e5, 0, -1e-6], [2e5, 1e-9, 1e6]),
    "box_far": box([1e4, -1e4], [1e4 + 1, -1e4 + 2]),
    "box_thin": box([0, 1, -1], [1e-4, 1 + 1e-5, 1]),
    "box_tiny": box([-1e-20, 0], [1e-20, 3e-20]),
    "box_huge": box([-1e20, 0], [1e20, 3e20]),
    "box_20000": box([-v for v in UNITS], UNITS),
}

TYPES = [
    SetType(
        "box", dim=lambda d: len(d["lower"]),
        filters=lambda d, n: [bounds(d["lower"], d["upper"])],
        exact=lambda d, n: exact_bounds(d["lower"], d["upper"]),
        equalities=lambda d, n: fixed(d["lower"], d["upper"], n),
        exits=box_exits,
        ordinary={
            "box_1": box([-1], [2]),
            "box_3": box([-1, 0, 0.5], [1, 2, 0.75]),
            "box_open": box([-1, None, 0], [1, 3, None]),
        },
        awkward=BOXES, unbounded=["box_open"], coordinates=True,
        sized={
            "box": lambda size: box([-size] * 3, [size] * 3),
            "open_box": lambda size: box([-size] * 3, [size, size, None]),
        },
        long=lambda n: box([-1.0] * n, [1.0] * n),
        samples={"box": lambda r, k, t, _: boxes(r, k, t)}, orthogonal=["box"],
        anchor=lambda d: [(a + b) / 2 for a, b in zip(vector(d["lower"]), vector(d["upper"]))],
        thickness=lambda d: float(min(b - a for a, b in zip(d["lower"], d["upper"]))),
    ),
    SetType(
        "simplex", dim=simplex_dim, filters=simplex_filters, exact=simplex_exact, equalities=simplex_equalities,
        exits=simplex_exits, coordinates=True,
        ordinary={"simplex_2": simplex(2), "simplex_10": simplex(10)},
        awkward={"simplex_1000": simplex(1000, sum=3), "simplex_20000": simplex(20000)},
        sized={"simplex": lambda size: simplex(3, sum=size)}, long=simplex,
        samples={"sum": lambda r, k, t, _: capped(r, k, t, "sum")}, orthogonal=["sum"],
    ),
    SetType(
        "capped_simplex", dim=simplex_dim, filters=simplex_filters, exact=simplex_exact, equalities=simplex_equalities,
        exits=simplex_exits, coordinates=True,
        ordinary={"capped_3": capped_simplex(0.4, 3), "capped_50": capped_simplex(0.05, 50)},
        awkward={
            "capped_barely": capped_simplex((1 + 1e-4) / 5, 5),
            "capped_masked": capped_simplex([0, 0.3, 0.5, 0, 0.4, 1], 6),
            "capped_mixed_units": capped_simplex([1e-6, 0.5, 0.7, 1], 4),
            "capped_own": capped_simplex(OWN_CAPS, 20, sum=1.5),
        },
        sized={"capped_simplex": lambda size: capped_simplex(size / 2, 3, sum=size)},
        long=lambda n: capped_simplex(4 / n, n),
        samples={
            "caps": lambda r, k, t, _: capped(r, k, t, "cap"),
            "caps_sum": lambda r, k, t, _: capped(r, k, t, "cap sum"),
        },
        orthogonal=["caps", "caps_sum"],
        anchor=on_reach,
        thickness=lambda d: float(min(d["cap"])) if np.ndim(d["cap"]) else float(d["cap"]),
    ),
]
