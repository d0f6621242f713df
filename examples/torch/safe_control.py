"""A controller whose action stays in an ellipsoid, whatever the network says."""

import softradial
import torch
from torch import nn

torch.manual_seed(0)
S = torch.tensor([[4.0, 1.0], [1.0, 2.0]])  # 1/2 x'Sx <= 1/2: the energy that the actuator can take
safe = softradial.SoftRadial(softradial.Quadratic(S, torch.zeros(2), -0.5))
policy = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2), safe)
optimizer = torch.optim.Adam(policy.parameters(), 1e-2)

for _ in range(300):
    state = torch.randn(64, 2)
    loss = (policy(state) + state).square().sum(-1).mean()  # push back against the state
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

action = policy(1000 * torch.randn(1000, 2)).double()
print("largest x'Sx:", (action @ S.double() * action).sum(-1).max().item())
assert safe.set.violation(action).max() == 0
