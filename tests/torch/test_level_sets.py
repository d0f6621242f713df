"""Level sets of Python functions: the laws of every other set, with the function as the only judge."""

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

import softradial as sr
from support.inputs import at_scales, normal, uniform
from support.levels import SETS, SMOOTH, TWINS, inputs, level_set, rays
from support.sets.quadratics import CENTER
from support.smoothness import forward_jacobian, jacobian
from support.zoo import METHODS, ONE_TO_ONE

NAN, INF = float("nan"), float("inf")
every_method = pytest.mark.parametrize("method", METHODS)
every_injection = pytest.mark.parametrize("method", ONE_TO_ONE)
two_precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
every_twin = pytest.mark.parametrize("name", TWINS)
every_set = pytest.mark.parametrize("name", SETS)
some_sets = pytest.mark.parametrize("name", SMOOTH)


# ------------------------------------------------------------------------------------------- agreement with other sets


@every_method
@every_twin
def test_agrees_with_the_set_of_the_library(name, method, rng):
    set, anchor = TWINS[name].set, TWINS[name].anchor
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
    function, set, anchor = TWINS[name].function, TWINS[name].set, TWINS[name].anchor
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


@pytest.mark.parametrize("method", [name for name in METHODS if name != "soft_auto"])  # its lambda is a constant
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
    with pytest.raises(ValueError, match="^row 1 has a NaN or an infinity$"):
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
