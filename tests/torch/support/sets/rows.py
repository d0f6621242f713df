"""Polyhedra: rows, dense and sparse."""

from typing import Any, Sequence

import numpy
import torch

import softradial as sr
from support.case import DIM, Case, Family, Kind, Samples, Twin, around, each, matrix
from support.inputs import normal, uniform
from support.judge import Judge, Residual, exact

NAN = float("nan")


class RowsJudge(Judge):
    """A x <= b, E x = f. Rows named in `always_active` are equalities in disguise: constant on the hull."""

    def __init__(self, A: Any, b: Any, E: Any = None, f: Any = None, always_active: Sequence[int] = ()) -> None:
        A, b = exact(A), exact(b)
        strict = [i for i in range(len(b)) if i not in always_active]
        self.A, self.b = A[strict], b[strict]
        self.E, self.f = A[list(always_active)], b[list(always_active)]
        if E is not None:
            self.E, self.f = numpy.concatenate([exact(E), self.E]), numpy.concatenate([exact(f), self.f])

    def slacks(self, x):
        return list(self.b - self.A.dot(x))

    def residuals(self, x, u0):
        return [Residual(abs(e.dot(x) - f), abs(e).dot(abs(x) + abs(u0)) + abs(f)) for e, f in zip(self.E, self.f)]


EYE = torch.eye(4, dtype=torch.float64)
ROWS = torch.cat([matrix(10, 4, 1), EYE, -EYE])
BOUNDS = torch.cat([matrix(10, 1, 2).abs()[:, 0] + 0.3, torch.full((8,), 2.5, dtype=torch.float64)])
SPARSE_ROWS = torch.zeros(12, 6, dtype=torch.float64)
for i in range(12):
    SPARSE_ROWS[i, i % 6] = 1.0 if i < 6 else -1.0
    SPARSE_ROWS[i, (i + 2) % 6] = 0.37 * (i % 3 - 1)
