"""u -> x -> u over the range of the methods' numbers, by the kernels, by the walk along level sets and by tensors.

tests/core/projection/inverse_round_trip_test.cpp does the same in the core, on a finer grid. Two laws, for rows at distances
from 1e-6 to 1e3 from the anchor:

    layer(inverse(x)) = x                      to the rounding of x, however badly x determines u
    |inverse(x) - u|  <= K ulp size / smallest singular value of J          which is e_radial phi at worst

The second is looked at where its right side is shorter than an eighth of the ray; test_* say how many rows these are.
"""

import pytest
import torch
from torch.distributions import Independent, Normal

import softradial as sr
from softradial.distributions import Pushforward, hull_basis
from support.judge import ulp
from support.levels import level_set
from support.smoothness import jacobian
from support.zoo import BY_NAME, CONTRACTIONS, ZOO

EPSILONS = (1e-6, 1e-4, 1e-3, 0.03, 0.9)
LAMBDAS = (1e-3, 0.5, 10.0, 1e3)
# Sums of a few coordinates, products with matrices, a gauge's root or eigenvalue: each a few ulp.
ROUNDINGS = 64

every_contraction = pytest.mark.parametrize("contraction", CONTRACTIONS)


def layers(set, contraction, epsilons=EPSILONS, lambdas=LAMBDAS, **arguments):
    for lambda_ in lambdas:
        for epsilon in epsilons:
            yield sr.SoftRadial(set, contraction=contraction, lambda_=lambda_, epsilon=epsilon, **arguments)
        yield sr.GaugeMap(set, contraction=contraction, lambda_=lambda_, **arguments)


def rows(layer, rng, per_decade=3):
    """Rows on the hull at all distances from the anchor, one direction each."""
    distances = torch.logspace(-6, 3, 9 * per_decade + 1, dtype=torch.float64).unsqueeze(-1)
    basis = hull_basis(layer)
    v = torch.randn(len(distances), basis.shape[1], dtype=torch.float64, generator=rng)
    return layer.anchor + distances * (v / v.norm(dim=-1, keepdim=True)) @ basis.T


def noise(layer, u, x):
    """Rounding of u - u0, phi d and u0 + phi d, (rows): a map may be steep at the anchor, where phi is largest."""
    d, e = (points.double() - layer.anchor for points in (u, x))
    phi = e.norm(dim=-1) / d.norm(dim=-1)
    return ROUNDINGS * ulp(u.dtype) * (layer.anchor.norm() * (1 + phi) + e.norm(dim=-1))


def error_bars(layer, u, x):
    """How far rounding may take inverse(x) from u, and where that leaves something to know."""
    basis = hull_basis(layer)
    inner = basis.T @ jacobian(layer, u.double()) @ basis
    smallest = torch.linalg.svdvals(inner)[:, -1]
    distance = (u.double() - layer.anchor).norm(dim=-1)
    bars = (noise(layer, u, x) + ROUNDINGS * ulp(u.dtype) * (x.double() - layer.anchor).norm(dim=-1)) / smallest
    bars = bars + ROUNDINGS * ulp(u.dtype) * (distance + layer.anchor.norm())
    return bars, bars < distance / 8


def check_round_trip(layer, u, steepness):
    """Both laws; how many rows hold information on u. `steepness`: what an error of x does to its gauge."""
    x = layer(u)
    back = layer.inverse(x)
    assert bool(back.isfinite().all()), repr(layer)
    missed = (layer(back).double() - x.double()).norm(dim=-1)
    assert bool((missed <= noise(layer, u, x) * (3 + steepness)).all()), repr(layer)
    bars, known = error_bars(layer, u, x)
    error = (back.double() - u.double()).norm(dim=-1)
    assert bool((error[known] <= bars[known]).all()), repr(layer)
    return int(known.sum()), len(u)


def steepness(layer, rng):
    """The largest gauge over directions, relative to the smallest: exits of rays within a distance that all sets keep."""
    v = torch.randn(200, hull_basis(layer).shape[1], dtype=torch.float64, generator=rng) @ hull_basis(layer).T
    exits = sr.HardRadial(layer.set, anchor=layer.anchor)(layer.anchor + 1e3 * v / v.norm(dim=-1, keepdim=True))
    reach = (exits - layer.anchor).norm(dim=-1)
    return 4 * float(reach.max() / reach.min())


@every_contraction
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_the_ops(case, contraction, rng):
    first = sr.SoftRadial(case.set)
    u, ratio = rows(first, rng), steepness(first, rng)
    counts = [check_round_trip(layer, u, ratio) for layer in layers(case.set, contraction, anchor=first.anchor)]
    known, total = map(sum, zip(*counts))
    assert known > 0.6 * total


