"""Membership in exact arithmetic, from a set's data as they were given and independently of the library.

A judge mirrors a constructor of softradial.sets and stands beside its cases in support/sets. Points are object arrays of
Fraction: the binary values of a tensor's numbers. Slacks are Fraction, or Decimal with 80 digits where the set has
logarithms or powers in it.

    slacks(x)           all must be positive
    residuals(x, u0)    of the equalities, each with the sum of the absolute terms in it, those of the anchor u0
                        included: x = u0 + phi d cannot be closer to the hull than the anchor is
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, List, Optional, Sequence, Union

import numpy
import torch

DIGITS = 80


def exact(values: Any) -> numpy.ndarray:
    """Numbers of any shape as an array of Fraction; infinities stay floats, which compare as they should."""
    numbers = torch.as_tensor(values, dtype=torch.float64).detach().numpy()
    flat = [Fraction(v) if numpy.isfinite(v) else v for v in numbers.ravel().tolist()]
    out = numpy.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(numbers.shape)


def decimals(x: numpy.ndarray) -> List[Decimal]:
    return [Decimal(v.numerator) / Decimal(v.denominator) for v in x]


@dataclass(frozen=True)
class Residual:
    value: Fraction
    size: Fraction


class Judge:
    def slacks(self, x: numpy.ndarray) -> Sequence[Any]:
        return []

    def residuals(self, x: numpy.ndarray, u0: numpy.ndarray) -> Sequence[Residual]:
        return []


# Residuals stay below this many ulp of the terms' sum, times the dimension: one for the equality of the anchor, one for
# that of the direction, one for the rounding of x, one to spare.
RESIDUAL_ULPS = 4


def ulp(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).eps


def judge_row(judge: Judge, row: torch.Tensor, anchor: torch.Tensor) -> Optional[str]:
    """What is wrong with one point, or None."""
    if not bool(torch.isfinite(row).all()):
        return f"not finite: {row.tolist()}"
    x = exact(row)
    slack = min(judge.slacks(x), default=1)
    if not slack > 0:
        return f"slack {float(slack):.3e} at {row.tolist()}"
    for residual in judge.residuals(x, exact(anchor)):
        if residual.value > RESIDUAL_ULPS * ulp(row.dtype) * len(x) * residual.size:
            return f"residual {float(residual.value):.3e}, terms sum to {float(residual.size):.3e}, at {row.tolist()}"
    return None


def faults(judges: Union[Judge, Sequence[Judge]], x: torch.Tensor, anchor: Optional[torch.Tensor] = None) -> List[str]:
    """One line for each row of x (..., dim) that is not strictly inside. Judges and anchors: one, or each row's own."""
    rows = x.detach().reshape(-1, x.shape[-1])
    each = [judges] * len(rows) if isinstance(judges, Judge) else judges
    anchors = torch.zeros_like(rows) if anchor is None else anchor.detach().expand(len(rows), -1)
    assert len(each) == len(rows)
    verdicts = (judge_row(*data) for data in zip(each, rows, anchors))
    return [f"row {i}: {verdict}" for i, verdict in enumerate(verdicts) if verdict is not None]
