"""Derivatives: rows away from kinks, dense Jacobians."""

from typing import Callable, Sequence

import torch
from torch import Tensor

# Kinks closer than this are avoided; gradcheck's own steps are 1e-6.
NEAR = 1e-4
# A gradient that changes by more than this part of itself over NEAR has a kink in between.
JUMP = 0.02
# Random directions in which a kink is looked for.
LOOKS = 8


def _gradients(function: Callable[..., Tensor], inputs: Sequence[Tensor], cotangent: Tensor) -> Tensor:
    """The gradients of each row, in one row: (rows, total)."""
    inputs = [tensor.detach().requires_grad_() for tensor in inputs]
    found = torch.autograd.grad(function(*inputs), inputs, cotangent)
    return torch.cat([g.reshape(len(g), -1) for g in found], dim=-1)


def smooth_rows(function: Callable[..., Tensor], inputs: Sequence[Tensor], rng: torch.Generator) -> Tensor:
    """Which rows of the inputs, each (rows, ...), have no kink of the function nearby: indices.

    A kink is a jump of the gradient: it is looked for in random directions of all inputs together, both ways.
    """
    cotangent = torch.randn(function(*inputs).shape, dtype=inputs[0].dtype, generator=rng)
    here = _gradients(function, inputs, cotangent)
    smooth = torch.ones(len(here), dtype=torch.bool)
    for _ in range(LOOKS):
        step = [NEAR * torch.randn(tensor.shape, dtype=tensor.dtype, generator=rng) for tensor in inputs]
        for sign in (1, -1):
            there = _gradients(function, [tensor + sign * s for tensor, s in zip(inputs, step)], cotangent)
            smooth &= (there - here).abs().amax(-1) <= JUMP * here.abs().amax(-1)
    return smooth.nonzero().squeeze(-1)


def jacobian(function: Callable[[Tensor], Tensor], u: Tensor) -> Tensor:
    """The Jacobian of each row of u (rows, n): (rows, m, n), by one backward pass for each output."""
    u = u.detach().requires_grad_()
    x = function(u)
    rows = [torch.autograd.grad(x[:, i].sum(), u, retain_graph=True)[0] for i in range(x.shape[-1])]
    return torch.stack(rows, dim=-2)


def forward_jacobian(function: Callable[[Tensor], Tensor], u: Tensor) -> Tensor:
    """The same by forward-mode derivatives, one for each input."""
    columns = []
    with torch.autograd.forward_ad.dual_level():
        for j in range(u.shape[-1]):
            tangent = torch.zeros_like(u)
            tangent[:, j] = 1
            dual = torch.autograd.forward_ad.make_dual(u.detach(), tangent)
            columns.append(torch.autograd.forward_ad.unpack_dual(function(dual)).tangent)
    return torch.stack(columns, dim=-1)
