"""One-to-one: inverse, log-determinant, and models that start at a given decision."""

import pytest
import torch
from torch import nn

import softradial as sr
from softradial.distributions import hull_basis
from support.inputs import normal, uniform
from support.judge import ulp
from support.sets.rows import BOUNDS, ROWS
from support.smoothness import jacobian
from support.zoo import BY_NAME, ONE_TO_ONE, ZOO, soft_layer

every_set = pytest.mark.parametrize("case", ZOO, ids=repr)
every_method = pytest.mark.parametrize("method", ONE_TO_ONE)
two_precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])


def onto_hull(layer, u):
    normals, anchor = layer.projection.normals.to(u), layer.anchor.to(u)
    return u - (u - anchor) @ normals.T @ normals


def rays(case, layer, rows, rng, shortest, longest):
    """Points between two parts of the way from the anchor to the boundary, or to unit distance where that is nearer."""
    ends = sr.HardRadial(case.set, anchor=layer.anchor)(layer.anchor + normal((rows, case.dim), rng))
    return layer.anchor + uniform((rows, 1), rng, shortest, longest) * (ends - layer.anchor)


def inside(case, layer, rows, rng):
    return rays(case, layer, rows, rng, 0, 0.9)


def inputs(case, layer, rows, rng):
    """Inside and outside the set, on the hull and beside it; not so far out that x is the boundary to rounding."""
    normals = layer.projection.normals
    return rays(case, layer, rows, rng, 0.1, 1.7) + normal((rows, len(normals)), rng) @ normals


def hull_jacobians(layer, u):
    """J as a map of the hull's directions to themselves: (rows, k, k)."""
    basis = hull_basis(layer)
    return basis.T @ jacobian(layer, u) @ basis


@two_precisions
@every_method
@every_set
def test_inverse_after_layer(case, method, dtype, rng):
    """u comes back, projected onto the hull. x knows it up to rounding, which the inverse magnifies by |J^-1|."""
    layer = ONE_TO_ONE[method](case.set)
    u = inputs(case, layer, 20, rng).to(dtype)
    magnified = 1 / torch.linalg.svdvals(hull_jacobians(layer, u.double()))[:, -1:]
    u, magnified = (tensor[magnified[:, 0] < 1e-3 / ulp(dtype)] for tensor in (u, magnified))
    assert len(u) >= 5
    x = layer(u)
    size = (x.abs() + u.abs()).amax(-1, keepdim=True).double() + layer.anchor.abs().max()
    error = (layer.inverse(x) - onto_hull(layer, u)).abs().double()
    assert bool((error <= 20 * case.dim * ulp(dtype) * (1 + magnified) * size).all())


@two_precisions
@every_method
@every_set
def test_layer_after_inverse(case, method, dtype, rng):
    layer = ONE_TO_ONE[method](case.set)
    x = inside(case, layer, 10, rng).to(dtype)
    size = float(x.abs().max() + layer.anchor.abs().max())
    assert torch.allclose(layer(layer.inverse(x)), x, rtol=0, atol=50 * case.dim * ulp(dtype) * size)


@every_method
@every_set
def test_log_det_is_that_of_the_dense_jacobian(case, method, rng):
    layer = ONE_TO_ONE[method](case.set)
    u = inputs(case, layer, 10, rng)
    dense = hull_jacobians(layer, u)
    # det J = phi^k e_radial by elimination: relative to the ratio of its eigenvalues, phi / (phi e_radial).
    values = torch.linalg.svdvals(dense)
    bound = 1e3 * case.dim * ulp(torch.float64) * values[:, 0] / values[:, -1] + 1e-12
    error = (layer.log_abs_det(u) - torch.linalg.slogdet(dense)[1]).abs()
    known = bound < 1e-3
    assert int(known.sum()) >= 5
    assert bool((error[known] <= bound[known]).all())


@two_precisions
@every_set
def test_log_det_and_inverse_keep_shapes_and_dtypes(case, dtype, rng):
    layer = soft_layer(case)
    for shape in ((), (0,), (3,), (2, 3)):
        u = normal((*shape, case.dim), rng, dtype)
        x = layer(u)
        assert layer.log_abs_det(u).shape == shape and layer.log_abs_det(u).dtype == dtype
        assert layer.inverse(x).shape == u.shape and layer.inverse(x).dtype == dtype
        strided = x.unsqueeze(-1).expand(*x.shape, 2)[..., 0].T.contiguous().T if len(shape) == 1 else x
        assert torch.equal(layer.inverse(strided), layer.inverse(x))


@every_set
def test_gradients_do_not_change_the_values(case, rng):
    """inverse and log_abs_det of tensors that require a gradient go through ATen, and agree with the kernels."""
    layer = soft_layer(case)
    x = inside(case, layer, 8, rng)
    u = layer.inverse(x)
    with_gradient = layer.inverse(x.clone().requires_grad_())
    assert torch.allclose(with_gradient, u, rtol=1e-9, atol=1e-9)
    assert torch.allclose(layer.log_abs_det(u.clone().requires_grad_()), layer.log_abs_det(u), rtol=1e-9, atol=1e-9)


@every_set
def test_log_det_of_huge_rows(case, rng):
    u = normal((6, case.dim), rng, scale=1e200)
    assert bool(soft_layer(case).log_abs_det(u).isfinite().all())


