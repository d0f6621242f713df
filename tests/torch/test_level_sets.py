"""Level sets of Python functions: the laws of every other set, with the function as the only judge."""

import copy
import io
import pickle
import re

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck, gradgradcheck
from torch.distributions import Independent, Normal

import softradial as sr
from softradial.distributions import ConstrainedNormal, Pushforward
from support.inputs import at_scales, normal, uniform
from support.smoothness import forward_jacobian, jacobian
from support.zoo import CONE, METHODS, ONE_TO_ONE, SHAPE

NAN, INF = float("nan"), float("inf")
CENTER = torch.tensor([0.3, -0.2, 1.0, 0.5], dtype=torch.float64)
LINEAR = torch.tensor([0.1, -1.0, 0.7, 0.2], dtype=torch.float64)
CONE_DATA = {name: torch.tensor(values, dtype=torch.float64) for name, values in CONE.items()}

every_method = pytest.mark.parametrize("method", METHODS)
every_injection = pytest.mark.parametrize("method", ONE_TO_ONE)
two_precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])


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
every_twin = pytest.mark.parametrize("name", TWINS)
every_set = pytest.mark.parametrize("name", SETS)
some_sets = pytest.mark.parametrize("name", SMOOTH)


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


# ------------------------------------------------------------------------------------------- agreement with other sets


@every_method
@every_twin
def test_agrees_with_the_set_of_the_library(name, method, rng):
    function, set, anchor = TWINS[name]
    level, known = METHODS[method](level_set(name)), METHODS[method](set, anchor=anchor)
    u = inputs(level, 40, rng).requires_grad_()
    grad_x = normal(u.shape, rng)
    x, expected = level(u), known(u)
    assert torch.allclose(x, expected, rtol=1e-9, atol=1e-9)
    found, = torch.autograd.grad(x, u, grad_x)
    assert torch.allclose(found, torch.autograd.grad(expected, u, grad_x)[0], rtol=1e-9, atol=1e-9)
    assert torch.allclose(level.log_abs_det(u), known.log_abs_det(u), rtol=1e-9, atol=1e-9)
    inside = (known.anchor + 0.9 * (x - known.anchor)).detach()
    assert torch.allclose(level.inverse(inside), known.inverse(inside), rtol=1e-9, atol=1e-9)


@every_twin
def test_violation_is_the_functions(name, rng):
    function, set, anchor = TWINS[name]
    x = normal((200, len(anchor)), rng, scale=2)
    found = level_set(name).violation(x)
    assert found.dtype == torch.float64 and torch.equal(found, function(x).clamp_min(0))
    assert torch.equal(found > 0, set.violation(x) > 0)
    x[3, 0] = NAN
    assert level_set(name).violation(x).isnan().nonzero().tolist() == [[3]]


# ----------------------------------------------------------------------------------------------------------- feasibility


@two_precisions
@every_method
@every_set
def test_strictly_inside_at_every_scale(name, method, dtype, rng):
    set = level_set(name)
    layer = METHODS[method](set)
    scales = [1e-3, 1.0, 1e3, 1e6, 1e12, 1e19, 1e30, torch.finfo(dtype).max]
    u = at_scales(40, set.dim, scales, rng, dtype).requires_grad_()
    x = layer(u)
    assert x.dtype == dtype and bool(x.isfinite().all()) and not layer.status.any()
    assert bool((set.function(x) < 0).all()) and bool((set.function(x.double()) < 0).all())
    assert bool((set.violation(x) == 0).all())
    grad_u, = torch.autograd.grad(x, u, normal(u.shape, rng, dtype))
    assert bool(grad_u.isfinite().all())


@two_precisions
@every_method
def test_rays_that_never_leave(method, dtype):
    """gamma = 0: x moves on with u, and stays finite."""
    layer = METHODS[method](sr.LevelSet(lambda x: -x[..., 1], 2, [0.0, 1.0]))
    lengths = torch.tensor([1.0, 1e3, 1e10, 1e30, torch.finfo(dtype).max], dtype=dtype)
    u = torch.stack([lengths, torch.ones(5, dtype=dtype)], -1).requires_grad_()
    x = layer(u)
    assert bool(x.isfinite().all()) and bool((x[:, 1] > 0).all())
    assert bool((x[1:, 0].detach() / lengths[1:] >= 0.2).all())
    assert bool(jacobian(layer, u).isfinite().all())


