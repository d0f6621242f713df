"""torch.func: grad, jvp, vmap, jacrev, jacfwd, hessian, nested in every order, on layers that were never called before."""

import warnings

import pytest
import torch

import softradial as sr
from support.case import DIM
from support.inputs import normal
from support.judge import faults
from support.layers import FIRST_ORDER_ONLY
from support.levels import SMOOTH, inputs, level_set
from support.samples import CALLS
from support.smoothness import jacobian, smooth_rows
from support.transforms import FIRST_ORDER, SECOND_ORDER, func
from support.zoo import METHODS, ONE_TO_ONE, ZOO

every_set = pytest.mark.parametrize("case", ZOO, ids=repr)
every_order = pytest.mark.parametrize("order", SECOND_ORDER)
every_mode = pytest.mark.parametrize("mode", FIRST_ORDER)
some_methods = pytest.mark.parametrize("method", ["soft_hyperbolic", "gauge_exponential", "hard"])
# Sums of the same terms in another order, and root finders that stop elsewhere.
CLOSE = dict(rtol=1e-7, atol=1e-9)


@pytest.fixture(autouse=True)
def quiet():
    """vmap says where it runs an op sample by sample: that is slow, not wrong."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*batching rule.*")
        yield


def smooth_row(function, dim, rng):
    u = normal((64, dim), rng, scale=2)
    return u[smooth_rows(function, [u], rng)[0]].clone()


def loss_of(function):
    return lambda *inputs: function(*inputs).sin().sum()


# ----------------------------------------------------------------------------------------------------------- fixed sets


@every_order
@every_set
def test_second_derivatives_in_every_order(case, order, rng):
    u = smooth_row(sr.SoftRadial(case.set), case.dim, rng)
    expected = torch.autograd.functional.hessian(loss_of(sr.SoftRadial(case.set)), u)
    found = SECOND_ORDER[order](loss_of(sr.SoftRadial(case.set)))(u)
    assert torch.allclose(found, expected, **CLOSE)


@some_methods
@every_set
def test_hessian_of_other_methods(case, method, rng):
    u = smooth_row(METHODS[method](case.set), case.dim, rng)
    expected = torch.autograd.functional.hessian(loss_of(METHODS[method](case.set)), u)
    assert torch.allclose(func.hessian(loss_of(METHODS[method](case.set)))(u), expected, **CLOSE)
    direction = normal(u.shape, rng)
    along = func.jvp(func.grad(loss_of(METHODS[method](case.set))), (u,), (direction,))[1]
    assert torch.allclose(along, expected @ direction, **CLOSE)


@every_set
def test_first_derivatives(case, rng):
    u = smooth_row(sr.SoftRadial(case.set), case.dim, rng)
    expected = jacobian(sr.SoftRadial(case.set), u.unsqueeze(0))[0]
    for take in FIRST_ORDER.values():
        assert torch.allclose(take(sr.SoftRadial(case.set))(u), expected, **CLOSE)
    rows = torch.stack([u, u])
    for_each = func.vmap(func.jacrev(sr.SoftRadial(case.set)))(rows)
    assert torch.allclose(for_each, torch.stack([expected, expected]), **CLOSE)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=["f32", "f64", "bf16"])
@every_set
def test_vmap_is_the_batch(case, dtype, rng):
    """Strictly inside, too: the composite has the guard of the kernels."""
    u = normal((6, case.dim), rng, dtype, scale=30)
    layer = sr.SoftRadial(case.set)
    x = func.vmap(layer)(u)
    assert x.dtype == dtype and faults(case.judge, x, layer.anchor) == []
    assert torch.allclose(x, layer(u), rtol=100 * torch.finfo(dtype).eps, atol=100 * torch.finfo(dtype).eps)
    assert torch.equal(func.vmap(layer, in_dims=1, out_dims=1)(u.T), x.T)


@every_order
@pytest.mark.parametrize("method", ["soft_rational", "gauge_hyperbolic"])
@pytest.mark.parametrize("case", ZOO[::4], ids=repr)
def test_log_det(case, method, order, rng):
    u = smooth_row(METHODS[method](case.set), case.dim, rng)
    expected = torch.autograd.functional.hessian(METHODS[method](case.set).log_abs_det, u)
    assert torch.allclose(SECOND_ORDER[order](METHODS[method](case.set).log_abs_det)(u), expected, **CLOSE)


@pytest.mark.parametrize("method", ONE_TO_ONE)
@every_set
def test_inverse(case, method, rng):
    layer = METHODS[method](case.set)
    u = smooth_row(layer, case.dim, rng)
    x = layer.anchor + 0.6 * (layer(u) - layer.anchor)
    expected = torch.autograd.functional.jacobian(METHODS[method](case.set).inverse, x)
    for take in FIRST_ORDER.values():
        assert torch.allclose(take(METHODS[method](case.set).inverse)(x), expected, **CLOSE)
    rows = torch.stack([x, layer.anchor, x])
    assert torch.allclose(func.vmap(METHODS[method](case.set).inverse)(rows), layer.inverse(rows), **CLOSE)


@every_order
def test_second_derivatives_of_the_inverse(order, rng):
    layer = sr.SoftRadial(sr.Ball([0.0, 0.5, 0.0], 2.0))
    x = layer(normal((3,), rng, scale=2))
    expected = torch.autograd.functional.hessian(loss_of(layer.inverse), x)
    assert torch.allclose(SECOND_ORDER[order](loss_of(layer.inverse))(x), expected, **CLOSE)


def test_a_status_that_does_not_outlive_the_transform_is_refused():
    layer = sr.SoftRadial(sr.CappedSimplex(4, cap=0.5))
    u = torch.zeros(2, 4)
    func.vmap(layer)(u)
    with pytest.raises(RuntimeError, match="status: not kept of a call inside a transform"):
        layer.status
    func.vmap(lambda u: layer(u, cap=torch.full((4,), 0.4)))(u)
    with pytest.raises(RuntimeError, match="status: not kept of a call inside a transform"):
        layer.status
    layer(u)
    assert layer.status.tolist() == [0, 0]


def test_violation_inside_vmap(rng):
    set = sr.CappedSimplex(4, cap=0.5)
    x = normal((5, 4), rng)
    assert torch.equal(func.vmap(set.violation)(x), set.violation(x))


def test_vmap_over_a_graph_that_was_recorded_before(rng):
    """The backward pass of a plain call, for many cotangents at once."""
    layer = sr.SoftRadial(sr.CappedSimplex(4, cap=0.5))
    u = normal((4,), rng).requires_grad_()
    x = layer(u)
    rows = func.vmap(lambda grad_x: torch.autograd.grad(x, u, grad_x, retain_graph=True)[0])(torch.eye(4, dtype=u.dtype))
    assert torch.allclose(rows, jacobian(layer, u.unsqueeze(0))[0], **CLOSE)


# ------------------------------------------------------------------------------------------------- a set for each sample


def sample_call(name, rng):
    """A function of u and a sample's data, and where to take it."""
    call = CALLS[name]
    layer = lambda: sr.SoftRadial(call.set, anchor_gradient=True)
    run = lambda u, *values: layer()(u, **dict(zip(call.data, values)))
    inputs = [normal((40, DIM), rng, scale=2), *call.draw(40, rng).values()]
    row = smooth_rows(run, inputs, rng)[0]
    return run, tuple(tensor[row].clone() for tensor in inputs)


