"""Densities on sets: they integrate to 1, give the right means, and their gradients are those of what they say."""

import math

import pytest
import torch
from torch.autograd import gradcheck
from torch.distributions import Independent, Normal, StudentT

import softradial as sr
from softradial.distributions import ConstrainedNormal, Pushforward, hull_basis
from support.inputs import normal, uniform
from support.sets import gather
from support.smoothness import smooth_rows
from support.zoo import BY_NAME

F64 = torch.float64

# set, and the half-width around its anchor of a cube, in coordinates of the hull, that contains it
SETS = gather("densities")
# With the default epsilon = 0.01 the density at the anchor is 1e4 times what it is nearby: no grid sees that.
LAYERS = {"soft": lambda s: sr.SoftRadial(s, lambda_=0.5, epsilon=0.3), "gauge": lambda s: sr.GaugeMap(s)}
every_set = pytest.mark.parametrize("kind", SETS)
every_layer = pytest.mark.parametrize("method", LAYERS)

CELLS = {2: 500, 3: 90}


def grid(dim, half_width, cells):
    """Midpoints of a cube's cells (cells^dim, dim), and a cell's volume."""
    axis = (torch.arange(cells, dtype=F64) + 0.5) / cells * 2 * half_width - half_width
    points = torch.stack(torch.meshgrid(*[axis] * dim, indexing="ij"), dim=-1).reshape(-1, dim)
    return points, (2 * half_width / cells) ** dim


def density_on_the_set(distribution, half_width):
    """Points on a grid of the hull, their probabilities and the cells' side."""
    layer, basis = distribution.layer, distribution.basis
    cells = CELLS[basis.shape[1]]
    offsets, volume = grid(basis.shape[1], half_width, cells)
    points = layer.anchor + offsets @ basis.T
    return points, distribution.log_prob(points).exp() * volume, 2 * half_width / cells


def mean_of_the_base(distribution, deviations=7.0):
    """E[layer(u)] over the normal base, on a grid of its own: no density of x is used."""
    base, basis = distribution.base, distribution.basis
    noise, volume = grid(basis.shape[1], deviations, CELLS[basis.shape[1]])
    weight = (-0.5 * noise.square().sum(-1)).exp() * volume / math.sqrt(2 * math.pi) ** basis.shape[1]
    x = distribution.layer(distribution.to_input(base.mean + base.stddev * noise))
    return (weight.unsqueeze(-1) * x).sum(0)


def _jump(distribution, rng):
    """The largest density just outside the image of the set's boundary, where that of the soft projection jumps to."""
    layer, basis = distribution.layer, distribution.basis
    far = layer.anchor + 1e3 * normal((5000, basis.shape[1]), rng) @ basis.T
    u = layer.anchor + (1 + 1e-9) * (sr.HardRadial(layer.set)(far) - layer.anchor)
    return float((distribution.base.log_prob(distribution.to_base(u)) - layer.log_abs_det(u)).exp().max())


def _tolerance(distribution, half_width, side, rng):
    """The error of a midpoint rule: second order in the cells' side, relative to features of a third of the set.

    The soft projection's density jumps, besides, across the image of the boundary, whose area is at most that of the
    cube. Each of the cells that it cuts errs by up to half the jump, with a sign as good as random: 5 deviations.
    """
    dim = distribution.basis.shape[1]
    smooth = (side / (0.3 * half_width)) ** 2
    if isinstance(distribution.layer, sr.GaugeMap):
        return smooth
    cut_cells = 2 * dim * (2 * half_width / side) ** (dim - 1)
    return smooth + 5 * math.sqrt(cut_cells) * side**dim * _jump(distribution, rng) / 2


def _normal(kind, method):
    layer = LAYERS[method](SETS[kind][0])
    shift = 0.15 * torch.arange(1, layer.set.dim + 1, dtype=F64) / layer.set.dim
    return ConstrainedNormal(layer, layer.anchor + shift, 0.5)


@every_layer
@every_set
def test_density_integrates_to_one(kind, method, rng):
    distribution = _normal(kind, method)
    anchor, half_width = distribution.layer.anchor, SETS[kind][1]
    points, probability, side = density_on_the_set(distribution, half_width)
    tolerance = _tolerance(distribution, half_width, side, rng)
    assert tolerance < 0.05
    assert abs(float(probability.sum()) - 1) < tolerance
    mean = anchor + (probability.unsqueeze(-1) * (points - anchor)).sum(0)
    assert bool(((mean - mean_of_the_base(distribution)).abs() < tolerance * half_width).all())