def test_x_is_drawn_in_until_the_function_accepts_it(rng):
    """A function that is coarser than the numbers: its own rounding decides."""
    coarse = lambda x: (x.square().sum(-1) * 1e4).detach().ceil() / 1e4 - 1 + 0 * x.sum(-1)
    layer = sr.SoftRadial(sr.LevelSet(coarse, 3, [0.0, 0.0, 0.0]))
    x = layer(normal((50, 3), rng, scale=1e8))
    assert bool((coarse(x) < 0).all()) and bool((x.norm(dim=-1) > 0.99).all())


@two_precisions
@every_set
def test_shapes_and_rows(name, dtype, rng):
    layer = sr.SoftRadial(level_set(name))
    for shape in ((), (0,), (1,), (3,), (2, 3), (2, 0)):
        u = normal((*shape, layer.set.dim), rng, dtype)
        x = layer(u)
        assert x.shape == u.shape and x.dtype == dtype and layer.status.shape == shape
        assert layer.log_abs_det(u).shape == shape and layer.log_abs_det(u).dtype == dtype
        assert layer.inverse(x).shape == u.shape and layer.inverse(x).dtype == dtype
    u = normal((5, layer.set.dim), rng, dtype)
    alone = torch.stack([layer(row) for row in u])
    assert torch.allclose(layer(u), alone, rtol=0, atol=50 * torch.finfo(dtype).eps)
    anchor = layer.anchor.to(dtype)
    assert torch.equal(layer(anchor), anchor)


# ----------------------------------------------------------------------------------------------------------- derivatives


@every_method
@some_sets
def test_first_and_second_derivatives(name, method, rng):
    layer = METHODS[method](level_set(name))
    u = inputs(layer, 4, rng).requires_grad_()
    assert gradcheck(layer, (u,))
    assert gradgradcheck(layer, (u,))


@every_injection
@some_sets
def test_log_det_and_inverse_derivatives(name, method, rng):
    layer = ONE_TO_ONE[method](level_set(name))
    u = inputs(layer, 2, rng).requires_grad_()
    assert gradcheck(layer.log_abs_det, (u,))
    assert gradgradcheck(layer.log_abs_det, (u,), fast_mode=True)
    x = rays(layer, 3, rng, 0.2, 0.8).requires_grad_()
    assert gradcheck(layer.inverse, (x,))
    assert gradgradcheck(layer.inverse, (x,), fast_mode=True)


@every_method
def test_derivatives_of_what_the_function_closes_over(method, rng):
    """Implicit differentiation: the exit moves with the function."""
    u = normal((4, 2), rng, scale=2).requires_grad_()
    weights = uniform((3, 2), rng, -1, 1).requires_grad_()
    level = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)

    def project(u, weights, level):
        function = lambda x: torch.nn.functional.softplus(x @ weights.T).sum(-1) + 0.3 * x.square().sum(-1) - 2 - level
        return METHODS[method](sr.LevelSet(function, 2, [0.1, 0.0]))(u)

    assert gradcheck(project, (u, weights, level))
    assert gradgradcheck(project, (u, weights, level))
    if method != "hard":
        maker = lambda level: ONE_TO_ONE[method](sr.LevelSet(lambda x: x.pow(4).sum(-1) - level, 2, [0.1, 0.0]))
        assert gradcheck(lambda u, level: maker(level).log_abs_det(u), (u, level))
        x = rays(maker(level), 3, rng, 0.2, 0.8).detach().requires_grad_()
        assert gradcheck(lambda x, level: maker(level).inverse(x), (x, level))


@pytest.mark.parametrize("name", ["ball_norm", "quartic"])
def test_forward_mode_is_the_transpose_of_backward(name, rng):
    layer = sr.SoftRadial(level_set(name))
    u = inputs(layer, 6, rng)
    assert torch.allclose(forward_jacobian(layer, u), jacobian(layer, u), rtol=1e-9, atol=1e-11)


