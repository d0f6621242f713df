"""The sets of the campaign, as SET.json has them: every type in ordinary and in awkward forms."""
from __future__ import annotations

from typing import Dict, List

import numpy as np

from judge import Json, dim_of


def rounded(values: np.ndarray) -> list:
    return np.asarray(values, dtype=float).tolist()


def box(lower: list, upper: list) -> Json:
    return {"type": "box", "lower": lower, "upper": upper}


def ball(center: list, radius: float) -> Json:
    return {"type": "ball", "center": center, "radius": radius}


def polyhedron(A: np.ndarray, b: np.ndarray, **equalities: list) -> Json:
    return {"type": "polyhedron", "A": rounded(A), "b": rounded(b), **equalities}


def coordinate_sets() -> Dict[str, Json]:
    random = np.random.default_rng(1)
    barely = (1 + 1e-4) / 5
    sets = {
        "box_1": box([-1], [2]),
        "box_3": box([-1, 0, 0.5], [1, 2, 0.75]),
        "box_open": box([-1, None, 0], [1, 3, None]),
        "box_fixed": box([-1, 0.5, 0], [1, 0.5, 2]),
        "box_mixed_units": box([1e5, 0, -1e-6], [2e5, 1e-9, 1e6]),
        "box_far": box([1e4, -1e4], [1e4 + 1, -1e4 + 2]),
        "box_tiny": box([-1e-20, 0], [1e-20, 3e-20]),
        "box_huge": box([-1e20, 0], [1e20, 3e20]),
        "simplex_2": {"type": "simplex", "dim": 2},
        "simplex_10": {"type": "simplex", "dim": 10},
        "simplex_1000": {"type": "simplex", "dim": 1000, "sum": 3},
        "simplex_20000": {"type": "simplex", "dim": 20000},
        "capped_3": {"type": "capped_simplex", "dim": 3, "cap": 0.4},
        "capped_50": {"type": "capped_simplex", "dim": 50, "cap": 0.05},
        "capped_barely": {"type": "capped_simplex", "dim": 5, "cap": barely},
        "capped_masked": {"type": "capped_simplex", "dim": 6, "cap": [0, 0.3, 0.5, 0, 0.4, 1]},
        "capped_mixed_units": {"type": "capped_simplex", "dim": 4, "cap": [1e-6, 0.5, 0.7, 1]},
        "capped_own": {"type": "capped_simplex", "dim": 20, "cap": rounded(random.uniform(0.02, 0.3, 20)), "sum": 1.5},
    }
    return sets


def polyhedra() -> Dict[str, Json]:
    random = np.random.default_rng(2)
    A = random.normal(size=(12, 4))
    thin = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1.0]])
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    sides = np.vstack([turn, -turn])
    wide = random.normal(size=(40, 10))
    return {
        "polyhedron_4": polyhedron(A, 1 + np.abs(random.normal(size=12))),
        "polyhedron_equality": polyhedron(A, 1 + np.abs(random.normal(size=12)), E=[[1, 1, 1, 1]], f=[0.25]),
        "polyhedron_wedge": polyhedron(np.array([[1, 0.0, 0], [1, 1, 0]]), np.array([1, 2])),
        "polyhedron_thin": polyhedron(thin, np.array([1, 1, 1e-4, 1e-4])),
        "polyhedron_condition_1e8": polyhedron(sides * np.array([[1], [1e8], [1], [1e8]]), np.ones(4)),
        "polyhedron_mixed_units": polyhedron(np.array([[1, 0], [-1, 0], [0, 1], [0, -1.0]]), np.array([2e11, -1e11, 1, 0])),
        "polyhedron_far": polyhedron(A[:, :2], A[:, :2] @ np.array([500, -300.0]) + 1),
        "polyhedron_40x10": polyhedron(wide, 1 + np.abs(random.normal(size=40))),
    }


def curved_sets() -> Dict[str, Json]:
    random = np.random.default_rng(3)
    L = random.normal(size=(4, 4))
    long_axis = np.diag([1e4, 1, 1e-4])
    F = [(M + M.T) / 2 for M in random.normal(size=(3, 3, 3))]
    return {
        "ball_3": ball([0, 0, 0], 1),
        "ball_far": ball([300, -200], 1),
        "ball_tiny": ball([0, 0], 1e-20),
        "ball_huge": ball([0, 0, 0], 1e20),
        "ellipsoid_4": {"type": "ellipsoid", "center": [1, 0, 0, -1], "shape": rounded(L @ L.T + np.eye(4))},
        "ellipsoid_condition_1e8": {"type": "ellipsoid", "center": [0, 0, 0], "shape": rounded(long_axis)},
        "quadratic_parabola": {"type": "quadratic", "P": [[2, 0], [0, 0]], "q": [0, -1], "c": -1},
        "cone": {"type": "second_order_cone", "M": [[1, 0, 0], [0, 1, 0]], "s": [0, 0], "c": [0, 0, 1], "e": 0.5},
        "cone_slanted": {"type": "second_order_cone", "M": [[1, 0.5], [0, 2]], "s": [0.1, 0], "c": [0.3, 0.2], "e": 2},
        "lmi_3": {"type": "lmi", "F": [rounded(np.eye(3))] + [rounded(M) for M in F]},
        "lmi_disc": {"type": "lmi", "F": [[[1, 0], [0, 1]], [[1, 0], [0, -1]], [[0, 1], [1, 0]]]},
        "lp_1": {"type": "lp_ball", "center": [0, 1, 0], "radius": 2, "p": 1},
        "lp_1.5": {"type": "lp_ball", "center": [0, 0, 0], "radius": 1, "p": 1.5},
        "lp_3_tiny": {"type": "lp_ball", "center": [0, 0], "radius": 1e-12, "p": 3},
        "lp_inf": {"type": "lp_ball", "center": [0.1, 0.2], "radius": 1, "p": float("inf")},
        "log_sum_exp_3": {"type": "log_sum_exp", "dim": 3, "bound": 1},
        "kl_3": {"type": "kl_ball", "reference": [0.5, 0.3, 0.2], "radius": 0.1},
    }


def nested_sets() -> Dict[str, Json]:
    """Random intersections and products around the origin, which is inside every member."""
    sets: Dict[str, Json] = {}
    for seed in range(6):
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
            return {"type": "lp_ball", "center": [0.0] * n, "radius": float(random.uniform(0.8, 2)), "p": 1.0}

        parts: List[Json] = [member() for _ in range(int(random.integers(2, 5)))]
        whole: Json = {"type": "intersection", "sets": parts}
        if seed % 2:
            whole = {"type": "product", "sets": [whole, {"type": "simplex", "dim": 3}, member()]}
        sets[f"nested_{seed}"] = whole
    return sets


def subjects() -> Dict[str, Json]:
    sets = {**coordinate_sets(), **polyhedra(), **curved_sets(), **nested_sets()}
    return sets


def is_coordinate_set(d: Json) -> bool:
    return d["type"] in ("box", "simplex", "capped_simplex")


def normals(d: Json) -> np.ndarray:
    """Directions straight at facets: rows of the linear inequalities; the axes where there are none."""
    n = dim_of(d)
    if d["type"] == "polyhedron":
        return np.asarray(d["A"], dtype=float)
    if d["type"] == "intersection":
        return np.vstack([normals(part) for part in d["sets"]])
    return np.eye(n) if n <= 64 else np.eye(n)[:64]