@every_method
@every_set
def test_points_outside_have_no_inverse(case, method, rng):
    """NaN, in their rows only."""
    layer = ONE_TO_ONE[method](case.set)
    x = inside(case, layer, 4, rng)
    exits = sr.HardRadial(case.set)(normal((40, case.dim), rng, scale=100))
    beyond = layer.anchor + 1.01 * (exits - layer.anchor)
    beyond = beyond[case.set.violation(beyond) > 0]
    rows = torch.cat([x[:2], beyond[:1], x[2:]])
    found = layer.inverse(rows)
    assert found.isnan().all(-1).tolist() == [False, False, True, False, False]
    assert torch.equal(found[[0, 1, 3, 4]], layer.inverse(x))


@pytest.mark.parametrize("case", [case for case in ZOO if len(soft_layer(case).projection.normals) > 0], ids=repr)
def test_points_beside_the_hull_have_no_inverse(case):
    layer = soft_layer(case)
    beside = layer.anchor + 0.01 * layer.projection.normals[0]
    assert bool(layer.inverse(beside).isnan().all())
    assert bool(layer.inverse(layer.anchor).isfinite().all())


@every_set
def test_the_hard_projection_is_not_one_to_one(case, rng):
    layer = sr.HardRadial(case.set)
    x = inside(case, layer, 8, rng)
    assert torch.allclose(layer.inverse(x), x, rtol=0, atol=1e-11 * float(x.abs().max()))
    assert torch.allclose(layer.log_abs_det(x), torch.zeros(8, dtype=torch.float64), rtol=0, atol=1e-9)
    u = layer.anchor + 100 * normal((8, case.dim), rng)
    outside = (layer(u) - onto_hull(layer, u)).abs().amax(-1) > 1e-3
    assert bool((layer.log_abs_det(u[outside]) == -float("inf")).all())


def _learned(values):
    return nn.Parameter(torch.as_tensor(values, dtype=torch.float64).clone())


LEARNED = {
    "capped_simplex": lambda: sr.CappedSimplex(4, _learned([0.5, 0.6, 0.7, 0.5])),
    "polyhedron": lambda: sr.Polyhedron(ROWS, _learned(BOUNDS)),
    "box": lambda: sr.Box([-1.0] * 4, _learned([1.0] * 4)),
    "ball": lambda: sr.Ball([0.0] * 4, _learned(1.0)),
}


@pytest.mark.parametrize("kind", LEARNED)
def test_a_set_that_learns_has_no_inverse(kind, rng):
    """The inverse belongs to a fixed set: that of the data as they were built would be a wrong answer."""
    layer = sr.SoftRadial(LEARNED[kind]())
    x = layer(normal((6, 4), rng)).detach()
    for ask in (layer.inverse, layer.log_abs_det):
        with pytest.raises(ValueError, match="learned data"):
            ask(x)


def _model(layer, dtype=torch.float32):
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, layer.set.dim), layer).to(dtype)


@every_method
@every_set
def test_a_model_starts_at_a_decision(case, method, rng):
    layer = ONE_TO_ONE[method](case.set)
    model = _model(layer, torch.float64)
    x = inside(case, layer, 1, rng)[0]
    bias = layer.start_at(x, model[2])
    assert bias is model[2].bias
    size = float(x.abs().max() + layer.anchor.abs().max())
    assert torch.allclose(model(normal((5, 3), rng)), x.expand(5, -1), rtol=0, atol=50 * case.dim * ulp(x.dtype) * size)


@pytest.mark.parametrize("make", [sr.SoftOrthogonal, sr.Mirror])
def test_other_one_to_one_layers_start_there_too(make, rng):
    layer = make(sr.CappedSimplex(5, 0.4))
    model = _model(layer)
    x = torch.tensor([0.25, 0.15, 0.1, 0.3, 0.2])
    layer.start_at(x, model[2])
    assert torch.allclose(model(normal((5, 3), rng, torch.float32)), x, atol=1e-6)


def test_a_model_that_starts_at_a_decision_trains(rng):
    layer = soft_layer(BY_NAME["capped_simplex"])
    model = _model(layer)
    x = [0.25, 0.15, 0.1, 0.1, 0.2, 0.2]
    layer.start_at(x, model[2], gain=0.1)
    z = normal((64, 3), rng, torch.float32)
    assert bool((model(z) - torch.tensor(x)).abs().max() < 0.2)
    assert bool((model(z) - model(z)[:1]).abs().max() > 0)
    loss = lambda: model(z)[:, 0].mean()
    before = loss()
    before.backward()
    torch.optim.SGD(model.parameters(), lr=1.0).step()
    assert loss() < before


@pytest.mark.parametrize("x, linear, message", [
    ([0.5, 0.5, 0.5], nn.Linear(2, 3), "x is not inside the set"),
    ([1.5, -0.25, -0.25], nn.Linear(2, 3), "x is not inside the set"),
    ([float("nan"), 0.5, 0.5], nn.Linear(2, 3), "x is not inside the set"),
    ([0.2, 0.3, 0.5], nn.Linear(2, 4), "bias of shape"),
    ([0.2, 0.3, 0.5], nn.Linear(2, 3, bias=False), "bias of shape"),
], ids=["beside the hull", "outside", "nan", "another width", "no bias"])
def test_bad_starts(x, linear, message):
    before = linear.weight.clone()
    with pytest.raises(ValueError, match=message):
        sr.SoftRadial(sr.Simplex(3)).start_at(x, linear)
    assert torch.equal(linear.weight, before)


def test_a_start_of_the_wrong_dimension():
    with pytest.raises((ValueError, RuntimeError), match="last dimension must be 3"):
        sr.SoftRadial(sr.Simplex(3)).start_at([0.5, 0.5], nn.Linear(2, 3))
