"""Sets whose data may change from sample to sample, all in R^4, and calls of layers with such data."""

from dataclasses import dataclass
from typing import Any, Dict

import torch
from torch import Tensor

from support.case import DIM, Draw, Kind, around
from support.sets import gather

KINDS: Dict[str, Kind] = gather("kinds")


def draw(kind: str, rows: int, rng: torch.Generator) -> Dict[str, Tensor]:
    """All data of a kind's samples."""
    return {name: make(rows, rng) for name, make in KINDS[kind].data.items()}


@dataclass(frozen=True)
class Call:
    """A set, and some of its data for each sample; what is not given comes from the set."""

    set: Any
    data: Dict[str, Draw]
    bitwise: bool = True

    def draw(self, rows: int, rng: torch.Generator) -> Dict[str, Tensor]:
        return {name: make(rows, rng) for name, make in self.data.items()}


def _calls(searched: bool) -> Dict[str, Call]:
    return {
        f"{name}.{datum}": Call(kind.set, {datum: kind.data[datum]}, kind.bitwise)
        for name, kind in KINDS.items()
        if kind.searched == searched
        for datum in kind.data
    }


def _with(kind: str, *data: str, **more: Draw) -> Call:
    return Call(KINDS[kind].set, {**{name: KINDS[kind].data[name] for name in data}, **more})


NEAR_THE_ORIGIN = around([0.0] * DIM, 0.02)
SCALE = around(1.5, 0.5)

# Calls that find the anchors of polyhedra, and calls that find nothing.
SEARCHING_CALLS = _calls(searched=True)
CLOSED_CALLS = {
    **_calls(searched=False),
    "polyhedron.A.anchor": _with("polyhedron", "A", anchor=NEAR_THE_ORIGIN),
    "polyhedron.b.anchor": _with("polyhedron", "b", anchor=NEAR_THE_ORIGIN),
    "ball.anchor": _with("ball", anchor=NEAR_THE_ORIGIN),
    "simplex.scale": _with("simplex", scale=SCALE),
    "ball.scale": _with("ball", scale=SCALE),
}
CALLS = {**CLOSED_CALLS, **SEARCHING_CALLS}