@every_method
@every_set
def test_gradient_at_the_anchor(name, method):
    """J = phi(0) I, also where the function itself has no gradient."""
    layer = METHODS[method](level_set(name))
    found = jacobian(layer, layer.anchor.unsqueeze(0))[0]
    slope = {"soft": 0.01, "hard": 1.0, "gauge": 1.0}[method.split("_")[0]]
    assert torch.allclose(found, slope * torch.eye(layer.set.dim, dtype=torch.float64), rtol=0, atol=1e-12)


def test_no_gradient_is_recorded_without_need(rng):
    layer = sr.SoftRadial(level_set("quartic"))
    u = normal((3, 3), rng).requires_grad_()
    with torch.no_grad():
        assert not layer(u).requires_grad
    with torch.inference_mode():
        assert torch.equal(layer(u), layer(u.detach()))


# ---------------------------------------------------------------------------------------------------- one-to-one, status


@two_precisions
@every_injection
@every_set
def test_round_trip(name, method, dtype, rng):
    layer = ONE_TO_ONE[method](level_set(name))
    x = rays(layer, 20, rng, 0, 0.9).to(dtype)
    tolerance = 200 * torch.finfo(dtype).eps
    assert torch.allclose(layer(layer.inverse(x)), x, rtol=tolerance, atol=tolerance)


@every_injection
@every_set
def test_log_det_is_that_of_the_dense_jacobian(name, method, rng):
    layer = ONE_TO_ONE[method](level_set(name))
    u = inputs(layer, 8, rng, scale=1.0)
    dense = jacobian(layer, u)
    values = torch.linalg.svdvals(dense)
    known = values[:, -1] > 1e-6 * values[:, 0]
    assert int(known.sum()) >= 4
    found = layer.log_abs_det(u)[known]
    assert torch.allclose(found, torch.linalg.slogdet(dense[known])[1], rtol=1e-8, atol=1e-8)


@every_injection
def test_points_outside_have_no_inverse(method):
    layer = ONE_TO_ONE[method](level_set("ball"))
    x = CENTER + torch.tensor([[0.5], [2.0], [0.1]], dtype=torch.float64) * torch.eye(4, dtype=torch.float64)[0]
    assert layer.inverse(x).isnan().all(-1).tolist() == [False, True, False]


@two_precisions
def test_log_det_of_huge_rows(dtype, rng):
    for make in ONE_TO_ONE.values():
        u = normal((6, 4), rng, dtype, scale=1e30)
        assert not bool(make(level_set("ball")).log_abs_det(u).isnan().any())
    assert bool(sr.SoftRadial(level_set("ball")).log_abs_det(normal((6, 4), rng, scale=1e200)).isfinite().all())


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@two_precisions
@every_set
def test_a_row_that_is_not_finite(name, dtype, bad, rng):
    weight = torch.tensor(1.0, dtype=dtype, requires_grad=True)
    function, anchor = SETS[name]
    layer = sr.SoftRadial(sr.LevelSet(lambda x: function(x) + 1 - weight.to(x), len(anchor), anchor))

    def evaluate(u):
        u = u.clone().requires_grad_()
        x = layer(u)
        cotangent = torch.where(x.isnan(), x.detach(), torch.ones_like(x))
        return x.detach(), layer.status.tolist(), *torch.autograd.grad(x, (u, weight), cotangent)

    u = normal((5, len(anchor)), rng, dtype, scale=2)
    others = [0, 1, 3, 4]
    expected, _, expected_u, expected_weight = evaluate(u[others])
    u[2, 1] = bad
    x, status, grad_u, grad_weight = evaluate(u)
    assert status == [0, 0, 1, 0, 0]
    assert bool(x[2].isnan().all()) and bool((grad_u[2] == 0).all())
    tolerance = 100 * torch.finfo(dtype).eps
    assert torch.allclose(x[others], expected, rtol=0, atol=tolerance)
    assert torch.allclose(grad_u[others], expected_u, rtol=tolerance, atol=tolerance)
    assert torch.allclose(grad_weight, expected_weight, rtol=tolerance, atol=tolerance)


def test_check_finite_names_the_row():
    layer = sr.SoftRadial(level_set("quartic"), check_finite=True)
    u = torch.zeros(2, 3)
    layer(u)
    u[1, 0] = NAN
    with pytest.raises(RuntimeError, match="^row 1 has a NaN or an infinity$"):
        layer(u)


