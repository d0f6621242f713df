"""Anchors for polyhedra that change from sample to sample."""

from typing import Optional, Tuple

from torch import Tensor

from ._library import ops
from ._numbers import Numbers, to_tensor
from .sets import _build


def analytic_center(
    A: Numbers,
    b: Numbers,
    E: Optional[Numbers] = None,
    f: Optional[Numbers] = None,
    start: Optional[Numbers] = None,
    differentiable: bool = False,
) -> Tuple[Tensor, Tensor]:
    """The analytic centres of {A x <= b, E x = f}, one for each sample, and their status (0 found, 2 no interior).

    A: (m, n) or (..., m, n); b: (..., m); E: (k, n), f: (..., k). The search begins at `start` (..., n), any point: the
    nearer it is, the fewer steps. With `differentiable`, first derivatives flow to A, b and f.
    """
    named = (("A", A), ("b", b), ("E", E), ("f", f), ("start", start))
    tensors = [None if value is None else to_tensor(name, value) for name, value in named]
    return _build(lambda: ops.analytic_center(*tensors, differentiable=differentiable))
