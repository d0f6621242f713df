"""Sets made of sets: intersections, products, affine preimages, multiples."""
from __future__ import annotations

from fractions import Fraction
from typing import Any, Dict, Iterator, List, Sequence, Tuple

import numpy as np

from families import cones, coordinates, levels, lmis, quadratics, rows
from families.arithmetic import (EPS, LONG, Equality, Exact, Exit, Filter, Json, Matrix, Slack, Values, Vector, affine,
                                 column, dot, exact_affine, number, rounded, vector)
from families.coordinates import box, capped_simplex, simplex
from families.draws import Samples, everywhere, width
from families.levels import norm_ball
from families.quadratics import ball, ellipsoid
from families.rows import bounded, chain, polyhedron
from families.table import SetType, dim_of, equalities, exact, exits, filters, normals


def intersection_exact(d: Json, n: int) -> Exact:
    conditions = [exact(part, n) for part in d["sets"]]
    return lambda x: (slack for condition in conditions for slack in condition(x))


# ----------------------------------------------------------------------------------------------------------------- products


def blocks(d: Json) -> Iterator[Tuple[Json, int, slice]]:
    """Every part with its dimension and its coordinates."""
    start = 0
    for part in d["sets"]:
        n = dim_of(part)
        yield part, n, slice(start, start + n)
        start += n


def on_block(inner: Filter, block: slice) -> Filter:
    return lambda x, err: inner(x[:, block], err[:, block])


def product_exact(d: Json, n: int) -> Exact:
    conditions = [(exact(part, size), block) for part, size, block in blocks(d)]
    return lambda x: (slack for condition, block in conditions for slack in condition(x[block]))


def product_equalities(d: Json, n: int) -> Iterator[Equality]:
    for part, size, block in blocks(d):
        for inner in equalities(part, size):
            row, weight = np.zeros(n, dtype=inner.row.dtype), np.zeros(n, dtype=inner.row.dtype)
            row[block], weight[block] = inner.row, inner.weights
            yield Equality(row, inner.bound, weight, inner.size)


def product_exits(d: Json, at: Vector, direction: Vector) -> Iterator[Exit]:
    for part, _, block in blocks(d):
        yield from exits(part, at[block], direction[block])


# ------------------------------------------------------------------------------------------------- preimages and multiples


def preimage_dim(d: Json) -> int:
    return len(d["A"][0])


def preimage_filters(d: Json, n: int) -> Iterator[Filter]:
    """The filters of A x + b, which comes with its err."""
    A = Matrix(d["A"], n)
    for inner in filters(d["set"], len(A)):
        yield lambda x, err, inner=inner: inner(*affine(A, d["b"], x, err))  # type: ignore[misc]


def preimage_exact(d: Json, n: int) -> Exact:
    image, inner = exact_affine(Matrix(d["A"], n), d["b"]), exact(d["set"], len(d["A"]))
    return lambda x: inner(image(x))


def preimage_equalities(d: Json, n: int) -> Iterator[Equality]:
    """row . (A x + b) = bound"""
    A, b = np.asarray(d["A"], dtype=float).astype(LONG), np.asarray(d["b"], dtype=float).astype(LONG)
    for inner in equalities(d["set"], len(A)):
        size = inner.size + np.abs(inner.bound) + inner.weights @ np.abs(b)
        yield Equality(inner.row @ A, inner.bound - inner.row @ b, inner.weights @ np.abs(A), size)


def preimage_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    rows = [vector(row) for row in d["A"]]
    image = [dot(row, at) + number(v) for row, v in zip(rows, d["b"])]
    return exits(d["set"], image, [dot(row, direction) for row in rows])


def divided(inner: Filter, factor: Any) -> Filter:
    """The filter of x / factor, one for all rows or one for each. The quotient errs by eps/2 of itself."""
    def value(x: np.ndarray, err: np.ndarray) -> Values:
        divisor = column(factor, x.dtype)[:, None]
        y = x / divisor
        return inner(y, err / divisor + EPS[x.dtype] * np.abs(y))

    return value


def scaled_exact(d: Json, n: int) -> Exact:
    inner, factor = exact(d["set"], n), Fraction(float(d["factor"]))

    def slacks(x: Sequence[Fraction]) -> Iterator[Slack]:
        yield from inner([v / factor for v in x])

    return slacks


def scaled_exits(d: Json, at: Vector, direction: Vector) -> List[Exit]:
    factor = number(d["factor"])
    return exits(d["set"], [v / factor for v in at], [v / factor for v in direction])


# ------------------------------------------------------------------------------------------------------------ with every row