def test_a_set_that_moved_away_from_its_anchor():
    """A function that learns may leave its anchor outside: status 2, as for a sample without an interior."""
    radius = torch.tensor(1.0, requires_grad=True)
    layer = sr.SoftRadial(sr.LevelSet(lambda x: x.norm(dim=-1) - radius, 2, [0.0, 0.5]))
    assert layer.status.shape == (0,)
    u = torch.tensor([[3.0, 0], [NAN, 0]], requires_grad=True)
    layer(u)
    assert layer.status.tolist() == [0, 1]
    with torch.no_grad():
        radius.fill_(0.4)
    x = layer(u)
    assert layer.status.tolist() == [2, 1] and bool(x.isnan().all())
    grads = torch.autograd.grad(x, (u, radius), torch.ones_like(x))
    assert all(bool((grad == 0).all()) for grad in grads)


def test_an_anchor_close_to_the_boundary():
    """Judged in the precision of the rows: double tells it from the boundary, single does not."""
    function = lambda x: x.norm(dim=-1) - 1
    layer = sr.SoftRadial(sr.LevelSet(function, 2, [0.0, 1 - 1e-9]))
    x = layer(torch.tensor([[3.0, 1.0], [0.0, 5.0]], dtype=torch.float64))
    assert layer.status.tolist() == [0, 0] and bool((function(x) < 0).all())
    layer(torch.zeros(2, 2))
    assert layer.status.tolist() == [2, 2]


def test_rows_may_have_data_of_their_own(rng):
    """The function sees points in the shape of u: what it closes over may be one for each row."""
    class Distance:
        center, radius = torch.zeros(3, dtype=torch.float64), torch.ones((), dtype=torch.float64)

        def __call__(self, x):
            return (x - self.center).norm(dim=-1) - self.radius

    function = Distance()
    layer, known = sr.SoftRadial(sr.LevelSet(function, 3, [0.0] * 3)), sr.SoftRadial(sr.Ball([0.0] * 3, 1.0))
    u = normal((2, 4, 3), rng, scale=2)
    function.center = uniform((2, 4, 3), rng, -0.4, 0.4).requires_grad_()
    function.radius = uniform((2, 4), rng, 1, 2).requires_grad_()
    data = (function.center, function.radius)
    x, expected = layer(u), known(u, center=data[0], radius=data[1], anchor=torch.zeros(3, dtype=torch.float64))
    assert torch.allclose(x, expected, rtol=1e-9, atol=1e-9)
    for found, wanted in zip(torch.autograd.grad(x.sin().sum(), data), torch.autograd.grad(expected.sin().sum(), data)):
        assert torch.allclose(found, wanted, rtol=1e-8, atol=1e-8)


# ------------------------------------------------------------------------------------- modules, models, copies, traces


class ConvexNet(nn.Module):
    """softplus(W x + b).w + x.x / 10 - level with w >= 0: convex in x."""

    def __init__(self, dim=3, width=8):
        super().__init__()
        self.inner = nn.Linear(dim, width)
        self.outer = nn.Parameter(torch.linspace(0.1, 0.5, width))
        self.level = nn.Parameter(torch.tensor(3.0))
        with torch.no_grad():
            self.inner.weight.copy_(torch.sin(torch.arange(width * dim).float()).reshape(width, dim))
            self.inner.bias.zero_()

    def forward(self, x):
        hidden = nn.functional.softplus(self.inner(x))
        return (hidden * self.outer.exp()).sum(-1) / 4 + x.square().sum(-1) / 10 - self.level


def net_layer(make=sr.SoftRadial):
    return make(sr.LevelSet(ConvexNet(), 3, [0.0, 0.0, 0.0]))


@two_precisions
def test_a_network_of_single_precision(dtype, rng):
    """It takes float32 alone: rows of either precision are strictly inside by its own judgement."""
    layer = net_layer()
    assert [name for name, _ in layer.named_parameters()] == [f"function.{n}" for n, _ in ConvexNet().named_parameters()]
    u = at_scales(20, 3, [1.0, 1e3, 1e10, 1e30], rng, dtype).requires_grad_()
    x = layer(u)
    assert x.dtype == dtype and bool((layer.function(x.float()) < 0).all())
    x.sum().backward()
    assert all(bool(p.grad.isfinite().all()) and float(p.grad.abs().sum()) > 0 for p in layer.parameters())
    wide = copy.deepcopy(layer).double()
    u = normal((20, 3), rng, scale=2)
    assert torch.allclose(wide(u), layer(u), rtol=0, atol=1e-5)
    assert bool((wide.function(wide(u)) < 0).all())


