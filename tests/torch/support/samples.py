"""Sets whose data may change from sample to sample, all in R^4, and calls of layers with such data."""

from dataclasses import dataclass
from typing import Any, Callable, Dict

import torch
from torch import Tensor

import softradial as sr
from support.inputs import uniform
from support.zoo import BOUNDS, ROWS, SHAPE

DIM = 4
EQUALITY = torch.tensor([[1.0, 1, 1, 1]], dtype=torch.float64)

Draw = Callable[[int, torch.Generator], Tensor]


def _around(values: Any, spread: float) -> Draw:
    """Data (rows, width) within `spread` of the values given."""
    values = torch.as_tensor(values, dtype=torch.float64)
    return lambda rows, rng: values + spread * uniform((rows, *values.shape), rng, -1, 1)


@dataclass(frozen=True)
class Kind:
    """A set, each piece of data that a sample may bring, and the set of one sample."""

    set: Any
    data: Dict[str, Draw]
    fixed: Callable[..., Any]


CAPS, SUM = _around([0.5, 0.6, 0.7, 0.5], 0.15), _around(1.0, 0.2)
MATRIX, RIGHT, LEVEL = _around(ROWS, 0.05), _around(BOUNDS, 0.1), _around([0.1], 0.05)
CENTER, RADIUS = _around([0.0] * DIM, 1.0), _around(1.0, 0.5)

KINDS = {
    "simplex": Kind(sr.Simplex(DIM), {"sum": SUM}, lambda sum: sr.Simplex(DIM, sum)),
    "capped_simplex": Kind(
        sr.CappedSimplex(DIM, 0.6), {"caps": CAPS, "sum": SUM}, lambda caps, sum: sr.CappedSimplex(DIM, caps, sum)
    ),
    "box": Kind(
        sr.Box([-1.0] * DIM, [1.0] * DIM),
        {"lower": _around([-1.0] * DIM, 0.5), "upper": _around([1.0] * DIM, 0.5)},
        lambda lower, upper: sr.Box(lower, upper),
    ),
    "polyhedron": Kind(
        sr.Polyhedron(ROWS, BOUNDS), {"A": MATRIX, "b": RIGHT}, lambda A, b: sr.Polyhedron(A, b)
    ),
    "polyhedron_flat": Kind(
        sr.Polyhedron(ROWS, BOUNDS, EQUALITY, [0.1]),
        {"A": MATRIX, "b": RIGHT, "f": LEVEL},
        lambda A, b, f: sr.Polyhedron(A, b, EQUALITY, f),
    ),
    "ball": Kind(
        sr.Ball([0.0] * DIM, 1.0), {"center": CENTER, "radius": RADIUS}, lambda center, radius: sr.Ball(center, radius)
    ),
    "ellipsoid": Kind(
        sr.Ellipsoid([0.0] * DIM, SHAPE), {"center": CENTER}, lambda center: sr.Ellipsoid(center, SHAPE)
    ),
}


def draw(kind: str, rows: int, rng: torch.Generator) -> Dict[str, Tensor]:
    """All data of a kind's samples."""
    return {name: make(rows, rng) for name, make in KINDS[kind].data.items()}


@dataclass(frozen=True)
class Call:
    """A set, and some of its data for each sample; what is not given comes from the set."""

    set: Any
    data: Dict[str, Draw]

    def draw(self, rows: int, rng: torch.Generator) -> Dict[str, Tensor]:
        return {name: make(rows, rng) for name, make in self.data.items()}


NEAR_THE_ORIGIN = _around([0.0] * DIM, 0.02)
SCALE = _around(1.5, 0.5)

# Calls that find the anchors of polyhedra, and calls that find nothing.
SEARCHING_CALLS = {
    f"{kind}.{name}": Call(KINDS[kind].set, {name: KINDS[kind].data[name]})
    for kind in ("polyhedron", "polyhedron_flat")
    for name in KINDS[kind].data
}
CLOSED_CALLS = {
    **{
        f"{kind}.{name}": Call(KINDS[kind].set, {name: KINDS[kind].data[name]})
        for kind in ("simplex", "capped_simplex", "box", "ball", "ellipsoid")
        for name in KINDS[kind].data
    },
    "polyhedron.A.anchor": Call(KINDS["polyhedron"].set, {"A": MATRIX, "anchor": NEAR_THE_ORIGIN}),
    "polyhedron.b.anchor": Call(KINDS["polyhedron"].set, {"b": RIGHT, "anchor": NEAR_THE_ORIGIN}),
    "ball.anchor": Call(KINDS["ball"].set, {"anchor": NEAR_THE_ORIGIN}),
    "simplex.scale": Call(KINDS["simplex"].set, {"scale": SCALE}),
    "ball.scale": Call(KINDS["ball"].set, {"scale": SCALE}),
}
CALLS = {**CLOSED_CALLS, **SEARCHING_CALLS}
