"""One entry for every type of set: what the campaign knows of it. A family's module lists its entries as TYPES; the
functions below look them up, and no other file of the campaign names a type.

A description is a dict as SET.json has it. Its numbers may have an axis of rows in front: then every point has a set of its
own (samples.py).
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

import numpy as np

from families.arithmetic import Equality, Exact, Exit, Filter, Json, Vector
from families.draws import Kind


def nothing(*_: Any) -> Iterator[Any]:
    return iter(())


@dataclass(frozen=True)
class SetType:
    """`n` is the dimension of the points."""

    name: str
    dim: Callable[[Json], int]
    # (description, n) -> the slacks of a point, exactly.
    exact: Callable[[Json, int], Exact]
    # (description, n) -> filters; without any, every row goes to the exact judgement.
    filters: Callable[[Json, int], Iterable[Filter]] = nothing
    equalities: Callable[[Json, int], Iterable[Equality]] = nothing
    # (description, at, d) -> where the ray at + t d leaves each inequality, in 60 digits. None: there is no reference.
    exits: Optional[Callable[[Json, Vector, Vector], Iterable[Exit]]] = None
    # Rows of ordinary size and condition, which are compared with the reference; and all others.
    ordinary: Dict[str, Json] = field(default_factory=dict)
    awkward: Dict[str, Json] = field(default_factory=dict)
    # Those of the ordinary ones that do not end in some direction.
    unbounded: Iterable[str] = ()
    # Sets of R^3 of any size: tests/c_abi/test_ends_of_range.py. And one of any dimension, whose data are no longer than
    # that.
    sized: Dict[str, Callable[[float], Json]] = field(default_factory=dict)
    long: Optional[Callable[[int], Json]] = None
    # Data that come with every row, by the names of their cases.
    samples: Dict[str, Kind] = field(default_factory=dict)
    # Those of them that the soft orthogonal layer takes, with gradients.
    orthogonal: Iterable[str] = ()
    # Bounds for every coordinate, and perhaps a sum: the mirror map takes it.
    coordinates: bool = False
    # Directions straight at facets.
    normals: Optional[Callable[[Json], np.ndarray]] = None
    # The anchor of a sample in closed form, and the smallest width of its set.
    anchor: Optional[Callable[[Json], Vector]] = None
    thickness: Optional[Callable[[Json], float]] = None
    # The descriptions inside of a description.
    parts: Callable[[Json], List[Json]] = lambda description: []


TABLE: Dict[str, SetType] = {}


def type_of(description: Json) -> SetType:
    if description["type"] not in TABLE:
        raise ValueError(f"no family knows the type {description['type']}")
    return TABLE[description["type"]]


def dim_of(description: Json) -> int:
    return type_of(description).dim(description)


def filters(description: Json, n: int) -> List[Filter]:
    return list(type_of(description).filters(description, n))


def exact(description: Json, n: int) -> Exact:
    return type_of(description).exact(description, n)


def equalities(description: Json, n: int) -> List[Equality]:
    return list(type_of(description).equalities(description, n))


def exits(description: Json, at: Vector, d: Vector) -> List[Exit]:
    find = type_of(description).exits
    if find is None:
        raise ValueError(f"there is no reference for {description['type']}")
    return list(find(description, at, d))


def has_exits(description: Json) -> bool:
    kind = type_of(description)
    return kind.exits is not None and all(has_exits(part) for part in kind.parts(description))


def has_filters(description: Json) -> bool:
    """Of itself and of all inside of it: what the others prove does not suffice."""
    kind = type_of(description)
    return kind.filters is not nothing and all(has_filters(part) for part in kind.parts(description))


def normals(description: Json) -> np.ndarray:
    """Directions straight at facets: rows of the linear inequalities; the axes where there are none."""
    find = type_of(description).normals
    if find is not None:
        return find(description)
    n = dim_of(description)
    return np.eye(min(n, 64), n)


def contents(description: Json) -> Iterator[Json]:
    """A description and all inside of it."""
    yield description
    for part in type_of(description).parts(description):
        yield from contents(part)
