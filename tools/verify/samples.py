"""Sets whose data come with every row: what the PyTorch layers take as cap=, sum=, lower=, upper=, A=, b=, E=, f=, center=,
radius=, scale=, anchor= and others=, in ordinary and in awkward numbers. Each block of rows draws its own.

`Samples.owed` marks the rows whose set has room for the precision beyond any doubt: a status there is wrong. Elsewhere a
status is a refusal, which is counted; what is not refused must be right.
"""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, List

import numpy as np

from judge import Json, Judge, dim_of, exacts
from subjects import ball, box, coordinate_sets, curved_sets, nested_sets, normals, polyhedra, polyhedron, rounded

# The sum of the data of a sample is rounded as that of the anchor is; a fixed set's is computed in extended precision.
RESIDUAL_FACTOR = 2.0


@dataclass
class Samples:
    """Rows of data for a set: all arrays have an axis of rows in front."""

    description: Json  # the layer's own set
    data: Dict[str, np.ndarray]  # as they are given, in the precision of the rows
    center: np.ndarray  # a point of each sample's set or near it, where its rows are seen from
    unit: np.ndarray  # the size of each sample's set
    owed: np.ndarray
    facets: np.ndarray


def with_data(description: Json, data: Dict[str, Any]) -> Json:
    """The set with other numbers: "b", or "1.b" for the second part of an intersection."""
    if description["type"] != "intersection":
        return {**description, **{name: values for name, values in data.items() if name not in ("scale", "anchor")}}
    parts: List[Json] = []
    for k, part in enumerate(description["sets"]):
        own = {name.split(".", 1)[1]: values for name, values in data.items() if name.startswith(f"{k}.")}
        parts.append(with_data(part, own))
    return {**description, "sets": parts}


class SampleJudge(Judge):
    """Every row by its own data. A fixed coordinate has its value and no other; an anchor of the caller's brings its
    equalities along."""

    def __init__(self, samples: Samples) -> None:
        self.own, self.data = samples.description, samples.data
        whole = with_data(self.own, {name: values.astype(float) for name, values in self.data.items()})
        scale = self.data["scale"].astype(float) if "scale" in self.data else None
        super().__init__(whole, dim_of(self.own), scale)
        if "anchor" in self.data:
            anchor = self.data["anchor"].astype(np.longdouble)
            for equality in self.equalities:
                equality.bound = (anchor * equality.row).sum(1).astype(float)

    def description_of(self, row: int) -> Json:
        return with_data(self.own, {name: values[row].astype(float) for name, values in self.data.items()})

    def exactly_inside(self, x: np.ndarray, row: int) -> bool:
        return self._in(list(exacts(self.description_of(row), self.dim)), x, row)

    def inside(self, x: np.ndarray) -> np.ndarray:
        good = super().inside(x)
        for lower, upper in self._sides():
            good &= ((lower != upper) | (x == lower)).all(1)
        return good

    def _sides(self) -> List[Any]:
        if "lower" in self.data:
            return [(self.data["lower"], self.data["upper"])]
        return [(np.zeros_like(self.data["cap"]), self.data["cap"])] if "cap" in self.data else []


# (random numbers, rows, precision, surface) -> samples
Kind = Callable[[np.random.Generator, int, type, Any], Samples]


def size_exponent(dtype: type) -> float:
    """Sizes of sets that are drawn: 10^-30 to 10^30, less where slacks and their products would leave the range."""
    return 24 if dtype is np.float32 else 30


def thinnest(dtype: type) -> float:
    """The exponent of the smallest room that is drawn: an ulp and less."""
    return -8 if dtype is np.float32 else -17


def roomy(dtype: type) -> float:
    """Relative room that no guard takes."""
    return 1e-3 if dtype is np.float32 else 1e-9