def test_the_functions_own_parameter_is_learned(rng):
    """Points of a ball of radius 2 reach as far as they can: the level set learns to hold them, and no more."""
    class Disc(nn.Module):
        def __init__(self):
            super().__init__()
            self.radius = nn.Parameter(torch.tensor(0.5))

        def forward(self, x):
            return x.square().sum(-1) - self.radius.square()

    layer = sr.HardRadial(sr.LevelSet(Disc(), 2, [0.0, 0.0]))
    target = normal((64, 2), rng, torch.float32)
    target = 2 * target / target.norm(dim=-1, keepdim=True)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
    for _ in range(100):
        optimizer.zero_grad()
        loss = (layer(3 * target) - target).square().sum(-1).mean()
        loss.backward()
        optimizer.step()
    assert float(loss) < 1e-3 and float(layer.function.radius) == pytest.approx(2, abs=0.02)


def test_a_model_starts_at_a_decision_and_trains(rng):
    layer = sr.SoftRadial(level_set("quartic"))
    model = nn.Sequential(nn.Linear(2, 3), layer)
    layer.start_at([0.1, 0.4, -0.6], model[0])
    z = normal((16, 2), rng, torch.float32)
    assert torch.allclose(model(z), torch.tensor([0.1, 0.4, -0.6]).expand(16, 3), atol=1e-5)
    before = model(z)[:, 0].mean()
    before.backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    assert model(z)[:, 0].mean() < before
    with pytest.raises(ValueError, match="x is not inside the set"):
        layer.start_at([2.0, 0, 0], model[0])


def test_a_density_on_a_level_set(rng):
    """It integrates to 1."""
    layer = sr.GaugeMap(sr.LevelSet(lambda x: x.pow(4).sum(-1) - 1, 2, [0.1, 0.2]))
    zero = torch.zeros(2, dtype=torch.float64)
    policy = Pushforward(Independent(Normal(zero, 0.8 * torch.ones_like(zero)), 1), layer)
    side = torch.linspace(-1, 1, 401, dtype=torch.float64)
    grid = torch.stack(torch.meshgrid(side, side, indexing="ij"), -1)
    density = policy.log_prob(grid).exp()
    assert float(density.sum()) * (2 / 400) ** 2 == pytest.approx(1, abs=0.01)
    assert bool((density[grid.pow(4).sum(-1) > 1] == 0).all())
    x, log_prob = ConstrainedNormal(layer, zero.expand(5, 2), 0.3).rsample_with_log_prob()
    assert torch.allclose(ConstrainedNormal(layer, zero.expand(5, 2), 0.3).log_prob(x), log_prob, atol=1e-8)


def _saved_and_loaded(thing):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    buffer.seek(0)
    return torch.load(buffer)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing)), _saved_and_loaded])
@pytest.mark.parametrize("make", [lambda: sr.GaugeMap(level_set("quartic"), "exponential"), net_layer])
def test_copies(make, way, rng):
    layer = make()
    twin = way(layer)
    u = normal((5, 3), rng, torch.float32, scale=3)
    assert torch.equal(twin(u), layer(u)) and torch.equal(twin.anchor, layer.anchor) and repr(twin) == repr(layer)
    if hasattr(twin, "function"):
        assert twin.function is twin.set.function and twin.function is not layer.function


