"""A stochastic policy on a simplex: exact log-probabilities, so that entropy can be rewarded next to the return."""

import softradial
import torch
from softradial.distributions import ConstrainedNormal
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
layer = softradial.SoftRadial(softradial.Simplex(3))
net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(net.parameters(), 1e-2)
prices = torch.tensor([1.0, 0.2, 0.1])

for step in range(201):
    policy = ConstrainedNormal(layer, net(torch.randn(128, 4)), scale=0.5)
    action, log_prob = policy.rsample_with_log_prob()
    value = (action * prices).sum(-1).mean() - 0.01 * log_prob.mean()
    optimizer.zero_grad()
    (-value).backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}: value {value.item():.3f}")

assert torch.allclose(policy.log_prob(action), log_prob, atol=1e-6)
assert value > 0.8
