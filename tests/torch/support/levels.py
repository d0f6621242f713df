"""Level sets of Python functions: twins of sets of the library, functions that have none, and rows for them."""

import torch

import softradial as sr
from support.inputs import normal, uniform
from support.sets import gather


def quartic(x):
    return x.pow(4).sum(-1) + x[..., 0] - 1


def log_barrier(x):
    """Not a number outside of the cube |x_j| < 1."""
    return -torch.log1p(-x * x).sum(-1) - 3


TWINS = gather("twins")
SETS = {
    **{name: (twin.function, twin.anchor) for name, twin in TWINS.items()},
    "quartic": (quartic, [0.1, 0.0, -0.2]),
    "log_barrier": (log_barrier, [0.1, 0.2, -0.3]),
}
SMOOTH = [name for name, twin in TWINS.items() if twin.smooth] + ["quartic", "log_barrier"]


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
