"""Data that come with every row: what the families draw them with."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict

import numpy as np

from families.arithmetic import Json


@dataclass
class Samples:
    """Rows of data for a set: all arrays have an axis of rows in front."""

    description: Json  # the layer's own set
    data: Dict[str, np.ndarray]  # as they are given, in the precision of the rows
    center: np.ndarray  # a point of each sample's set or near it, where its rows are seen from
    unit: np.ndarray  # the size of each sample's set
    owed: np.ndarray  # which rows' sets have room for the precision beyond any doubt: a status there is wrong
    facets: np.ndarray


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
