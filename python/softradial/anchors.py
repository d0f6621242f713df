"""Anchors for polyhedra that change from sample to sample."""

from typing import Optional, Tuple

from torch import Tensor

from ._library import ops


def analytic_center(
    A: Tensor,
    b: Tensor,
    E: Optional[Tensor] = None,
    f: Optional[Tensor] = None,
    start: Optional[Tensor] = None,
    differentiable: bool = False,
) -> Tuple[Tensor, Tensor]:
    """The analytic centres of {A x <= b, E x = f}, one for each sample, and their status (0 found, 2 no interior).

    A: (m, n) or (..., m, n); b: (..., m); E: (k, n), f: (..., k). `start` (..., n) is any point to walk from: the nearer,
    the fewer steps. With `differentiable`, first derivatives flow to A, b and f.
    """
    return ops.analytic_center(A, b, E, f, start, differentiable=differentiable)
