"""Sets of ./dev verify as cases of these tests, with its judge (tools/verify/families)."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, Iterable, List

import numpy as np

import softradial as sr
from support.case import Case
from support.judge import Judge, Residual

sys.path.append(str(Path(__file__).resolve().parents[3] / "tools" / "verify"))
from families.table import dim_of, equalities, exact  # noqa: E402
from subjects import TABLE, set_text, subjects  # noqa: E402


def fraction(value: Any) -> Fraction:
    return Fraction(*np.longdouble(value).as_integer_ratio())


class SubjectJudge(Judge):
    def __init__(self, description: dict) -> None:
        n = dim_of(description)
        self.exact = exact(description, n)
        self.rows = [
            ([fraction(v) for v in equality.row], [fraction(v) for v in equality.weights], fraction(equality.bound),
             fraction(equality.size))
            for equality in equalities(description, n)
        ]

    def slacks(self, x):
        return [Fraction(slack) for slack in self.exact(list(x))]

    def residuals(self, x, u0):
        sizes = abs(x) + abs(u0)
        product = lambda row, values: sum(a * v for a, v in zip(row, values))
        return [
            Residual(abs(product(row, x) - bound), product(weights, sizes) + abs(bound) + size)
            for row, weights, bound, size in self.rows
        ]


def subject_set(name: str) -> sr.Set:
    return sr.parse_set(set_text(subjects()[name]))


def subject_case(name: str, **more: Any) -> Case:
    return Case(name, subject_set(name), SubjectJudge(subjects()[name]), **{"bitwise": False, **more})


def missing_cases(cases: Iterable[Case]) -> List[Case]:
    """One for every type that none of the cases has."""
    present = {json.loads(case.set.to_json())["type"] for case in cases}
    return [subject_case(next(iter(kind.ordinary))) for kind in TABLE.values() if kind.name not in present]
