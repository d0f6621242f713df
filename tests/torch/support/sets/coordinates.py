"""Boxes and simplices: bounds for every coordinate, and perhaps a sum."""

from typing import Any, Optional

import numpy
import torch

import softradial as sr
from support.case import DIM, Case, Family, Kind, Samples, around, each
from support.inputs import normal, uniform
from support.judge import Judge, Residual, exact

NAN, INF = float("nan"), float("inf")


class CoordinatesJudge(Judge):
    """lower <= x <= upper, sum(x) = total. A coordinate with lower = upper has that value and no other."""

    def __init__(self, lower: Any, upper: Any, total: Optional[Any] = None) -> None:
        self.lower, self.upper = exact(lower), exact(upper)
        self.total = None if total is None else exact(total)[()]

    def slacks(self, x):
        fixed = self.lower == self.upper
        off = [-abs(v - value) for v, value in zip(x[fixed], self.lower[fixed]) if v != value]
        return off + list((x - self.lower)[~fixed]) + list((self.upper - x)[~fixed])

    def residuals(self, x, u0):
        if self.total is None:
            return []
        return [Residual(abs(sum(x) - self.total), sum(abs(x) + abs(u0)) + abs(self.total))]


def simplex_judge(dim: int, total: Any = 1.0) -> Judge:
    return CoordinatesJudge(numpy.zeros(dim), numpy.full(dim, numpy.inf), total)


def capped_simplex_judge(dim: int, cap: Any, total: Any = 1.0) -> Judge:
    return CoordinatesJudge(numpy.zeros(dim), torch.as_tensor(cap, dtype=torch.float64).expand(dim), total)


CAPS = [0.4, 0.3, 0.7, 0.2, 0.05]
LOWER, UPPER = [-1.0, 0.05, 10.0], [2.0, 0.1, 10.5]
OPEN_LOWER, OPEN_UPPER = [-INF, 0.0, -INF, 0.3], [1.0, INF, INF, 0.7]

CASES = [
    Case("simplex", sr.Simplex(5), simplex_judge(5)),
    Case("simplex_sum", sr.Simplex(3, 2.7), simplex_judge(3, 2.7)),
    Case("capped_simplex", sr.CappedSimplex(6, 0.3), capped_simplex_judge(6, 0.3)),
    Case("capped_simplex_caps", sr.CappedSimplex(5, CAPS), capped_simplex_judge(5, CAPS)),
    Case("box", sr.Box(LOWER, UPPER), CoordinatesJudge(LOWER, UPPER)),
    Case(
        "box_open",
        sr.Box(OPEN_LOWER, OPEN_UPPER),
        CoordinatesJudge(OPEN_LOWER, OPEN_UPPER),
        rays=([0.0, 1, 0, 0], [-1.0, 1, 5, 0]),
    ),
]

BAD = {
    "simplex: dim 0": (lambda: sr.Simplex(0), "simplex.*0"),
    "simplex: dim -1": (lambda: sr.Simplex(-1), "-1"),
    "simplex: sum -1": (lambda: sr.Simplex(3, -1), "sum is -1"),
    "simplex: sum 0": (lambda: sr.Simplex(3, 0), "sum is 0"),
    "simplex: sum nan": (lambda: sr.Simplex(3, NAN), "sum is nan"),
    "simplex: sum inf": (lambda: sr.Simplex(3, INF), "sum is inf"),
    "capped_simplex: caps below the sum": (lambda: sr.CappedSimplex(4, 0.2), "0.8.*1"),
    "capped_simplex: negative cap": (lambda: sr.CappedSimplex(3, [1.0, -0.5, 1.0]), "cap.*-0.5"),
    "capped_simplex: nan cap": (lambda: sr.CappedSimplex(3, [1.0, NAN, 1.0]), "cap.*nan"),
    "capped_simplex: shape": (lambda: sr.CappedSimplex(3, [1.0, 1.0]), "cap: expected 3 numbers, got 2"),
    "box: crossed": (lambda: sr.Box([0.0, 2.0], [1.0, 1.0]), "1 is 2.*1"),
    "box: lengths": (lambda: sr.Box([0.0, 0.0], [1.0]), "box.*(1|2)"),
    "box: nan": (lambda: sr.Box([NAN], [1.0]), "nan"),
    "box: matrix": (lambda: sr.Box([[0.0]], [1.0]), r"lower: expected 1 dimension, got shape \(1, 1\)"),
}


# ---------------------------------------------------------------------------------------------------------- random sets


def _capped(dim, rng):
    cap = 1.37 / dim
    return sr.CappedSimplex(dim, cap), capped_simplex_judge(dim, cap)


def _own_caps(dim, rng):
    caps = uniform((dim,), rng, 1.05 / dim, 3.0 / dim)
    return sr.CappedSimplex(dim, caps), capped_simplex_judge(dim, caps)


