"""The other constraint layers, one of each method, small."""

import torch

import softradial as sr
from support.case import matrix


def polyhedron(n, m, seed):
    A = matrix(m, n, seed)
    share = torch.rand(m, generator=torch.Generator().manual_seed(seed), dtype=torch.double)
    return A, A.norm(dim=1) * (0.3 + share)


INF = float("inf")
SIMPLEX, CAPPED, BALL = sr.Simplex(5), sr.CappedSimplex(6, cap=0.3), sr.Ball(torch.zeros(3), 1.0)
POLYHEDRON = sr.Polyhedron(*polyhedron(4, 9, 0))

LAYERS = {
    "soft_orthogonal": lambda: sr.SoftOrthogonal(CAPPED, kappa=0.1, delta=0.05),
    "soft_orthogonal polyhedron": lambda: sr.SoftOrthogonal(POLYHEDRON, kappa=0.1),
    "soft_orthogonal ball": lambda: sr.SoftOrthogonal(BALL),
    "mirror": lambda: sr.Mirror(CAPPED, temperature=0.5),
    "mirror box": lambda: sr.Mirror(sr.Box([-1.0, 0.0, -INF, -INF], [1.0, INF, 2.0, INF])),
    "softmax": lambda: sr.Softmax(SIMPLEX, temperature=0.5),
    "orthogonal": lambda: sr.Orthogonal(CAPPED),
    "orthogonal polyhedron": lambda: sr.Orthogonal(POLYHEDRON),
    "orthogonal ball": lambda: sr.Orthogonal(BALL),
    "dc3": lambda: sr.Dc3(CAPPED, steps=3, learning_rate=0.05),
    "hardnet": lambda: sr.HardNet(CAPPED, steps=3),
    "hardnet_aff": lambda: sr.HardNetAff(sr.Box([-1.0, 0.0], [1.0, 2.0])),
    "hardnet_cvx": lambda: sr.HardNetCvx(POLYHEDRON),
    "rayen": lambda: sr.Rayen(BALL),
    "ray_scalar": lambda: sr.RayScalar(CAPPED),
    "hop": lambda: sr.Hop(CAPPED),
    "hp": lambda: sr.Hp(CAPPED, training_steps=20, hidden=8),
    "soft_penalty": lambda: sr.SoftPenalty(BALL),
    "soft_radial": lambda: sr.ConstraintLayer(CAPPED, "soft_radial", lambda_=2.0),
}


def rows_for(layer, rows=4, dtype=torch.double, seed=1, scale=1.0):
    """Inputs of the layer's width."""
    generator = torch.Generator().manual_seed(seed)
    return (scale * torch.randn(rows, layer.input_dim, generator=generator, dtype=torch.double)).to(dtype)


def qp_data(n=6, m=10, k=2, seed=5):
    """Q, G, h, A, b of a quadratic programme with an interior, and p of four samples."""
    generator = torch.Generator().manual_seed(seed)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.double)
    root, inside = draw(n, n), draw(n)
    G, A = draw(m, n), draw(k, n)
    return root @ root.t() / n + torch.eye(n, dtype=torch.double), G, G @ inside + 0.3, A, A @ inside, 3 * draw(4, n)


def qp_layer():
    Q, G, h, A, b, p = qp_data()
    return sr.QpLayer(Q, G, h, A, b), p


# Functions of rows that have first derivatives only, each with rows to take them at.
FIRST_ORDER_ONLY = {
    **{name: lambda make=make: (make(), rows_for(make())) for name, make in LAYERS.items()},
    "qp": qp_layer,
    "penalty": lambda: (sr.SoftPenalty(CAPPED).penalty, rows_for(LAYERS["orthogonal"]())),
}
