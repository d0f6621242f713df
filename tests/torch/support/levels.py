"""Level sets for tests: functions, the sets of the library that they describe, and rows for them."""

import torch

import softradial as sr
from support.inputs import normal, uniform
from support.zoo import CONE, SHAPE

CENTER = torch.tensor([0.3, -0.2, 1.0, 0.5], dtype=torch.float64)
LINEAR = torch.tensor([0.1, -1.0, 0.7, 0.2], dtype=torch.float64)
CONE_DATA = {name: torch.tensor(values, dtype=torch.float64) for name, values in CONE.items()}

def ball(x):
    return (x - CENTER.to(x)).square().sum(-1) - 2.25


def ball_norm(x):
    """The same set: 1-homogeneous, and with a kink at its centre whose textbook gradient is NaN."""
    return (x - CENTER.to(x)).square().sum(-1).sqrt() - 1.5


def ellipsoid(x):
    y = x - CENTER.to(x)
    return (y @ SHAPE.to(x) * y).sum(-1) - 1


def quadratic(x):
    return 0.5 * (x @ SHAPE.to(x) * x).sum(-1) + x @ LINEAR.to(x) - 0.8


def cone(x):
    data = {name: values.to(x) for name, values in CONE_DATA.items()}
    return (x @ data["M"].T + data["s"]).norm(dim=-1) - x @ data["c"] - data["e"]


def quartic(x):
    return x.pow(4).sum(-1) + x[..., 0] - 1


def halfspace(x):
    return x[..., 0] - 2 * x[..., 1] + 0.5 * x[..., 2] - 1.25


def log_sum_exp(x):
    return x.logsumexp(-1) - 2


def log_barrier(x):
    """Not a number outside of the cube |x_j| < 1."""
    return -torch.log1p(-x * x).sum(-1) - 3


# function, the set of the library that it describes, an interior point
TWINS = {
    "ball": (ball, sr.Ball(CENTER, 1.5), CENTER + 0.2),
    "ball_centre": (ball, sr.Ball(CENTER, 1.5), CENTER),
    "ball_norm": (ball_norm, sr.Ball(CENTER, 1.5), CENTER - 0.3),
    "ball_norm_centre": (ball_norm, sr.Ball(CENTER, 1.5), CENTER),
    "ellipsoid": (ellipsoid, sr.Ellipsoid(CENTER, SHAPE), CENTER + 0.1),
    "quadratic": (quadratic, sr.Quadratic(SHAPE, LINEAR, -0.8), torch.zeros(4, dtype=torch.float64)),
    "cone": (cone, sr.SecondOrderCone(**CONE), torch.tensor([0.1, 0.2, 1.0], dtype=torch.float64)),
}
SETS = {
    **{name: (function, anchor) for name, (function, _, anchor) in TWINS.items()},
    "quartic": (quartic, [0.1, 0.0, -0.2]),
    "halfspace": (halfspace, [0.1, 0.0, -0.2]),
    "log_sum_exp": (log_sum_exp, [0.0, -1.0, -0.5]),
    "log_barrier": (log_barrier, [0.1, 0.2, -0.3]),
}
SMOOTH = ["ball_norm_centre", "cone", "quartic", "log_sum_exp", "log_barrier"]


def level_set(name):
    function, anchor = SETS[name]
    return sr.LevelSet(function, len(anchor), anchor)


def rays(layer, rows, rng, shortest, longest):
    """Points between two parts of the way from the anchor to the boundary, or to the end of a ray where that is nearer."""
    ends = sr.HardRadial(layer.set)(layer.anchor + normal((rows, layer.set.dim), rng))
    return layer.anchor + uniform((rows, 1), rng, shortest, longest) * (ends - layer.anchor)


def inputs(layer, rows, rng, scale=2.0):
    """Rows on both sides of the boundary, none within 1e-3 of it, where soft and hard maps have a kink."""
    u = layer.anchor + normal((4 * rows, layer.set.dim), rng, scale=scale)
    hard = sr.HardRadial(layer.set)
    away = (hard(u + 1e-3 * (u - layer.anchor)) - hard(u)).norm(dim=-1) / (u - layer.anchor).norm(dim=-1)
    clear = (away < 1e-9) | (away > 0.9e-3)
    assert int(clear.sum()) >= rows
    return u[clear][:rows]
