"""Allocations with a budget and caps of their own for every sample: sum(x) = budget(z), 0 <= x <= caps(z)."""

import softradial
import torch

torch.manual_seed(0)
layer = softradial.SoftRadial(softradial.CappedSimplex(8, cap=0.5))
budget = torch.tensor([100.0, 250.0, 40.0])
caps = (budget.unsqueeze(-1) * (0.2 + 0.2 * torch.rand(3, 8))).requires_grad_()
u = 1e3 * torch.randn(3, 8)

x = layer(u, cap=caps, sum=budget)
(grad_caps,) = torch.autograd.grad(x.square().sum(), caps)
print("budgets spent:", x.sum(-1).tolist())
print("all below their caps:", bool((x < caps).all()))
print("gradient to the caps:", grad_caps.abs().sum().item())
assert layer.status.eq(0).all()