def any_size(random: np.random.Generator, count: int, dtype: type) -> np.ndarray:
    """1 for half of the rows."""
    limit = size_exponent(dtype)
    return np.where(random.random(count) < 0.5, 1.0, 10 ** random.uniform(-limit, limit, count))


def choose(which: np.ndarray, *choices: np.ndarray) -> np.ndarray:
    """Row by row, the choice of that number."""
    shape = np.broadcast_shapes(*(c.shape for c in choices))
    return np.stack([np.broadcast_to(c, shape) for c in choices])[which, np.arange(len(which))]


def width(random: np.random.Generator, least: int, most: int = 33) -> int:
    return min(most, max(least, int(random.choice([1, 2, 3, 5, 9, 33]))))


def everywhere(count: int) -> np.ndarray:
    return np.ones(count, dtype=bool)


# ------------------------------------------------------------------------------------------------------------ coordinates


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


# ------------------------------------------------------------------------------------------------------------------- rows


def bounded(random: np.random.Generator, n: int, dtype: type) -> np.ndarray:
    """Rows around the origin that bound it, as the precision has them: random ones, a box, and one that is there twice."""
    A = random.normal(size=(n + 2, n))
    return np.vstack([A, np.eye(n), -np.eye(n), A[:1]]).astype(dtype).astype(float)


def rights(random: np.random.Generator, count: int, dtype: type, anchored: bool) -> Samples:
    """b(z): ordinary, of every size, open, thin between two opposite rows, and around a point far away."""
    n = width(random, 1)
    A = bounded(random, n, dtype)
    A[-1] = -A[0]
    b = random.uniform(0.3, 2, (count, len(A)))
    size = 10 ** random.uniform(-size_exponent(dtype), size_exponent(dtype), (count, 1))
    opened = np.where(random.random(b.shape) < 0.3, np.inf, b)
    thin = b.copy()
    thin[:, [0, -1]] = 10 ** random.uniform(thinnest(dtype), 0, (count, 2))
    which = random.integers(5, size=count)
    move = random.normal(size=(count, n)) * np.where(which == 4, 10 ** random.uniform(0, 4, count), 0)[:, None]
    move = move.astype(dtype).astype(float)
    given = (choose(which, b, b * size, opened, thin, b) + move @ A.T).astype(dtype)
    data: Dict[str, np.ndarray] = {"b": given}
    if anchored:
        data["anchor"] = move.astype(dtype)
    far = np.abs(move).max(1) * n
    owed = (which != 3) & (far * roomy(dtype) < 0.01)
    unit = np.where(which == 1, size[:, 0], 1)
    return Samples(polyhedron(A, np.ones(len(A))), data, move, unit, owed, A)


def matrices(random: np.random.Generator, count: int, dtype: type, anchored: bool) -> Samples:
    """A(z) and b(z): ordinary, rows of very different lengths, coordinates of very different units, zeros; ties."""
    n = width(random, 1, 9)
    A = bounded(random, n, dtype)
    own = A + 0.2 * random.normal(size=(count, *A.shape))
    own[:, -1] = own[:, 0]
    lengths = 10 ** random.uniform(-8, 8, (count, len(A), 1))
    units = 10 ** random.uniform(-4, 4, (count, 1, n))
    sides = slice(n + 2, 3 * n + 2)
    holes = np.where(random.random(own.shape) < 0.3, 0, own)
    holes[:, sides] = A[sides]
    holes[:, [0, -1]] = own[:, [0, -1]]
    which = random.integers(4, size=count)
    b = random.uniform(0.3, 2, (count, len(A)))
    data: Dict[str, np.ndarray] = {
        "A": choose(which, own, own * lengths, own * units, holes).astype(dtype),
        "b": choose(which, b, b * lengths[..., 0], b, b).astype(dtype),
    }
    if anchored:
        data["anchor"] = np.zeros((count, n), dtype=dtype)
    # A row of holes alone is no inequality.
    owed = (which != 2) & (np.abs(data["A"]).max(2) > 0).all(1)
    return Samples(polyhedron(A, np.ones(len(A))), data, np.zeros((count, n)), np.ones(count), owed, A)


