"""Sets made of sets: intersections, products, affine preimages, multiples."""

from typing import Any, Tuple

import numpy
import torch

import softradial as sr
from support.case import DIM, Case, Family, matrix
from support.judge import Judge, exact
from support.sets.coordinates import CoordinatesJudge, capped_simplex_judge, simplex_judge
from support.sets.quadratics import BallJudge

NAN = float("nan")


class IntersectionJudge(Judge):
    def __init__(self, *parts: Judge) -> None:
        self.parts = parts

    def slacks(self, x):
        return [s for part in self.parts for s in part.slacks(x)]

    def residuals(self, x, u0):
        return [r for part in self.parts for r in part.residuals(x, u0)]


class ProductJudge(Judge):
    """parts: (judge, dim) pairs"""

    def __init__(self, *parts: Tuple[Judge, int]) -> None:
        ends = numpy.cumsum([dim for _, dim in parts]).tolist()
        self.parts = [(judge, slice(end - dim, end)) for (judge, dim), end in zip(parts, ends)]

    def slacks(self, x):
        return [s for judge, block in self.parts for s in judge.slacks(x[block])]

    def residuals(self, x, u0):
        return [r for judge, block in self.parts for r in judge.residuals(x[block], u0[block])]


class PreimageJudge(Judge):
    """A x + b in the part"""

    def __init__(self, part: Judge, A: Any, b: Any) -> None:
        self.part, self.A, self.b = part, exact(A), exact(b)

    def slacks(self, x):
        return self.part.slacks(self.A.dot(x) + self.b)

    def residuals(self, x, u0):
        return self.part.residuals(self.A.dot(x) + self.b, self.A.dot(u0) + self.b)


class ScaledJudge(Judge):
    """x / factor in the part"""

    def __init__(self, part: Judge, factor: Any) -> None:
        self.part, self.factor = part, exact(factor)[()]

    def slacks(self, x):
        return self.part.slacks(x / self.factor)

    def residuals(self, x, u0):
        return self.part.residuals(x / self.factor, u0 / self.factor)


CUBE, BALL = ([-1.0] * 3, [1.0] * 3), ([0.1, 0.0, -0.1], 1.2)
PREIMAGE = matrix(3, 2, 20)

CASES = [
    Case(
        "intersection",
        sr.Intersection(sr.Box(*CUBE), sr.Ball(*BALL)),
        IntersectionJudge(CoordinatesJudge(*CUBE), BallJudge(*BALL)),
    ),
    Case(
        "product",
        sr.Product(sr.Simplex(3), sr.Ball([0.0, 0.5], 1.0)),
        ProductJudge((simplex_judge(3), 3), (BallJudge([0.0, 0.5], 1.0), 2)),
    ),
    Case(
        "affine_preimage",
        sr.AffinePreimage(sr.Ball([0.0, 0, 0], 1.0), PREIMAGE, [0.1, 0, 0]),
        PreimageJudge(BallJudge([0.0, 0, 0], 1.0), PREIMAGE, [0.1, 0, 0]),
        bitwise=False,
    ),
    Case("scaled", sr.Scaled(sr.CappedSimplex(5, 0.4), 3.0), ScaledJudge(capped_simplex_judge(5, 0.4), 3.0)),
]

BAD = {
    "scaled: factor -1": (lambda: sr.Scaled(sr.Simplex(3), -1), "factor is -1"),
    "scaled: factor nan": (lambda: sr.Scaled(sr.Simplex(3), NAN), "factor is nan"),
    "intersection: nothing": (lambda: sr.Intersection(), "no sets"),
    "intersection: dimensions": (lambda: sr.Intersection(sr.Simplex(3), sr.Simplex(2)), r"sets\[1\] has dimension 2"),
    "product: nothing": (lambda: sr.Product(), "no sets"),
    "affine_preimage: shapes": (lambda: sr.AffinePreimage(sr.Simplex(3), [[1.0, 0]], [0.0]), "affine_preimage|A"),
}

NOT_LEARNED = {
    "affine_preimage.b": (lambda p: sr.AffinePreimage(sr.Ball([0.0] * 2, 1.0), [[1.0, 0], [0, 2]], p), [0.1, 0.2]),
    "scaled.center": (lambda p: sr.Scaled(sr.Ball(p, 1.0), 2.0), [0.0] * DIM),
    "product.center": (lambda p: sr.Product(sr.Ball(p, 1.0), sr.Simplex(2)), [0.0] * DIM),
    "intersection.center": (lambda p: sr.Intersection(sr.Ball(p, 1.0), sr.Ball([0.5] * DIM, 1.0)), [0.0] * DIM),
}

COMBINES = {
    "intersection": lambda part: sr.Intersection(part, sr.Simplex(3)),
    "product": lambda part: sr.Product(part),
    "scaled": lambda part: sr.Scaled(part, 2.0),
    "affine_preimage": lambda part: sr.AffinePreimage(part, torch.eye(3), [0.0, 0.0, 0.0]),
}

FAMILY = Family(cases=CASES, bad=BAD, combines=COMBINES, not_learned=NOT_LEARNED)