def test_state_dict_holds_all_but_the_function(rng):
    layer = sr.SoftRadial(sr.LevelSet(ConvexNet(), 3, [0.1, 0.0, 0.0]), "exponential", lambda_=0.3, epsilon=0.2)
    with torch.no_grad():
        layer.function.level.fill_(2.5)
    state = _saved_and_loaded(layer.state_dict())
    assert all(isinstance(value, torch.Tensor) for value in state.values())
    restored = net_layer()
    function = restored.function
    restored.load_state_dict(state)
    u = normal((5, 3), rng, torch.float32, scale=3)
    assert torch.equal(restored(u), layer(u)) and torch.equal(restored.anchor, layer.anchor)
    assert restored.function is function and restored.set.function is function and repr(restored) == repr(layer)
    plain = sr.SoftRadial(level_set("quartic"))
    with pytest.raises(ValueError, match="a state_dict does not hold the function"):
        sr.SoftRadial(sr.Simplex(3)).load_state_dict(plain.state_dict())
    with pytest.raises(ValueError, match="dimension 3, the layer's set of 4"):
        sr.SoftRadial(level_set("ball")).load_state_dict(plain.state_dict())


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("make", [
    net_layer,
    lambda: sr.GaugeMap(level_set("ball_norm")),
    lambda: sr.HardRadial(level_set("cone")),
], ids=["net", "ball", "cone"])
def test_traces_hold_plain_operations(make, rng):
    """Of a call, with parameters that are constants; the number of rows may change."""
    layer = make().requires_grad_(False)
    u = normal((6, layer.set.dim), rng, torch.float32, scale=3)
    with torch.jit.optimized_execution(False):
        buffer = io.BytesIO()
        torch.jit.save(torch.jit.trace(lambda u: layer(u), u, check_trace=False), buffer)
        buffer.seek(0)
        traced = torch.jit.load(buffer)
        assert "softradial::" not in str(traced.inlined_graph)
        u = normal((9, layer.set.dim), rng, torch.float32, scale=3).requires_grad_()
        grad_x = normal(u.shape, rng, torch.float32)
        x, expected = traced(u), layer(u)
        assert torch.allclose(x, expected, rtol=0, atol=1e-5)
        assert bool((layer.set.violation(x) == 0).all())
        found, = torch.autograd.grad(x, u, grad_x)
        assert torch.allclose(found, torch.autograd.grad(expected, u, grad_x)[0], rtol=1e-3, atol=1e-3)


def test_a_trace_of_the_module_is_refused():
    layer = sr.SoftRadial(level_set("quartic"))
    with pytest.raises(RuntimeError, match="LevelProjection"):
        torch.jit.trace(layer, torch.zeros(2, 3))


# ----------------------------------------------------------------------------------------------------- text and errors


def test_text():
    layer = sr.SoftRadial(level_set("quartic"))
    assert str(layer.set) == "level_set(function=quartic, dim=3)"
    assert repr(layer) == (
        "SoftRadial(level_set(function=quartic, dim=3), contraction=rational, lambda_=1, epsilon=0.01)"
    )
    assert str(sr.LevelSet(ConvexNet(), 3, [0.0] * 3)) == "level_set(function=ConvexNet, dim=3)"


def test_anchors():
    set = level_set("ball")
    assert sr.SoftRadial(set).anchor.tolist() == (CENTER + 0.2).tolist()
    other = CENTER - 0.1
    assert torch.equal(sr.SoftRadial(set, anchor=other).anchor, other)
    assert torch.equal(sr.SoftRadial(set.with_anchor(other)).anchor, other)
    assert set.equals(level_set("ball")) and not set.equals(set.with_anchor(other)) and not set.equals(sr.Simplex(4))


