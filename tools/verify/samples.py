"""Sets whose data come with every row: what the PyTorch layers take as cap=, sum=, lower=, upper=, A=, b=, E=, f=, center=,
radius=, scale=, anchor= and others=, in ordinary and in awkward numbers. Each block of rows draws its own (families/).

`Samples.owed` marks the rows whose set has room for the precision beyond any doubt: a status there is wrong. Elsewhere a
status is a refusal, which is counted; what is not refused must be right.
"""
from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from families.arithmetic import Json
from families.draws import Kind, Samples, any_size, everywhere, thinnest
from families.table import dim_of, exact, normals
from judge import Judge
from subjects import TABLE, ordinary_subjects, set_text, subjects, unbounded_subjects

# The sum of the data of a sample is rounded as that of the anchor is; a fixed set's is computed in extended precision.
RESIDUAL_FACTOR = 2.0


def with_data(description: Json, data: Dict[str, Any]) -> Json:
    """The set with other numbers: "b", or "1.b" for the second part of an intersection."""
    if "sets" not in description:
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
        return self._in(exact(self.description_of(row), self.dim), x, row)

    def inside(self, x: np.ndarray) -> np.ndarray:
        good = super().inside(x)
        for lower, upper in self._sides():
            good &= ((lower != upper) | (x == lower)).all(1)
        return good

    def _sides(self) -> List[Any]:
        if "lower" in self.data:
            return [(self.data["lower"], self.data["upper"])]
        return [(np.zeros_like(self.data["cap"]), self.data["cap"])] if "cap" in self.data else []


# --------------------------------------------------------------------------------------------------------- scales, anchors


# Scaled, or seen from any of their points, besides those of ordinary size and condition.
AWKWARD = ("capped_masked", "capped_barely", "polyhedron_thin", "ball_far")
# x grows with u along a direction in which the set does not end, and the derivative in the scale is made of numbers of the
# size of u times 1 / scale, whose sum is of the size of u.
UNBOUNDED = unbounded_subjects()


def scaled(random: np.random.Generator, count: int, dtype: type, name: str, description: Json) -> Samples:
    scale: np.ndarray = any_size(random, count, dtype).astype(dtype)
    if name in UNBOUNDED:
        scale = (10 ** random.uniform(-3, 3, count)).astype(dtype)
    center = np.zeros((count, dim_of(description)))
    return Samples(description, {"scale": scale}, center, scale.astype(float), everywhere(count), normals(description))


def anchored(random: np.random.Generator, count: int, dtype: type, surface: Any, description: Json) -> Samples:
    """Interior points, from the middle of the set to less than an ulp from its boundary."""
    n = dim_of(description)
    hard = surface.layer("HardRadial", surface.parse_set(set_text(description)))
    own = np.asarray(hard.anchor, dtype=float)
    point = hard(own + random.normal(size=(count, n)) * 10 ** random.uniform(-2, 6, (count, 1)))
    middle = random.random((count, 1)) < 0.5
    share = np.where(middle, random.uniform(0, 0.9, (count, 1)), 1 - 10 ** random.uniform(thinnest(dtype), 0, (count, 1)))
    point = (own + share * (point - own)).astype(dtype)
    return Samples(description, {"anchor": point}, point.astype(float), np.ones(count), np.zeros(count, dtype=bool),
                   normals(description))


def orthogonal_kinds() -> List[str]:
    """The data that the soft orthogonal layer takes, with gradients to all of them."""
    return [name for kind in TABLE.values() for name in kind.orthogonal]


def kinds() -> Dict[str, Kind]:
    found = {name: samples for kind in TABLE.values() for name, samples in kind.samples.items()}
    every = subjects()
    for name, description in {**ordinary_subjects(), **{name: every[name] for name in AWKWARD}}.items():
        found[f"scale_{name}"] = lambda r, k, t, _, n=name, d=description: scaled(r, k, t, n, d)  # type: ignore[misc]
        found[f"anchor_{name}"] = lambda r, k, t, s, d=description: anchored(r, k, t, s, d)  # type: ignore[misc]
    return found
