"""Polyhedra: rows, dense and sparse."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

from families.arithmetic import (Equality, Exact, Exit, Filter, Json, Matrix, Vector, exact_linear, linear, linear_exit,
                                 number, rounded)
from families.draws import Samples, choose, everywhere, roomy, size_exponent, thinnest, width
from families.table import SetType


def polyhedron(A: Any, b: Any, **more: Any) -> Json:
    return {"type": "polyhedron", "A": rounded(A), "b": rounded(b), **more}


def sparse(rows: int, cols: int, entries: List[list]) -> Json:
    return {"rows": rows, "cols": cols, "entries": entries}


def rows_dim(d: Json) -> int:
    if "dim" in d:
        return int(d["dim"])
    rows: Any = d["A"] if len(d.get("A", [])) else d["E"]
    return int(rows["cols"]) if isinstance(rows, dict) else len(rows[0])


def rows_filters(d: Json, n: int) -> Iterator[Filter]:
    if len(d.get("A", [])):
        yield linear(Matrix(d["A"], n), d["b"])


def rows_exact(d: Json, n: int) -> Exact:
    return exact_linear(Matrix(d.get("A", []), n), d.get("b", []))


def rows_equalities(d: Json, n: int) -> Iterator[Equality]:
    if len(d.get("E", [])):
        E, f = Matrix(d["E"], n).dense(n), np.asarray(d["f"], dtype=float)
        for k in range(E.shape[-2]):
            yield Equality(E[..., k, :], f[..., k])


def rows_exits(d: Json, at: Vector, direction: Vector) -> Iterator[Exit]:
    A: Any = d.get("A", [])
    dense = Matrix(A, len(at)).dense(len(at)) if isinstance(A, dict) else A
    for row, bound in zip(dense, d.get("b", [])):
        yield linear_exit([number(v) for v in row], number(bound), at, direction)


def rows_normals(d: Json) -> np.ndarray:
    """Some of them, where there are many."""
    n = rows_dim(d)
    A = Matrix(d.get("A", []), n)
    if len(A) == 0:
        return np.eye(n)
    if A.places is not None:
        A.places, A.numbers = A.places[:64], A.numbers[:64]
    return A.dense(n)


# ------------------------------------------------------------------------------------------------------------ with every row


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


# ----------------------------------------------------------------------------------------------------------------- subjects


def chain(n: int, step: float) -> Json:
    """|x_j - x_(j + 1)| <= step, |x_0| <= 1: two or three numbers in every row."""
    entries: List[list] = [[0, 0, 1.0], [1, 0, -1.0]]
    for j in range(n - 1):
        for sign in (1.0, -1.0):
            row = 2 * j + (2 if sign > 0 else 3)
            entries += [[row, j, sign], [row, j + 1, -sign]]
    return {"type": "polyhedron", "A": sparse(2 * n, n, entries), "b": [1.0, 1.0] + [step] * (2 * n - 2)}


def polyhedra() -> Tuple[Dict[str, Json], Dict[str, Json]]:
    random = np.random.default_rng(2)
    A = random.normal(size=(12, 4))
    plain, flat = 1 + np.abs(random.normal(size=12)), 1 + np.abs(random.normal(size=12))
    thin = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1.0]])
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    sides = np.vstack([turn, -turn])
    wide = random.normal(size=(40, 10))
    units = np.array([1e-7, 1e-2, 1e3, 1e7])
    axes = np.array([[1, 0], [-1, 0], [0, 1], [0, -1.0]])
    holes: List[list] = [[i, i % 6, 1.0 if i < 6 else -1.0] for i in range(12)]
    holes += [[i, (i + 2) % 6, 0.37 * (i % 3 - 1)] for i in range(12) if i % 3 != 1]
    ordinary = {
        "polyhedron_4": polyhedron(A, plain),
        "polyhedron_equality": polyhedron(A, flat, E=[[1, 1, 1, 1]], f=[0.25]),
        "polyhedron_wedge": polyhedron([[1, 0.0, 0], [1, 1, 0]], [1, 2]),
        "polyhedron_40x10": polyhedron(wide, 1 + np.abs(random.normal(size=40))),
        "polyhedron_sparse": {"type": "polyhedron", "A": sparse(12, 6, holes), "b": rounded(np.linspace(0.3, 1.7, 12))},
    }
    one_sum = sparse(1, 6, [[0, j, 1.0] for j in range(6)])
    awkward = {
        "polyhedron_thin": polyhedron(thin, [1, 1, 1e-4, 1e-4]),
        "polyhedron_condition_1e8": polyhedron(sides * np.array([[1], [1e8], [1], [1e8]]), np.ones(4)),
        "polyhedron_mixed_units": polyhedron(axes, [2e11, -1e11, 1, 0]),
        "polyhedron_mixed_equality": polyhedron(-np.eye(3), np.zeros(3), E=[[1e12, 1, 1]], f=[1]),
        "polyhedron_rest_of_a_row": polyhedron(
            [[1e-5, 1e5, 1e5], [-1e-5, 0, 0], [0, -1e5, 0], [0, 0, -1e5]], [3, 0, 0, 0], E=[[0, 1, 1]], f=[2e-5]
        ),
        "polyhedron_all_units": polyhedron(A / units, plain + A @ np.ones(4)),
        "polyhedron_all_units_equality": polyhedron(A / units, plain + A @ np.ones(4), E=rounded([1 / units]), f=[4.0]),
        "polyhedron_prices": polyhedron(
            np.vstack([-np.eye(5), np.eye(5)]), np.append(np.zeros(5), [1, 1e3, 1e6, 10, 1e4]),
            E=[[1e6, 1e3, 1, 1e5, 1e2], [0, 1e3, -2, 1e5, 0]], f=[2e6, 2e5],
        ),
        "polyhedron_far": polyhedron(A[:, :2], A[:, :2] @ np.array([500, -300.0]) + 1),
        "polyhedron_everything": {"type": "polyhedron", "dim": 3},
        "polyhedron_one": polyhedron([[1], [-1]], [2, 3]),
        "polyhedron_sparse_equality": {**ordinary["polyhedron_sparse"], "E": one_sum, "f": [0.1]},
        "polyhedron_sparse_condition_1e8": {
            "type": "polyhedron", "b": [1.0] * 6,
            "A": sparse(6, 3, [[0, 0, 1e8], [1, 0, -1e8], [2, 1, 1.0], [3, 1, -1.0], [4, 2, 1e-4], [5, 2, -1e-4],
                               [2, 2, 1e-6]]),
        },
        "polyhedron_sparse_2000": chain(2000, 0.01),
    }
    return ordinary, awkward


ORDINARY, AWKWARD = polyhedra()
SEVEN = np.random.default_rng(0).normal(size=(7, 3))

TYPES = [
    SetType(
        "polyhedron", dim=rows_dim, filters=rows_filters, exact=rows_exact, equalities=rows_equalities, exits=rows_exits,
        normals=rows_normals, ordinary=ORDINARY, awkward=AWKWARD, unbounded=["polyhedron_wedge"],
        sized={
            "polyhedron": lambda size: polyhedron(SEVEN, [size] * 7),
            "polyhedron_rows": lambda size: polyhedron(SEVEN / size, [1.0] * 7),
            "equality": lambda size: polyhedron(SEVEN, [size] * 7, E=[[1, 1, 1]], f=[0]),
            "equality_alone": lambda size: polyhedron([], [], E=[[1, 1, 1]], f=[size]),
        },
        samples={
            "b": lambda r, k, t, _: rights(r, k, t, False),
            "b_anchor": lambda r, k, t, _: rights(r, k, t, True),
            "A_b": lambda r, k, t, _: matrices(r, k, t, False),
            "A_b_anchor": lambda r, k, t, _: matrices(r, k, t, True),
            "f": lambda r, k, t, _: levels(r, k, t, False),
            "E_f": lambda r, k, t, _: levels(r, k, t, True),
        },
        orthogonal=["b", "A_b", "f"],
    ),
]