def _simplex(dim, rng):
    return sr.Simplex(dim, 0.7), simplex_judge(dim, 0.7)


def _box(dim, rng):
    lower = normal((dim,), rng, scale=10)
    upper = lower + 10 ** uniform((dim,), rng, -3, 2)
    return sr.Box(lower, upper), CoordinatesJudge(lower, upper)


RANDOM = {"capped_simplex": _capped, "capped_simplex_caps": _own_caps, "simplex": _simplex, "box": _box}


# ------------------------------------------------------------------------------------------------ a set for each sample


SUM, OWN_CAPS = around(1.0, 0.2), around([0.5, 0.6, 0.7, 0.5], 0.15)

KINDS = {
    "simplex": Kind(sr.Simplex(DIM), {"sum": SUM}, lambda sum: sr.Simplex(DIM, sum)),
    "capped_simplex": Kind(
        sr.CappedSimplex(DIM, 0.6), {"cap": OWN_CAPS, "sum": SUM}, lambda cap, sum: sr.CappedSimplex(DIM, cap, sum)
    ),
    "box": Kind(
        sr.Box([-1.0] * DIM, [1.0] * DIM),
        {"lower": around([-1.0] * DIM, 0.5), "upper": around([1.0] * DIM, 0.5)},
        lambda lower, upper: sr.Box(lower, upper),
    ),
}


def _sample_caps(count, dim, dtype, rng):
    caps = uniform((count, dim), rng, 1.05 / dim, 3.0 / dim, dtype)
    return Samples(sr.CappedSimplex(dim, 0.9), {"cap": caps}, each(lambda c: capped_simplex_judge(dim, c), caps))


def _sample_sums(count, dim, dtype, rng):
    sums = (10 ** uniform((count,), rng, -3, 3)).to(dtype)
    return Samples(sr.Simplex(dim), {"sum": sums}, each(lambda s: simplex_judge(dim, s), sums))


def _sample_caps_and_sums(count, dim, dtype, rng):
    sums = (10 ** uniform((count,), rng, -3, 3)).to(dtype)
    caps = (uniform((count, dim), rng, 1.05 / dim, 3.0 / dim) * sums.double().unsqueeze(-1)).to(dtype)
    judges = each(lambda c, s: capped_simplex_judge(dim, c, s), caps, sums)
    return Samples(sr.CappedSimplex(dim, 0.9), {"cap": caps, "sum": sums}, judges)


def _sample_boxes(count, dim, dtype, rng):
    lower = normal((count, dim), rng, dtype, scale=10)
    upper = (lower + 10 ** uniform((count, dim), rng, -2, 2)).to(dtype)
    judges = each(CoordinatesJudge, lower, upper)
    return Samples(sr.Box([0.0] * dim, [1.0] * dim), {"lower": lower, "upper": upper}, judges)


WRONG_DATA = {
    "cap: width": ("capped_simplex", {"cap": torch.ones(3)}, "cap"),
    "cap: batch": ("capped_simplex", {"cap": torch.ones(4, DIM)}, "cap"),
    "cap on a box": ("box", {"cap": torch.ones(DIM)}, "cap"),
    "upper on a capped simplex": ("capped_simplex", {"upper": torch.ones(DIM)}, "upper"),
    "sum: batch": ("capped_simplex", {"sum": torch.ones(3)}, "sum"),
    "lower on a simplex": ("capped_simplex", {"lower": torch.zeros(DIM)}, "lower"),
    "radius on a box": ("box", {"radius": torch.tensor(1.0)}, "radius"),
    "sum on a box": ("box", {"sum": torch.tensor(1.0)}, "sum"),
    "upper: width": ("box", {"upper": torch.ones(DIM + 1)}, "upper"),
}

LEARNED = {
    "capped_simplex.cap": (lambda p: sr.CappedSimplex(DIM, p), [0.5, 0.6, 0.7, 0.5]),
    "box.lower": (lambda p: sr.Box(p, [2.0] * DIM), [-0.5] * DIM),
    "box.upper": (lambda p: sr.Box([-2.0] * DIM, p), [0.5] * DIM),
}
NOT_LEARNED = {
    "simplex.sum": (lambda p: sr.Simplex(DIM, p), 1.0),
    "capped_simplex.sum": (lambda p: sr.CappedSimplex(DIM, 0.6, p), 1.0),
}

FAMILY = Family(
    cases=CASES,
    bad=BAD,
    random=RANDOM,
    kinds=KINDS,
    samples={
        "caps": _sample_caps,
        "sum": _sample_sums,
        "caps_and_sum": _sample_caps_and_sums,
        "box": _sample_boxes,
    },
    wrong_data=WRONG_DATA,
    learned=LEARNED,
    not_learned=NOT_LEARNED,
    densities={"simplex": (sr.Simplex(3), 1.0), "box": (sr.Box([0.0, -1.0, 2.0], [1.0, 0.5, 2.7]), 0.8)},
)