SPARSE_BOUNDS = torch.linspace(0.3, 1.7, 12, dtype=torch.float64)
# x0 <= 0.3 and -x0 <= -0.3: flat, though nothing says so.
IMPLICIT_ROWS = [[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [1, 1, 1], [0, 0, -1]]
IMPLICIT_BOUNDS = [0.3, -0.3, 1, 0.5, 2, 0.7]
EQUALITY = torch.tensor([[1.0, 1, 1, 1]], dtype=torch.float64)
TWO_EQUALITIES, LEVELS = [[1.0, 1, 1, 1], [0.5, 0, -0.3, 1]], [0.25, 0.1]
HALFSPACE = sr.Polyhedron([[1.0, -2, 0.5]], [1.25])
POLYGON = sr.Polyhedron([[1.0, 0.2], [-1, 0.3], [0.1, 1], [0.4, -1], [-0.7, -1]], [1.0, 0.9, 0.8, 1.0, 0.9])

CASES = [
    Case("polyhedron", sr.Polyhedron(ROWS, BOUNDS), RowsJudge(ROWS, BOUNDS), bitwise=False),
    Case(
        "polyhedron_off_centre",
        sr.Polyhedron(ROWS, BOUNDS).with_anchor(torch.tensor([0.1, -0.1, 0.05, 0.1], dtype=torch.float64)),
        RowsJudge(ROWS, BOUNDS),
        bitwise=False,
    ),
    Case(
        "polyhedron_sparse",
        sr.Polyhedron(SPARSE_ROWS.to_sparse(), SPARSE_BOUNDS),
        RowsJudge(SPARSE_ROWS, SPARSE_BOUNDS),
        bitwise=False,
    ),
    Case(
        "polyhedron_flat",
        sr.Polyhedron(ROWS, BOUNDS, TWO_EQUALITIES, LEVELS),
        RowsJudge(ROWS, BOUNDS, TWO_EQUALITIES, LEVELS),
        bitwise=False,
    ),
    Case(
        "polyhedron_implicit",
        sr.Polyhedron(IMPLICIT_ROWS, IMPLICIT_BOUNDS),
        RowsJudge(IMPLICIT_ROWS, IMPLICIT_BOUNDS, always_active=(0, 1)),
        bitwise=False,
        declared=False,
    ),
    Case(
        "halfspace",
        HALFSPACE,
        RowsJudge([[1.0, -2, 0.5]], [1.25]),
        bitwise=False,
        rays=([-1.0, 2, 0], [2.0, 1, 0]),
    ),
]

BAD = {
    "polyhedron: nan": (lambda: sr.Polyhedron([[1.0, NAN]], [1.0]), r"A\[0\]\[1\] is nan"),
    "polyhedron: lengths": (lambda: sr.Polyhedron([[1.0, 2.0]], [1.0, 2.0]), "b has 2 entries for 1 rows"),
    "polyhedron: E without f": (lambda: sr.Polyhedron([[1.0]], [1.0], E=[[1.0]]), "E and f"),
    "polyhedron: E of another width": (lambda: sr.Polyhedron([[1.0]], [1.0], [[1.0, 2.0]], [1.0]), "E.*(1|2)"),
}


def halfspace(x):
    return x[..., 0] - 2 * x[..., 1] + 0.5 * x[..., 2] - 1.25


# ---------------------------------------------------------------------------------------------------------- random sets


def bounded_rows(dim, rng):
    """Random rows and a box around the origin: bounded, with the origin inside."""
    eye = torch.eye(dim, dtype=torch.float64)
    A = torch.cat([normal((2 * dim, dim), rng), eye, -eye])
    return A, uniform((4 * dim,), rng, 0.1, 2.0)


def _polyhedron(dim, rng):
    A, b = bounded_rows(dim, rng)
    return sr.Polyhedron(A, b), RowsJudge(A, b)


def _flat_polyhedron(dim, rng):
    A, b = bounded_rows(dim, rng)
    E, f = normal((dim // 3, dim), rng), torch.full((dim // 3,), 0.02, dtype=torch.float64)
    return sr.Polyhedron(A, b, E, f), RowsJudge(A, b, E, f)


# ------------------------------------------------------------------------------------------------ a set for each sample


MATRIX, RIGHT, LEVEL = around(ROWS, 0.05), around(BOUNDS, 0.1), around([0.1], 0.05)

KINDS = {
    "polyhedron": Kind(
        sr.Polyhedron(ROWS, BOUNDS), {"A": MATRIX, "b": RIGHT}, lambda A, b: sr.Polyhedron(A, b), searched=True
    ),
    "polyhedron_flat": Kind(
        sr.Polyhedron(ROWS, BOUNDS, EQUALITY, [0.1]),
        {"A": MATRIX, "b": RIGHT, "f": LEVEL},
        lambda A, b, f: sr.Polyhedron(A, b, EQUALITY, f),
        searched=True,
    ),
}


def _sample_rights(count, dim, dtype, rng):
    A, b = bounded_rows(dim, rng)
    own = (b * uniform((count, 4 * dim), rng, 0.7, 3.0)).to(dtype)
    return Samples(
        sr.Polyhedron(A, b).with_anchor(torch.zeros(dim, dtype=torch.float64)),
        {"b": own},
        each(lambda row: RowsJudge(A, row), own),
        anchored=True,
    )


def _sample_matrices(count, dim, dtype, rng):
    A, b = bounded_rows(dim, rng)
    own = (A + 0.2 * normal((count, *A.shape), rng)).to(dtype)
    judges = each(lambda matrix: RowsJudge(matrix, b), own)
    set = sr.Polyhedron(A, b).with_anchor(torch.full((dim,), 0.01, dtype=torch.float64))
    return Samples(set, {"A": own}, judges, anchored=True)


def _sample_polyhedra(count, dim, dtype, rng):
    """Without an anchor: the analytic centres are found."""
    samples = _sample_matrices(count, dim, dtype, rng)
    samples.anchored = False
    return samples


def _sample_levels(count, dim, dtype, rng):
    A, b = (data.to(dtype) for data in bounded_rows(dim, rng))
    E = normal((dim // 3, dim), rng, dtype)
    levels = uniform((count, dim // 3), rng, -0.02, 0.02, dtype)
    return Samples(
        sr.Polyhedron(A, b, E, [0.0] * (dim // 3)),
        {"f": levels},
        each(lambda f: RowsJudge(A, b, E, f), levels),
        anchors=sr.analytic_center(A.double(), b.double(), E.double(), levels.double())[0],
    )


WRONG_DATA = {
    "b: width": ("polyhedron", {"b": torch.ones(3)}, "b"),
    "A: width": ("polyhedron", {"A": torch.ones(len(ROWS), DIM + 1)}, "A"),
    "A: rows": ("polyhedron", {"A": torch.ones(len(ROWS) + 1, DIM)}, "A"),
    "A: batch": ("polyhedron", {"A": ROWS.expand(5, -1, -1), "anchor": torch.zeros(DIM)}, "A"),
    "A: batch, no anchor": ("polyhedron", {"A": ROWS.expand(5, -1, -1)}, "A"),
    "f without equalities": ("polyhedron", {"f": torch.ones(1)}, "f"),
    "f: width": ("polyhedron_flat", {"f": torch.ones(2)}, "f"),
}

LEARNED = {
    "polyhedron.A": (lambda p: sr.Polyhedron(p, BOUNDS), ROWS),
    "polyhedron.b": (lambda p: sr.Polyhedron(ROWS, p), BOUNDS),
    "polyhedron_sparse.b": (lambda p: sr.Polyhedron(ROWS.to_sparse(), p), BOUNDS),
    "polyhedron_flat.f": (lambda p: sr.Polyhedron(ROWS, BOUNDS, EQUALITY, p), [0.1]),
}
NOT_LEARNED = {
    "polyhedron.E": (lambda p: sr.Polyhedron(ROWS, BOUNDS, p, [0.1]), EQUALITY),
    "polyhedron_sparse.f": (lambda p: sr.Polyhedron(ROWS.to_sparse(), BOUNDS, EQUALITY, p), [0.1]),
}

FAMILY = Family(
    cases=CASES,
    bad=BAD,
    twins={"halfspace": Twin(halfspace, HALFSPACE, [0.1, 0.0, -0.2])},
    random={"polyhedron": _polyhedron, "polyhedron_flat": _flat_polyhedron},
    kinds=KINDS,
    samples={
        "b": _sample_rights,
        "A": _sample_matrices,
        "A_without_anchor": _sample_polyhedra,
        "f": _sample_levels,
    },
    wrong_data=WRONG_DATA,
    learned=LEARNED,
    not_learned=NOT_LEARNED,
    densities={"polygon": (POLYGON, 2.0)},
)