@every_contraction
@pytest.mark.parametrize("name", ["ball", "quartic"])
def test_level_sets(name, contraction, rng):
    """The walk along rays that calls a Python function."""
    set = level_set(name)
    first = sr.SoftRadial(set)
    u, ratio = rows(first, rng), steepness(first, rng)
    grid = layers(set, contraction, epsilons=(1e-6, 1e-3, 0.9), lambdas=(1e-3, 0.5, 1e3))
    counts = [check_round_trip(layer, u, ratio) for layer in grid]
    known, total = map(sum, zip(*counts))
    assert known > 0.6 * total


@every_contraction
@pytest.mark.parametrize("name", ["ball", "capped_simplex", "lp_ball_3"])
def test_derivatives_of_the_inverse(name, contraction, rng):
    """Tensors that require a gradient go through ATen: the same values, and J_inverse J = 1 on the hull."""
    case = BY_NAME[name]
    for layer in layers(case.set, contraction, epsilons=(1e-6, 1e-3, 0.9)):
        u = rows(layer, rng)
        x = layer(u)
        _, known = error_bars(layer, u, x)
        u, x = u[known], x[known]
        back = layer.inverse(x)
        bars, _ = error_bars(layer, u, x)
        assert bool(((layer.inverse(x.clone().requires_grad_()) - back).norm(dim=-1) <= bars).all())
        basis = hull_basis(layer)
        forward, inverse = (basis.T @ jacobian(map, at) @ basis for map, at in ((layer, back), (layer.inverse, x)))
        # Relative to the condition of J, and to that of a row within rounding of a kink, which is none.
        values = torch.linalg.svdvals(forward)
        smooth = values[:, 0] / values[:, -1] < 1e6
        identity = torch.eye(basis.shape[1], dtype=torch.float64)
        error = (inverse @ forward - identity).abs().amax((-1, -2))
        bound = 1e-12 * values[:, 0] / values[:, -1] * (1 + bars / (back - layer.anchor).norm(dim=-1) / 1e-12)
        assert bool((error <= 10 * bound)[smooth].all()), repr(layer)


@every_contraction
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=["half", "bfloat16", "float"])
def test_coarse_precisions(dtype, contraction, rng):
    """Half precision is computed in float: against the inverse in double at the same x."""
    set = sr.Ball([0.0, 0.0, 0.0], 0.75)
    for layer in layers(set, contraction):
        # Up to 0.9 of the way to the boundary, and scales that half precision has.
        e = rows(layer, rng)[:16]
        x = (e / e.norm(dim=-1, keepdim=True) * torch.logspace(-2, -0.17, 16, dtype=torch.float64).unsqueeze(-1)).to(dtype)
        found, exact = layer.inverse(x).double(), layer.inverse(x.double())
        # gamma is evaluated in float, with that precision's guard: its error becomes 1 / e_radial of it in log t.
        bars, _ = error_bars(layer, exact, x)
        # The last rounding is that of the result, which may be smaller than the smallest normal number.
        rounding = 2 * ulp(dtype) * exact.norm(dim=-1).clamp_min(torch.finfo(dtype).tiny)
        bars = bars / ulp(torch.float64) * ulp(torch.float32) + rounding
        fits = (exact.abs().amax(-1) < torch.finfo(dtype).max / 2) & (bars < exact.norm(dim=-1) / 8)
        assert int(fits.sum()) >= 4, repr(layer)
        assert bool(((found - exact).norm(dim=-1) <= bars)[fits].all()), repr(layer)


@every_contraction
def test_log_prob(contraction, rng):
    """log_prob, which inverts x, against the density that is known because u is."""
    base = Independent(Normal(torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)), 1)
    for lambda_ in LAMBDAS:
        # d log p / d log|u|: |v|^2 <= 100 from the base; 3 log phi, log e_radial from the layer, with slopes of a few, and
        # of a few rho / lambda where a contraction decays.
        slope = 200 + 10 * (1 + 100 / lambda_)
        for layer in layers(BY_NAME["ball"].set, contraction, lambdas=(lambda_,)):
            pushed = Pushforward(base, layer)
            u = rows(layer, rng, per_decade=6)
            u = u[(u - layer.anchor).norm(dim=-1) < 10]
            x = layer(u)
            bars, known = error_bars(layer, u, x)
            bound = slope * bars / (u - layer.anchor).norm(dim=-1)
            known = known & (bound < 1e-2)
            assert int(known.sum()) > 10
            expected = base.log_prob(pushed.to_base(u)) - layer.log_abs_det(u)
            error = (pushed.log_prob(x) - expected).abs()
            assert bool((error <= bound)[known].all()), repr(layer)