def test_other_bases_integrate_to_one(rng):
    base = Independent(StudentT(torch.tensor([4.0, 6.0], dtype=F64), 0.1, torch.tensor([0.3, 0.5], dtype=F64)), 1)
    distribution = Pushforward(base, sr.GaugeMap(SETS["polygon"][0]))
    _, probability, side = density_on_the_set(distribution, 2.0)
    # What the cells at the boundary cut off: the base's mass beyond |v| = 1/side, below 1e-4.
    assert abs(float(probability.sum()) - 1) < _tolerance(distribution, 2.0, side, rng) + 1e-4


@every_layer
@every_set
def test_samples_have_the_density_that_they_say(kind, method):
    distribution = _normal(kind, method)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        x, log_prob = distribution.rsample_with_log_prob((200,))
    assert x.shape == (200, distribution.layer.set.dim) and log_prob.shape == (200,)
    assert bool((distribution.layer.set.violation(x) < 1e-15).all())
    # The inverse of a sample near the boundary is known to fewer digits: log |det| grows there like log(1 - gauge).
    assert torch.allclose(distribution.log_prob(x), log_prob, rtol=1e-6, atol=1e-6)


# ------------------------------------------------------------------------------------------------------------ gradients


@every_layer
@every_set
def test_gradients_of_log_prob(kind, method, rng):
    """In x, along the hull, and in loc and scale."""
    layer = LAYERS[method](SETS[kind][0])
    basis = hull_basis(layer)
    dim, hull_dim = basis.shape

    def log_prob(v, loc, scale):
        return ConstrainedNormal(layer, loc, scale).log_prob(layer.anchor + v @ basis.T)

    ends = sr.HardRadial(layer.set)(layer.anchor + normal((40, hull_dim), rng) @ basis.T)
    v = uniform((40, 1), rng, 0.1, 0.9) * (ends - layer.anchor) @ basis
    loc = layer.anchor + 0.2 * normal((40, dim), rng)
    scale = uniform((40, hull_dim), rng, 0.4, 0.8)
    keep = smooth_rows(log_prob, [v, loc, scale], rng)[:3]
    assert len(keep) == 3
    assert gradcheck(log_prob, tuple(tensor[keep].clone().requires_grad_() for tensor in (v, loc, scale)))


@every_layer
@every_set
def test_gradients_of_rsample(kind, method, rng):
    layer = LAYERS[method](SETS[kind][0])
    dim, hull_dim = hull_basis(layer).shape

    def rsample(loc, scale):
        with torch.random.fork_rng():
            torch.manual_seed(1)
            return torch.cat([values.reshape(len(loc), -1) for values in sample(loc, scale)], dim=-1)

    def sample(loc, scale):
        return ConstrainedNormal(layer, loc, scale).rsample_with_log_prob()

    # The noise depends on the row: rows are looked at where they are.
    loc = layer.anchor + 0.2 * normal((3, dim), rng)
    scale = uniform((3, hull_dim), rng, 0.4, 0.8)
    assert len(smooth_rows(rsample, [loc, scale], rng)) == 3
    assert gradcheck(rsample, (loc.requires_grad_(), scale.requires_grad_()))


@every_layer
def test_points_outside(method):
    """Density 0, without NaN in the gradients of the points inside or of the parameters."""
    layer = LAYERS[method](sr.Simplex(3))
    loc = torch.full((3,), 0.3, dtype=F64, requires_grad=True)
    x = torch.tensor([[0.2, 0.3, 0.5], [0.5, 0.5, 0.5], [1.2, -0.1, -0.1], [0.6, 0.2, 0.2]], dtype=F64).requires_grad_()
    log_prob = ConstrainedNormal(layer, loc, 0.5).log_prob(x)
    assert log_prob.isneginf().tolist() == [False, True, True, False]
    log_prob[[0, 3]].sum().backward()
    assert bool(loc.grad.isfinite().all()) and bool(loc.grad.abs().sum() > 0)
    assert bool(x.grad.isfinite().all()) and bool((x.grad[[1, 2]] == 0).all())