@pytest.mark.parametrize("name", CALLS)
def test_samples_first_derivatives(name, rng):
    run, inputs = sample_call(name, rng)
    expected = torch.autograd.functional.jacobian(run, inputs)
    everything = tuple(range(len(inputs)))
    for take in FIRST_ORDER.values():
        for found, wanted in zip(take(run, argnums=everything)(*inputs), expected):
            assert torch.allclose(found, wanted, **CLOSE)


@pytest.mark.parametrize("name", CALLS)
def test_samples_second_derivatives(name, rng):
    """Along a direction in all inputs, forward over reverse: what torch.func.hessian does."""
    run, inputs = sample_call(name, rng)
    directions = tuple(normal(tensor.shape, rng) for tensor in inputs)
    expected = torch.autograd.functional.hvp(loss_of(run), inputs, directions)[1]
    gradient = func.grad(loss_of(run), argnums=tuple(range(len(inputs))))
    for found, wanted in zip(func.jvp(gradient, inputs, directions)[1], expected):
        assert torch.allclose(found, wanted, **CLOSE)


@pytest.mark.parametrize("name", CALLS)
def test_samples_vmap_is_the_batch(name, rng):
    call = CALLS[name]
    u, data = normal((5, DIM), rng, scale=2), call.draw(5, rng)
    names = list(data)
    layer = sr.SoftRadial(call.set)
    run = lambda u, *values: layer(u, **dict(zip(names, values)))
    assert torch.allclose(func.vmap(run)(u, *data.values()), layer(u, **data), **CLOSE)
    # Data of each sample for one u.
    shared = func.vmap(run, in_dims=(None, *[0] * len(names)))(u[0], *data.values())
    assert torch.allclose(shared, layer(u[0].expand(5, DIM), **data), **CLOSE)