ZEROS = [0.0, 0.0, 0.0]
BAD = {
    "dim 0": (lambda: sr.LevelSet(quartic, 0, []), "dim is 0"),
    "dim 2.5": (lambda: sr.LevelSet(quartic, 2.5, ZEROS), "dim is 2.5"),
    "no function": (lambda: sr.LevelSet("quartic", 3, ZEROS), "function is a str"),
    "anchor of another length": (lambda: sr.LevelSet(quartic, 3, [0.0, 0.0]), r"anchor has shape \(2,\), must be \(3,\)"),
    "anchor nan": (lambda: sr.LevelSet(quartic, 3, [0.0, NAN, 0.0]), r"anchor\[1\] is nan"),
    "anchor outside": (lambda: sr.LevelSet(quartic, 3, [2.0, 0.0, 0.0]), r"function\(anchor\) is 17, must be negative"),
    "anchor on the boundary": (lambda: sr.LevelSet(lambda x: x.sum(-1), 3, ZEROS), r"function\(anchor\) is 0, must"),
    "anchor that learns": (lambda: sr.LevelSet(quartic, 3, torch.zeros(3, requires_grad=True)), "anchor: gradients"),
    "value nan": (lambda: sr.LevelSet(lambda x: x.sum(-1) * NAN, 3, ZEROS), r"function\(anchor\) is nan"),
    "value -inf": (lambda: sr.LevelSet(lambda x: x.sum(-1) - INF, 3, ZEROS), r"function\(anchor\) is -inf"),
    "one value for all": (lambda: sr.LevelSet(lambda x: x.sum() - 1, 3, ZEROS), r"shape \(\) for points \(2, 3\)"),
    "a value too many": (lambda: sr.LevelSet(lambda x: x - 1, 3, ZEROS), r"shape \(2, 3\) for points \(2, 3\)"),
    "keepdim": (lambda: sr.LevelSet(lambda x: x.sum(-1, True) - 1, 3, ZEROS), r"shape \(2, 1\).* must be \(2,\)"),
    "no tensor": (lambda: sr.LevelSet(lambda x: -1.0, 3, ZEROS), "returned a float"),
    "no graph": (lambda: sr.LevelSet(lambda x: x.detach().sum(-1) - 1, 3, ZEROS), "not differentiable"),
    "a function that fails": (lambda: sr.LevelSet(lambda x: x @ torch.ones(4) - 1, 3, ZEROS), "function fails"),
    "search": (lambda: sr.SoftRadial(level_set("quartic"), anchor="chebyshev"), "'chebyshev' is not available"),
    "layer anchor outside": (lambda: sr.SoftRadial(level_set("quartic"), anchor=[2.0, 0, 0]), "is 17, must be negative"),
    "contraction": (lambda: sr.SoftRadial(level_set("quartic"), "cubic"), "'cubic' is unknown"),
    "lambda": (lambda: sr.GaugeMap(level_set("quartic"), lambda_=0), "lambda is 0"),
    "epsilon": (lambda: sr.SoftRadial(level_set("quartic"), epsilon=1), "epsilon is 1"),
    "intersection": (lambda: sr.Intersection(level_set("quartic"), sr.Simplex(3)), "level_set.*by their maximum"),
    "product": (lambda: sr.Product(level_set("quartic")), "cannot be part of a combined set"),
    "scaled": (lambda: sr.Scaled(level_set("quartic"), 2.0), "cannot be part"),
    "affine_preimage": (lambda: sr.AffinePreimage(level_set("quartic"), torch.eye(3), ZEROS), "cannot be part"),
    "json": (lambda: sr.parse_set(level_set("quartic").to_json()), "level_set"),
}


@pytest.mark.parametrize("which", BAD)
def test_errors(which):
    make, named = BAD[which]
    with pytest.raises(ValueError, match=named) as error:
        make()
    assert "\n" not in str(error.value) and len(str(error.value)) < 400


@pytest.mark.parametrize("operation", ["__call__", "inverse", "log_abs_det"])
@pytest.mark.parametrize("u, message", [
    (torch.zeros(2, 4), "the last dimension must be 3, got shape (2, 4)"),
    (torch.zeros(()), "the last dimension must be 3, got shape ()"),
    (torch.zeros(2, 3, dtype=torch.int64), "expected floating-point numbers, got"),
], ids=["width", "scalar", "integers"])
def test_bad_rows(operation, u, message):
    with pytest.raises(RuntimeError, match=re.escape(message)):
        getattr(sr.SoftRadial(level_set("quartic")), operation)(u)


@pytest.mark.parametrize("data", ["scale", "anchor", "caps", "b"])
def test_no_data_of_samples(data):
    layer = sr.SoftRadial(level_set("quartic"))
    with pytest.raises(NotImplementedError, match="not available in a call; what changes belongs into the function"):
        layer(torch.zeros(2, 3), **{data: torch.ones(3)})


def test_no_script():
    model = nn.Sequential(nn.Linear(2, 3), sr.SoftRadial(level_set("quartic")))
    with pytest.raises(NotImplementedError, match="torch.jit.script cannot compile a Python function; trace a call of it"):
        torch.jit.script(model)


def test_other_methods_do_not_take_it():
    with pytest.raises(ValueError, match="LevelSet"):
        sr.Orthogonal(level_set("quartic"))