def intersections(random: np.random.Generator, count: int, dtype: type) -> Samples:
    n = width(random, 2, 5)
    A = bounded(random, n, dtype)
    description = intersection(ball([0.0] * n, 1.0), polyhedron(A, np.ones(len(A))))
    data: Dict[str, np.ndarray] = {"1.b": random.uniform(0.05, 3, (count, len(A))).astype(dtype),
                                   "0.radius": (10 ** random.uniform(-2, 2, count)).astype(dtype)}
    return Samples(description, data, np.zeros((count, n)), np.ones(count), everywhere(count), A)


# ----------------------------------------------------------------------------------------------------------------- subjects


def intersection(*sets: Json) -> Json:
    return {"type": "intersection", "sets": list(sets)}


def product(*sets: Json) -> Json:
    return {"type": "product", "sets": list(sets)}


def affine_preimage(part: Json, A: Any, b: Any) -> Json:
    return {"type": "affine_preimage", "set": part, "A": rounded(A), "b": rounded(b)}


def scaled(part: Json, factor: float) -> Json:
    return {"type": "scaled", "set": part, "factor": factor}


def nested(seed: int) -> Json:
    """Random intersections around the origin, which is inside every member; with an odd seed, within a product."""
    random = np.random.default_rng(100 + seed)
    n = int(random.integers(2, 5))

    def member() -> Json:
        kind = random.integers(4)
        if kind == 0:
            return box(rounded(-random.uniform(0.3, 2, n)), rounded(random.uniform(0.3, 2, n)))
        if kind == 1:
            return ball(rounded(random.normal(size=n) / 10), float(random.uniform(0.8, 2)))
        if kind == 2:
            return polyhedron(random.normal(size=(2 * n, n)), random.uniform(0.5, 2, 2 * n))
        return norm_ball([0.0] * n, float(random.uniform(0.8, 2)), 1.0)

    parts = [member() for _ in range(int(random.integers(2, 5)))]
    whole = intersection(*parts)
    return product(whole, simplex(3), member()) if seed % 2 else whole


# The subjects of the other families.
PARTS: Dict[str, Json] = {name: part for family in (coordinates, rows, quadratics, cones, lmis, levels)
                          for kind in family.TYPES for name, part in kind.ordinary.items()}
EXPONENTIAL, POWER = PARTS["exponential_cone_3"], PARTS["power_cone_3"]
CUBE = box([-1] * 3, [1, 2, 1.5])
LEVEL = {"type": "polyhedron", "E": [[1, 1, 1]], "f": [0.1]}
NORMAL = np.random.default_rng(7).normal(size=(6, 6))
TALL, WIDE = NORMAL[:5, :2], NORMAL[:2, :5]
TURN = np.linalg.qr(NORMAL[:3, :3])[0]