def levels(random: np.random.Generator, count: int, dtype: type, own_matrix: bool) -> Samples:
    """f(z), and E(z): equalities that move from sample to sample, within an ordinary polyhedron."""
    n = width(random, 3, 9)
    A = bounded(random, n, dtype)
    E = random.normal(size=(n // 3, n)).astype(dtype).astype(float)
    f = random.uniform(-0.05, 0.05, (count, n // 3)) * np.where(random.random((count, 1)) < 0.2, 0, 1)
    data: Dict[str, np.ndarray] = {"f": f.astype(dtype)}
    if own_matrix:
        data["E"] = (E + 0.1 * random.normal(size=(count, *E.shape))).astype(dtype)
    description = polyhedron(A, np.ones(len(A)), E=rounded(E), f=[0.0] * (n // 3))
    return Samples(description, data, np.zeros((count, n)), np.ones(count), everywhere(count), A)


# ----------------------------------------------------------------------------------------------------------------- curved


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
    description = {"type": "ellipsoid", "center": [0.0] * n, "shape": rounded(L @ L.T + np.eye(n))}
    owed = np.abs(center).max(1) * roomy(dtype) < 0.02
    return Samples(description, {"center": center.astype(dtype)}, center, np.ones(count), owed, np.eye(n))


def quadratics(random: np.random.Generator, count: int, dtype: type) -> Samples:
    """Parabolas that move, and grow."""
    n = width(random, 1, 5)
    P = np.eye(n)
    P[-1, -1] = float(n == 1)
    data: Dict[str, np.ndarray] = {"q": (0.1 * random.normal(size=(count, n))).astype(dtype),
                                   "c": (-(10 ** random.uniform(-2, 3, count))).astype(dtype)}
    description = {"type": "quadratic", "P": rounded(P), "q": [0.0] * n, "c": -1.0}
    return Samples(description, data, np.zeros((count, n)), np.ones(count), everywhere(count), np.eye(n))


def cones(random: np.random.Generator, count: int, dtype: type) -> Samples:
    n = width(random, 2, 5)
    axes = np.eye(n)
    description = {"type": "second_order_cone", "M": rounded(axes[:-1]), "s": [0.0] * (n - 1), "c": rounded(axes[-1]),
                   "e": 1.0}
    data: Dict[str, np.ndarray] = {"s": (0.1 * random.normal(size=(count, n - 1))).astype(dtype),
                                   "c": (axes[-1] + 0.1 * random.normal(size=(count, n))).astype(dtype),
                                   "e": (10 ** random.uniform(0, 3, count)).astype(dtype)}
    return Samples(description, data, np.zeros((count, n)), np.ones(count), everywhere(count), axes)


def intersections(random: np.random.Generator, count: int, dtype: type) -> Samples:
    n = width(random, 2, 5)
    A = bounded(random, n, dtype)
    description = {"type": "intersection", "sets": [ball([0.0] * n, 1.0), polyhedron(A, np.ones(len(A)))]}
    data: Dict[str, np.ndarray] = {"1.b": random.uniform(0.05, 3, (count, len(A))).astype(dtype),
                                   "0.radius": (10 ** random.uniform(-2, 2, count)).astype(dtype)}
    return Samples(description, data, np.zeros((count, n)), np.ones(count), everywhere(count), A)


# --------------------------------------------------------------------------------------------------------- scales, anchors


def ordinary_sets() -> Dict[str, Json]:
    """Sets that are scaled, or seen from any of their points."""
    chosen = ("box_3", "box_open", "simplex_10", "capped_3", "capped_50", "capped_masked", "capped_barely", "polyhedron_4",
              "polyhedron_equality", "polyhedron_wedge", "polyhedron_thin", "polyhedron_40x10", "ball_3", "ball_far",
              "ellipsoid_4", "quadratic_parabola", "cone", "cone_slanted", "lmi_3", "lmi_disc", "lp_1", "lp_1.5", "lp_inf",
              "log_sum_exp_3", "kl_3", "nested_0", "nested_1", "nested_2", "nested_3")
    known = {**coordinate_sets(), **polyhedra(), **curved_sets(), **nested_sets()}
    return {name: known[name] for name in chosen}


# x grows with u along a direction in which the set does not end, and the derivative in the scale is made of numbers of the
# size of u times 1 / scale, whose sum is of the size of u.
UNBOUNDED = ("box_open", "polyhedron_wedge", "quadratic_parabola", "cone", "cone_slanted", "log_sum_exp_3")


def scaled(random: np.random.Generator, count: int, dtype: type, name: str, description: Json) -> Samples:
    scale: np.ndarray = any_size(random, count, dtype).astype(dtype)
    if name in UNBOUNDED:
        scale = (10 ** random.uniform(-3, 3, count)).astype(dtype)
    center = np.zeros((count, dim_of(description)))
    return Samples(description, {"scale": scale}, center, scale.astype(float), everywhere(count), normals(description))


def anchored(random: np.random.Generator, count: int, dtype: type, surface: Any, description: Json) -> Samples:
    """Interior points, from the middle of the set to less than an ulp from its boundary."""
    n = dim_of(description)
    hard = surface.layer("HardRadial", surface.parse_set(json.dumps(description).replace("Infinity", '"inf"')))
    own = np.asarray(hard.anchor, dtype=float)
    point = hard(own + random.normal(size=(count, n)) * 10 ** random.uniform(-2, 6, (count, 1)))
    middle = random.random((count, 1)) < 0.5
    share = np.where(middle, random.uniform(0, 0.9, (count, 1)), 1 - 10 ** random.uniform(thinnest(dtype), 0, (count, 1)))
    point = (own + share * (point - own)).astype(dtype)
    return Samples(description, {"anchor": point}, point.astype(float), np.ones(count), np.zeros(count, dtype=bool),
                   normals(description))


def kinds() -> Dict[str, Kind]:
    found: Dict[str, Kind] = {
        "caps": lambda r, k, t, _: capped(r, k, t, "cap"),
        "sum": lambda r, k, t, _: capped(r, k, t, "sum"),
        "caps_sum": lambda r, k, t, _: capped(r, k, t, "cap sum"),
        "box": lambda r, k, t, _: boxes(r, k, t),
        "b": lambda r, k, t, _: rights(r, k, t, False),
        "b_anchor": lambda r, k, t, _: rights(r, k, t, True),
        "A_b": lambda r, k, t, _: matrices(r, k, t, False),
        "A_b_anchor": lambda r, k, t, _: matrices(r, k, t, True),
        "f": lambda r, k, t, _: levels(r, k, t, False),
        "E_f": lambda r, k, t, _: levels(r, k, t, True),
        "center": lambda r, k, t, _: balls(r, k, t, "center"),
        "radius": lambda r, k, t, _: balls(r, k, t, "radius"),
        "center_radius": lambda r, k, t, _: balls(r, k, t, "center radius"),
        "ellipsoid_center": lambda r, k, t, _: ellipsoids(r, k, t),
        "quadratic_q_c": lambda r, k, t, _: quadratics(r, k, t),
        "cone_s_c_e": lambda r, k, t, _: cones(r, k, t),
        "intersection_b_radius": lambda r, k, t, _: intersections(r, k, t),
    }
    for name, description in ordinary_sets().items():
        found[f"scale_{name}"] = lambda r, k, t, _, n=name, d=description: scaled(r, k, t, n, d)  # type: ignore[misc]
        found[f"anchor_{name}"] = lambda r, k, t, s, d=description: anchored(r, k, t, s, d)  # type: ignore[misc]
    return found
