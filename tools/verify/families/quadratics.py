"""Balls, ellipsoids and other quadratic inequalities."""
from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, Iterator, List, Sequence

import numpy as np

from families.arithmetic import (EPS, TINY, Exact, Exit, Filter, Json, Matrix, Slack, Values, Vector, column, dot, exact_dot,
                                 fractions_of, number, quadratic_exit, rounded, vector)
from families.draws import Samples, any_size, choose, everywhere, roomy, width
from families.table import SetType


def ball(center: list, radius: float) -> Json:
    return {"type": "ball", "center": center, "radius": radius}


def form_filter(P: Any, q: Any, c: Any, center: Any) -> Filter:
    """-(1/2 y'Py + q'y + c) > 0, y = x - center. err changes the form by at most (|y| + err)'|P| err + |q|'err."""
    P, q, center = (np.asarray(v, dtype=float) for v in (P, q, center))

    def value(x: np.ndarray, err: np.ndarray) -> Values:
        kind = x.dtype
        y = x - center.astype(kind)
        size = np.abs(x) + np.abs(center)
        form = (y @ P.astype(kind) * y).sum(1) / 2 + (y * q.astype(kind)).sum(1) + column(c, kind)
        scale = (size @ np.abs(P) * size).sum(1) + (size * np.abs(q)).sum(1) + np.abs(column(c, kind))
        moved = ((size + err) @ np.abs(P) * err).sum(1) + (np.abs(q) * err).sum(1)
        return -form, (2 * P.shape[-1] + 10) * EPS[kind] * scale + 2 * moved + TINY[kind]

    return value


def ball_filter(center: Any, radius: Any) -> Filter:
    """radius^2 - |x - center|^2 > 0. err changes it by at most 2 (|y| + err).err."""
    center = np.asarray(center, dtype=float)

    def value(x: np.ndarray, err: np.ndarray) -> Values:
        kind = x.dtype
        y = x - center.astype(kind)
        size = np.abs(x) + np.abs(center)
        square = column(radius, kind) ** 2
        doubt = (x.shape[1] + 10) * EPS[kind] * ((size * size).sum(1) + square) + 4 * ((size + err) * err).sum(1)
        return square - (y * y).sum(1), doubt + TINY[kind]

    return value


def exact_form(P: Any, q: Any, c: Any, center: Any) -> Exact:
    rows, exact_q, exact_center = Matrix(P, len(q)).exact_rows(), fractions_of(q), fractions_of(center)

    def slacks(x: Sequence[Fraction]) -> Iterator[Slack]:
        y = [a - b for a, b in zip(x, exact_center)]
        form = sum((v * exact_dot(row, y) for v, row in zip(y, rows)), Fraction(0))
        yield -(form / 2 + sum((a * b for a, b in zip(exact_q, y)), Fraction(0)) + Fraction(float(c)))

    return slacks


def exact_ball(center: Any, radius: Any) -> Exact:
    exact_center, square = fractions_of(center), Fraction(float(radius)) ** 2
    return lambda x: [square - sum(((a - b) ** 2 for a, b in zip(x, exact_center)), Fraction(0))]


def form_exit(P: Sequence[Vector], q: Vector, c: Decimal, at: Vector, d: Vector) -> Exit:
    """Of 1/2 y'Py + q'y + c <= 0 along y = at + t d."""
    Pd, Py = [dot(row, d) for row in P], [dot(row, at) for row in P]
    return quadratic_exit(dot(d, Pd) / 2, dot(d, Py) + dot(q, d), dot(at, Py) / 2 + dot(q, at) + c)


def away(d: Json, at: Vector) -> Vector:
    return [a - b for a, b in zip(at, vector(d["center"]))]


def ball_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    y, radius = away(d, at), number(d["radius"])
    return [quadratic_exit(dot(direction, direction), 2 * dot(y, direction), dot(y, y) - radius * radius)]


def ellipsoid_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    twice = [[2 * v for v in vector(row)] for row in d["shape"]]
    return [form_exit(twice, [Decimal(0)] * len(at), Decimal(-1), away(d, at), direction)]


def quadratic_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    return [form_exit([vector(row) for row in d["P"]], vector(d["q"]), number(d["c"]), at, direction)]


# ------------------------------------------------------------------------------------------------------------ with every row


def balls(random: np.random.Generator, count: int, dtype: type, names: str) -> Samples:
    """Centres near and far, radii of every size."""
    n = width(random, 1)
    size = any_size(random, count, dtype)
    center, radius = np.zeros((count, n)), np.ones(count)
    data: Dict[str, np.ndarray] = {}
    if "center" in names:
        far = 10 ** random.uniform(0, 6, count)
        away = choose(random.integers(4, size=count), np.zeros(count), np.ones(count), size, far)
        center = (random.normal(size=(count, n)) * away[:, None]).astype(dtype).astype(float)
        data["center"] = center.astype(dtype)
    if "radius" in names:
        other = any_size(random, count, dtype)
        radius = choose(random.integers(3, size=count), size, random.uniform(0.1, 3, count), other)
        data["radius"] = radius.astype(dtype)
    owed = radius > n * roomy(dtype) * np.linalg.norm(center, axis=1)
    return Samples(ball([0.0] * n, 1.0), data, center, radius, owed, np.eye(n))