TYPES = [
    SetType(
        "intersection", dim=lambda d: dim_of(d["sets"][0]), parts=lambda d: d["sets"],
        filters=lambda d, n: [inner for part in d["sets"] for inner in filters(part, n)],
        exact=intersection_exact,
        equalities=lambda d, n: [inner for part in d["sets"] for inner in equalities(part, n)],
        exits=lambda d, at, v: [t for part in d["sets"] for t in exits(part, at, v)],
        normals=lambda d: np.vstack([normals(part) for part in d["sets"]]),
        ordinary={
            **{f"nested_{seed}": nested(seed) for seed in (0, 2, 4)},
            "nested_cones": intersection(CUBE, EXPONENTIAL, POWER),
            "nested_cone_level": intersection(CUBE, EXPONENTIAL, LEVEL),
            "nested_preimage": intersection(box([-1, -1], [1, 1]), affine_preimage(ball([0.0] * 5, 1.5), TALL, [0.1] * 5)),
        },
        awkward={
            "nested_ball_level": intersection(ball([0, 0, 0], 1), LEVEL, POWER),
            "nested_simplex_ball": intersection(simplex(3), ball([0.2, 0.3, 0.5], 0.1)),
            # The corner of the caps that lies nearest to the ball's centre is just inside of it.
            "nested_caps_barely": intersection(capped_simplex(0.4, 3), ball([1, 0, 0], 0.7349)),
            "nested_thin": intersection(ball([0, 0], 1), ball([2 - 1e-4, 0], 1), box([-2, -2], [2, 2])),
            "nested_curved_units": intersection(ellipsoid([0, 0, 0], np.diag([1e-16, 1, 1e12])),
                                                box([-1e8, -0.5, -1e-5], [5e7, 2, 1e-5])),
            "nested_mixed_units": intersection(box([1e5, 0, -1], [2e5, 1e-6, 1]), scaled(ball([1.5, 0, 0], 1), 1e5)),
            "nested_budget": intersection(box([0, 0, 0], [1, 1, 1]), polyhedron([], [], E=[[1e6, 1, 1]], f=[1])),
            "nested_sparse": intersection(chain(8, 0.3), ball([0.0] * 8, 2)),
            "nested_deep": intersection(scaled(intersection(CUBE, affine_preimage(EXPONENTIAL, TURN, [0, 0, 0.0])), 0.5),
                                        PARTS["lmi_3"]),
        },
        sized={"intersection": lambda size: intersection(ball([0.0] * 3, size), box([-size / 1.5] * 3, [size / 1.5] * 3))},
        samples={"intersection_b_radius": lambda r, k, t, _: intersections(r, k, t)},
    ),
    SetType(
        "product", dim=lambda d: sum(n for _, n, _ in blocks(d)), parts=lambda d: d["sets"],
        filters=lambda d, n: [on_block(inner, block) for part, size, block in blocks(d) for inner in filters(part, size)],
        exact=product_exact, equalities=product_equalities, exits=product_exits,
        ordinary={
            **{f"nested_{seed}": nested(seed) for seed in (1, 3, 5)},
            "product_cones": product(EXPONENTIAL, POWER, PARTS["cone_slanted"]),
            "product_preimage": product(affine_preimage(simplex(3), NORMAL[:3, :3], [0.3, 0.3, 0.4]), box([0], [1])),
        },
        unbounded=["product_cones"],
        sized={"product": lambda size: product(simplex(2, sum=size), ball([0.0], size))},
        awkward={
            "product_mixed_units": product(scaled(simplex(3), 1e6), scaled(POWER, 1e-6), PARTS["kl_3"]),
            "product_many": product(*[capped_simplex(0.5, 4) for _ in range(50)]),
            "product_sparse": product(chain(5, 0.2), ball([3, 4], 1)),
        },
    ),
    SetType(
        "affine_preimage", dim=preimage_dim, parts=lambda d: [d["set"]], filters=preimage_filters, exact=preimage_exact,
        equalities=preimage_equalities, exits=preimage_exits,
        normals=lambda d: normals(d["set"]) @ np.asarray(d["A"], dtype=float),
        ordinary={
            "preimage_ball_tall": affine_preimage(ball([0.0] * 5, 1), TALL, [0.1, 0, 0, 0.2, 0]),
            "preimage_ball_wide": affine_preimage(ball([0, 0], 1), WIDE, [0.1, 0]),
            "preimage_simplex": affine_preimage(simplex(3), NORMAL[:3, :4], [0.2, 0.3, 0.5]),
            "preimage_cone": affine_preimage(POWER, NORMAL[:3, :2], [0, 0.1, 0]),
        },
        unbounded=["preimage_ball_wide", "preimage_simplex", "preimage_cone"],
        sized={"affine_preimage": lambda size: affine_preimage(ball([0.0] * 3, size), TURN, [0, 0, size / 4])},
        awkward={
            "preimage_capped": affine_preimage(capped_simplex(0.35, 3), NORMAL[:3, :3], [0.3, 0.3, 0.4]),
            "preimage_exponential": affine_preimage(EXPONENTIAL, TURN, [0.1, 0, 0]),
            "preimage_far": affine_preimage(ball([0, 0], 1), [[1, 0.5], [0, 1]], [1000, -2000]),
            "preimage_condition_1e8": affine_preimage(ball([0, 0, 0], 1), TURN * [1e4, 1, 1e-4], [0, 0.1, 0]),
            "preimage_mixed_units": affine_preimage(box([0, 0], [1, 1]), [[1e-9, 0], [0, 1e6]], [0.5, 0.5]),
            "preimage_one": affine_preimage(ball([0, 0, 0], 1), [[1], [2], [-1]], [0.1, 0.2, 0.3]),
        },
    ),
    SetType(
        "scaled", dim=lambda d: dim_of(d["set"]), parts=lambda d: [d["set"]],
        filters=lambda d, n: [divided(inner, d["factor"]) for inner in filters(d["set"], n)],
        exact=scaled_exact, exits=scaled_exits, normals=lambda d: normals(d["set"]),
        equalities=lambda d, n: [Equality(inner.row, inner.bound * d["factor"], inner.weight, inner.size * d["factor"])
                                 for inner in equalities(d["set"], n)],
        ordinary={
            "scaled_capped": scaled(capped_simplex(0.4, 5), 3),
            "scaled_ball": scaled(ball([0.1, 0, 0], 1), 0.3),
            "scaled_cone": scaled(EXPONENTIAL, 2.5),
        },
        unbounded=["scaled_cone"],
        sized={"scaled": lambda size: scaled(CUBE, size)},
        awkward={
            "scaled_tiny": scaled(polyhedron(NORMAL, np.ones(6)), 1e-20),
            "scaled_huge": scaled(POWER, 1e20),
            "scaled_preimage": scaled(affine_preimage(ball([0, 0], 1), WIDE[:, :3], [0, 0]), 1e-3),
            "scaled_twice": scaled(scaled(simplex(4), 7), 1 / 7),
        },
    ),
]