@every_mode
def test_a_centre_that_was_searched_for(mode, rng):
    """Derivatives through the anchor, asked for and not."""
    kind = CALLS["polyhedron.b"]
    b = kind.draw(1, rng)["b"][0]
    u = normal((DIM,), rng)
    for anchor_gradient in (False, True):
        run = lambda b: sr.SoftRadial(kind.set, anchor_gradient=anchor_gradient)(u, b=b)
        expected = torch.autograd.functional.jacobian(run, b)
        assert torch.allclose(FIRST_ORDER[mode](run)(b), expected, **CLOSE)


# ----------------------------------------------------------------------------------------------------------- level sets


@every_order
@pytest.mark.parametrize("name", SMOOTH)
def test_level_sets(name, order, rng):
    u = inputs(sr.SoftRadial(level_set(name)), 1, rng)[0]
    expected = torch.autograd.functional.hessian(loss_of(sr.SoftRadial(level_set(name))), u)
    found = SECOND_ORDER[order](loss_of(sr.SoftRadial(level_set(name))))(u)
    assert torch.allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", SMOOTH)
def test_level_sets_vmap_is_the_batch(name, rng):
    layer = sr.SoftRadial(level_set(name))
    u = inputs(layer, 4, rng)
    assert torch.allclose(func.vmap(layer)(u), layer(u), **CLOSE)
    x = layer(u)
    assert torch.allclose(func.vmap(layer.inverse)(x), layer.inverse(x), **CLOSE)
    assert torch.allclose(func.vmap(layer.log_abs_det)(u), layer.log_abs_det(u), **CLOSE)
    func.vmap(layer)(u)
    with pytest.raises(RuntimeError, match="status: not kept of a call inside a transform"):
        layer.status


@every_mode
def test_level_sets_to_what_the_function_closes_over(mode, rng):
    set = sr.LevelSet(lambda x: x.cosh().sum(-1) - 6, 3, [0.0, 0.1, 0.0])
    layer = sr.SoftRadial(set)
    u = normal((3,), rng, scale=2)

    def run(budget):
        set.function = lambda x: x.cosh().sum(-1) - budget
        return layer(u)

    budget = torch.tensor(6.0, dtype=torch.float64)
    expected = torch.autograd.functional.jacobian(run, budget)
    assert torch.allclose(FIRST_ORDER[mode](run)(budget), expected, **CLOSE)


# ------------------------------------------------------------------------------------------------------ the other layers


@pytest.mark.parametrize("name", FIRST_ORDER_ONLY)
def test_other_layers(name):
    """First derivatives in every mode; second ones are refused in every order."""
    layer, rows = FIRST_ORDER_ONLY[name]()
    expected = torch.autograd.functional.jacobian(layer, rows[0])
    for take in FIRST_ORDER.values():
        assert torch.allclose(take(layer)(rows[0]), expected, rtol=1e-9, atol=1e-11)
    assert torch.allclose(func.vmap(layer)(rows), layer(rows), rtol=1e-12, atol=1e-14)
    for_each = func.vmap(func.jacfwd(layer))(rows)
    assert torch.allclose(for_each[0], expected, rtol=1e-9, atol=1e-11)
    for twice in SECOND_ORDER.values():
        with pytest.raises((RuntimeError, ValueError), match="has first derivatives only"):
            twice(loss_of(layer))(rows[0])