def ellipsoids(random: np.random.Generator, count: int, dtype: type) -> Samples:
    n = width(random, 1, 5)
    L = random.normal(size=(n, n))
    center = random.normal(size=(count, n)) * 10 ** random.uniform(-3, 3, (count, 1))
    description = ellipsoid([0.0] * n, L @ L.T + np.eye(n))
    owed = np.abs(center).max(1) * roomy(dtype) < 0.02
    return Samples(description, {"center": center.astype(dtype)}, center, np.ones(count), owed, np.eye(n))


def quadratics(random: np.random.Generator, count: int, dtype: type) -> Samples:
    """Parabolas that move, and grow."""
    n = width(random, 1, 5)
    P = np.eye(n)
    P[-1, -1] = float(n == 1)
    data: Dict[str, np.ndarray] = {"q": (0.1 * random.normal(size=(count, n))).astype(dtype),
                                   "c": (-(10 ** random.uniform(-2, 3, count))).astype(dtype)}
    description = quadratic(P, np.zeros(n), -1.0)
    return Samples(description, data, np.zeros((count, n)), np.ones(count), everywhere(count), np.eye(n))


# ----------------------------------------------------------------------------------------------------------------- subjects


def ellipsoid(center: Any, shape: Any) -> Json:
    return {"type": "ellipsoid", "center": center, "shape": rounded(shape)}


def quadratic(P: Any, q: Any, c: float) -> Json:
    return {"type": "quadratic", "P": rounded(P), "q": rounded(q), "c": c}


ROOT = np.random.default_rng(3).normal(size=(4, 4))
# Coordinates of very different sizes.
UNITS = np.array([1e6, 1, 1e-7])
LIKE_UNITS = np.array([[1, 0.3, 0], [0.3, 1, 0.2], [0, 0.2, 1]])

TURN = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])

TYPES = [
    SetType(
        "ball", dim=lambda d: len(d["center"]), filters=lambda d, n: [ball_filter(d["center"], d["radius"])],
        exact=lambda d, n: exact_ball(d["center"], d["radius"]), exits=ball_exits, anchor=lambda d: vector(d["center"]),
        ordinary={"ball_3": ball([0, 0, 0], 1)},
        awkward={
            "ball_1": ball([0.3], 2),
            "ball_far": ball([300, -200], 1),
            "ball_tiny": ball([0, 0], 1e-20),
            "ball_huge": ball([0, 0, 0], 1e20),
            "ball_1000": ball(rounded(np.linspace(-1, 1, 1000)), 3),
        },
        sized={
            "ball": lambda size: ball([0.0] * 3, size),
            "ball_beside": lambda size: ball([size] * 3, size),
        },
        long=lambda n: ball([0.0] * n, 1),
        samples={
            "center": lambda r, k, t, _: balls(r, k, t, "center"),
            "radius": lambda r, k, t, _: balls(r, k, t, "radius"),
            "center_radius": lambda r, k, t, _: balls(r, k, t, "center radius"),
        },
        orthogonal=["center", "radius", "center_radius"],
    ),
    SetType(
        "ellipsoid", dim=lambda d: len(d["center"]),
        filters=lambda d, n: [form_filter(2 * np.asarray(d["shape"], dtype=float), np.zeros(n), -1.0, d["center"])],
        exact=lambda d, n: exact_form(2 * np.asarray(d["shape"], dtype=float), np.zeros(n), -1, d["center"]),
        exits=ellipsoid_exits, anchor=lambda d: vector(d["center"]),
        ordinary={"ellipsoid_4": ellipsoid([1, 0, 0, -1], ROOT @ ROOT.T + np.eye(4))},
        awkward={
            "ellipsoid_condition_1e8": ellipsoid([0, 0, 0], np.diag([1e4, 1, 1e-4])),
            "ellipsoid_mixed_units": ellipsoid([1e6, 0, 3e-7], LIKE_UNITS / np.outer(UNITS, UNITS)),
            "ellipsoid_thin": ellipsoid([2, 1], ((TURN * [1e8, 1]) @ TURN.T + ((TURN * [1e8, 1]) @ TURN.T).T) / 2),
        },
        sized={"ellipsoid": lambda size: ellipsoid([0.0] * 3, np.eye(3) / size**2)},
        samples={"ellipsoid_center": lambda r, k, t, _: ellipsoids(r, k, t)},
    ),
    SetType(
        "quadratic", dim=lambda d: len(d["q"]), filters=lambda d, n: [form_filter(d["P"], d["q"], d["c"], np.zeros(n))],
        exact=lambda d, n: exact_form(d["P"], d["q"], d["c"], np.zeros(n)), exits=quadratic_exits,
        ordinary={"quadratic_parabola": quadratic([[2, 0], [0, 0]], [0, -1], -1)}, unbounded=["quadratic_parabola"],
        awkward={
            "quadratic_far": quadratic([[2, 0], [0, 2]], [-2000, 600], 1e6 + 9e4 - 1),
            "quadratic_mixed_units": quadratic([[2e-12, 1e-3, 0], [1e-3, 2e12, 0], [0, 0, 2]], [1e-6, -1e6, 1], -1),
        },
        sized={"quadratic": lambda size: quadratic(np.eye(3) / size**2, np.zeros(3), -0.5)},
        samples={"quadratic_q_c": lambda r, k, t, _: quadratics(r, k, t)},
    ),
]
