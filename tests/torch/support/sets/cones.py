"""Cones and linear matrix inequalities."""

from typing import Any

import torch

import softradial as sr
from support.case import Case, Family, Twin
from support.inputs import normal
from support.judge import Judge, exact
from support.subjects import subject_case


class ConeJudge(Judge):
    """|Mx + s| <= c.x + e"""

    def __init__(self, M: Any, s: Any, c: Any, e: Any) -> None:
        self.M, self.s, self.c, self.e = exact(M), exact(s), exact(c), exact(e)[()]

    def slacks(self, x):
        image, height = self.M.dot(x) + self.s, self.c.dot(x) + self.e
        return [height, height**2 - image.dot(image)]


CONE = dict(M=[[1.0, 0.2, 0], [0, 0.7, 0.1]], s=[0.1, -0.3], c=[0.2, 0.1, 0.9], e=0.5)

CASES = [
    Case(
        "second_order_cone", sr.SecondOrderCone(**CONE), ConeJudge(**CONE), bitwise=False, rays=([0.0, 0, 1],)
    ),
    subject_case("exponential_cone_slanted"),
    subject_case("power_cone_slanted"),
    # No ONNX operator finds eigenvalues.
    subject_case("lmi_3", onnx=False),
]

BAD = {
    "second_order_cone: lengths": (lambda: sr.SecondOrderCone([[1.0, 0]], [0.0, 1], [1.0, 0], 1), "s.*(1|2)"),
    "exponential_cone: rows": (lambda: sr.ExponentialCone([[1.0]], [1.0]), "M has 1 rows, not 3"),
    "power_cone: alpha": (lambda: sr.PowerCone([[1.0], [1], [0]], [1.0, 1, 0], 1.5), "alpha is 1.5"),
    "matrices: one": (lambda: sr.Lmi([[[1.0]]]), "F has 1 matrices"),
    "matrices: not symmetric": (lambda: sr.Lmi([[[1.0, 2], [3, 4]], [[1.0, 0], [0, 1]]]), r"symmetric|F\[0\]"),
}

DATA = {name: torch.tensor(values, dtype=torch.float64) for name, values in CONE.items()}


def cone(x):
    data = {name: values.to(x) for name, values in DATA.items()}
    return (x @ data["M"].T + data["s"]).norm(dim=-1) - x @ data["c"] - data["e"]


def _cone(dim, rng):
    data = dict(M=normal((dim - 1, dim), rng), s=normal((dim - 1,), rng), c=normal((dim,), rng), e=5.0)
    return sr.SecondOrderCone(**data), ConeJudge(**data)


def _curved(draws, n):
    s, c = 0.3 * draws(4, seed=67), 0.1 * draws(n, seed=68)
    return [sr.SecondOrderCone(draws(4, n, seed=64 + j), s, c, 3.0 + j) for j in range(3)]


def _others(draws, n, count):
    M = draws(3, n, seed=83)
    data = {"s": 0.2 * draws(count, 3, seed=84), "c": 0.1 * draws(count, n, seed=85)}
    data["e"] = 1 + torch.arange(count, dtype=torch.float64)
    return data, lambda s, c, e: sr.SecondOrderCone(M, s, c, float(e))


FAMILY = Family(
    cases=CASES,
    bad=BAD,
    twins={
        "cone": Twin(
            cone, sr.SecondOrderCone(**CONE), torch.tensor([0.1, 0.2, 1.0], dtype=torch.float64), smooth=True
        )
    },
    random={"second_order_cone": _cone},
    curved={"cones": _curved},
    others={"cone": _others},
    not_learned={
        "second_order_cone.s": (lambda p: sr.SecondOrderCone([[1.0, 0, 0]], p, [0.0, 0, 1], 1.0), [0.1]),
    },
)
