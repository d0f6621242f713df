"""Cones and linear matrix inequalities."""

from decimal import Decimal, localcontext
from typing import Any

import numpy
import torch

import softradial as sr
from support.case import Case, Family, Twin, matrix
from support.inputs import normal
from support.judge import DIGITS, Judge, decimals, exact


class ConeJudge(Judge):
    """|Mx + s| <= c.x + e"""

    def __init__(self, M: Any, s: Any, c: Any, e: Any) -> None:
        self.M, self.s, self.c, self.e = exact(M), exact(s), exact(c), exact(e)[()]

    def slacks(self, x):
        image, height = self.M.dot(x) + self.s, self.c.dot(x) + self.e
        return [height, height**2 - image.dot(image)]


class ExponentialConeJudge(Judge):
    """b exp(a / b) <= c for (a, b, c) = Mx + s"""

    def __init__(self, M: Any, s: Any) -> None:
        self.M, self.s = exact(M), exact(s)

    def slacks(self, x):
        image = self.M.dot(x) + self.s
        if image[1] <= 0:
            return [image[1]]
        with localcontext() as context:
            context.prec = DIGITS
            a, b, c = decimals(image)
            return [b, c - b * (a / b).exp()]


class PowerConeJudge(Judge):
    """|c| <= a^alpha b^(1 - alpha) for (a, b, c) = Mx + s"""

    def __init__(self, M: Any, s: Any, alpha: float) -> None:
        self.M, self.s, self.alpha = exact(M), exact(s), alpha

    def slacks(self, x):
        image = self.M.dot(x) + self.s
        if min(image[:2]) <= 0:
            return [min(image[:2])]
        with localcontext() as context:
            context.prec = DIGITS
            a, b, c = decimals(image)
            alpha = Decimal(self.alpha)
            return [a, b, (alpha * a.ln() + (1 - alpha) * b.ln()).exp() - abs(c)]


class LmiJudge(Judge):
    """F[0] + sum_i x_i F[i] positive definite: all leading minors are positive"""

    def __init__(self, F: Any) -> None:
        self.F = exact(F)

    def slacks(self, x):
        matrix = self.F[0] + sum(xi * Fi for xi, Fi in zip(x, self.F[1:]))
        pivots = []
        for k in range(len(matrix)):
            pivots.append(matrix[k, k])
            if pivots[-1] <= 0:
                break
            below = matrix[k + 1 :, k] / matrix[k, k]
            matrix[k + 1 :, k + 1 :] = matrix[k + 1 :, k + 1 :] - numpy.outer(below, matrix[k, k + 1 :])
        return pivots


CONE = dict(M=[[1.0, 0.2, 0], [0, 0.7, 0.1]], s=[0.1, -0.3], c=[0.2, 0.1, 0.9], e=0.5)
IMAGE = [[0.3, 0.1, -0.1, 0.05], [0, 0.7, 0.1, 0.2], [0.3, 0, 0.9, -0.4]]
MATRICES = torch.stack([matrix(3, 3, seed) for seed in range(10, 14)])
MATRICES = (MATRICES + MATRICES.transpose(1, 2)) / 2
MATRICES[0] = 3 * torch.eye(3, dtype=torch.float64)

CASES = [
    Case(
        "second_order_cone", sr.SecondOrderCone(**CONE), ConeJudge(**CONE), bitwise=False, rays=([0.0, 0, 1],)
    ),
    Case(
        "exponential_cone",
        sr.ExponentialCone(IMAGE, [0.1, 0.5, 1.5]),
        ExponentialConeJudge(IMAGE, [0.1, 0.5, 1.5]),
        bitwise=False,
    ),
    Case(
        "power_cone",
        sr.PowerCone(IMAGE, [1.0, 0.5, 0.1], 0.3),
        PowerConeJudge(IMAGE, [1.0, 0.5, 0.1], 0.3),
        bitwise=False,
    ),
    # No ONNX operator finds eigenvalues.
    Case("lmi", sr.Lmi(MATRICES), LmiJudge(MATRICES), bitwise=False, onnx=False),
]

BAD = {
    "second_order_cone: lengths": (lambda: sr.SecondOrderCone([[1.0, 0]], [0.0, 1], [1.0, 0], 1), "s.*(1|2)"),
    "exponential_cone: rows": (lambda: sr.ExponentialCone([[1.0]], [1.0]), "M has 1 rows, not 3"),
    "power_cone: alpha": (lambda: sr.PowerCone([[1.0], [1], [0]], [1.0, 1, 0], 1.5), "alpha is 1.5"),
    "lmi: one matrix": (lambda: sr.Lmi([[[1.0]]]), "F has 1 matrices"),
    "lmi: not symmetric": (lambda: sr.Lmi([[[1.0, 2], [3, 4]], [[1.0, 0], [0, 1]]]), r"symmetric|F\[0\]"),
}

DATA = {name: torch.tensor(values, dtype=torch.float64) for name, values in CONE.items()}


def cone(x):
    data = {name: values.to(x) for name, values in DATA.items()}
    return (x @ data["M"].T + data["s"]).norm(dim=-1) - x @ data["c"] - data["e"]


def _cone(dim, rng):
    data = dict(M=normal((dim - 1, dim), rng), s=normal((dim - 1,), rng), c=normal((dim,), rng), e=5.0)
    return sr.SecondOrderCone(**data), ConeJudge(**data)


FAMILY = Family(
    cases=CASES,
    bad=BAD,
    twins={
        "cone": Twin(
            cone, sr.SecondOrderCone(**CONE), torch.tensor([0.1, 0.2, 1.0], dtype=torch.float64), smooth=True
        )
    },
    random={"second_order_cone": _cone},
    not_learned={
        "second_order_cone.s": (lambda p: sr.SecondOrderCone([[1.0, 0, 0]], p, [0.0, 0, 1], 1.0), [0.1]),
    },
)
