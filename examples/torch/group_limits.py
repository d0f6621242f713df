"""A portfolio: fully invested, at most 10 % an asset, at most 40 % a sector."""

import softradial
import torch
from torch import nn

torch.manual_seed(0)
assets, sectors = 20, 4
membership = torch.zeros(sectors, assets)
membership[torch.arange(assets) % sectors, torch.arange(assets)] = 1

allowed = softradial.Intersection(
    softradial.CappedSimplex(assets, cap=0.10),
    softradial.Polyhedron(membership, torch.full((sectors,), 0.40)),
)
layer = softradial.SoftRadial(allowed)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), last := nn.Linear(32, assets), layer)
layer.start_at(torch.full((assets,), 1 / assets), last)  # begin at equal weights

features = torch.randn(256, 8)
weights = model(features)
print("at the start:", weights[0, :3].tolist())
(-(weights * torch.randn(256, assets)).sum(-1).mean()).backward()
print("largest weight and sector:", weights.max().item(), (weights @ membership.T).max().item())
assert allowed.violation(weights).max() < 1e-6