# --------------------------------------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize("dtype", [torch.float32, F64], ids=["f32", "f64"])
@pytest.mark.parametrize("batch", [(), (4,), (2, 3)], ids=str)
def test_shapes(batch, dtype, rng):
    layer = sr.SoftRadial(sr.CappedSimplex(5, 0.4))
    distribution = ConstrainedNormal(layer, normal((*batch, 5), rng, dtype), 0.3)
    assert distribution.batch_shape == batch and distribution.event_shape == (5,)
    assert distribution.mode.shape == (*batch, 5)
    for shape in ((), (7,), (2, 1)):
        x = distribution.sample(shape)
        assert x.shape == (*shape, *batch, 5) and x.dtype == dtype and not x.requires_grad
        assert distribution.log_prob(x).shape == (*shape, *batch)
        assert distribution.rsample(shape).shape == x.shape
    for scale in (0.3, torch.full(batch, 0.3), torch.full((*batch, 4), 0.3)):
        assert ConstrainedNormal(layer, normal((*batch, 5), rng, dtype), scale).sample().shape == (*batch, 5)


@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
def test_expand(batch, rng):
    distribution = ConstrainedNormal(sr.SoftRadial(sr.Simplex(3)), normal((*batch, 3), rng), 0.3)
    wide = distribution.expand((2, 3))
    assert wide.batch_shape == (2, 3) and wide.event_shape == (3,)
    x = wide.sample()
    assert x.shape == (2, 3, 3)
    assert torch.allclose(wide.log_prob(x), distribution.log_prob(x))
    assert isinstance(wide, ConstrainedNormal)
    assert wide.mode.shape == (2, 3, 3)


def test_mode_is_the_image_of_loc(rng):
    layer = sr.SoftRadial(BY_NAME["polyhedron_flat"].set)
    loc = normal((4, layer.set.dim), rng)
    assert torch.allclose(ConstrainedNormal(layer, loc, 0.1).mode, layer(loc), rtol=0, atol=1e-14)


@pytest.mark.parametrize("width", [1, 3])
def test_a_base_of_another_dimension(width):
    """A simplex in R^3 has dimension 2."""
    base = Independent(Normal(torch.zeros(width), torch.ones(width)), 1)
    with pytest.raises(ValueError, match=r"expected event shape \(2,\).*got \("):
        Pushforward(base, sr.SoftRadial(sr.Simplex(3)))


def test_kl_between_two_policies_by_sampling(rng):
    """E_p[log p - log q] of two pushforwards is that of their bases: the layer cancels."""
    layer = sr.SoftRadial(sr.CappedSimplex(4, 0.4))
    p, q = (ConstrainedNormal(layer, 0.25 + 0.1 * normal((4,), rng), 0.4) for _ in range(2))
    with torch.random.fork_rng():
        torch.manual_seed(2)
        x = p.sample((4000,))
    terms = p.log_prob(x) - q.log_prob(x)
    expected = torch.distributions.kl_divergence(p.base, q.base)
    assert abs(float(terms.mean() - expected)) < 5 * float(terms.std()) / math.sqrt(4000)


def test_a_pathwise_policy_gradient_step_improves_a_policy(rng):
    """Maximise E[reward(x)] + entropy over loc and scale, by gradients through the samples."""
    layer = sr.SoftRadial(sr.CappedSimplex(4, 0.5))
    prices = torch.tensor([0.3, 1.0, -0.5, 0.1], dtype=F64)
    loc = torch.full((4,), 0.25, dtype=F64, requires_grad=True)
    log_scale = torch.tensor(-1.0, dtype=F64, requires_grad=True)

    def objective(samples):
        with torch.random.fork_rng():
            torch.manual_seed(3)
            policy = ConstrainedNormal(layer, loc, log_scale.exp())
            x, log_prob = policy.rsample_with_log_prob((samples,))
        return (x @ prices - x.square().sum(-1) - 0.01 * log_prob).mean()

    optimizer = torch.optim.SGD([loc, log_scale], lr=0.5)
    before = objective(4000).item()
    for _ in range(20):
        optimizer.zero_grad()
        (-objective(256)).backward()
        optimizer.step()
    assert objective(4000).item() > before + 0.05


def test_a_map_that_is_not_one_to_one_has_no_density():
    with pytest.raises(ValueError, match="not one-to-one"):
        ConstrainedNormal(sr.HardRadial(sr.Simplex(3)), torch.zeros(3, dtype=F64), 0.1)
