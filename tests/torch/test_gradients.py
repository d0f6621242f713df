"""Derivatives on fixed sets: against finite differences, backward against forward mode, kernels against ATen."""

import pytest
import torch
from torch import nn
from torch.autograd import forward_ad, gradcheck, gradgradcheck

import softradial as sr
from softradial.distributions import hull_basis
from support.inputs import at_scales, normal, uniform
from support.judge import ulp
from support.smoothness import forward_jacobian, jacobian, smooth_rows
from support.zoo import METHODS, ONE_TO_ONE, ZOO, soft_layer

every_set = pytest.mark.parametrize("case", ZOO, ids=repr)
every_method = pytest.mark.parametrize("method", METHODS)
every_injection = pytest.mark.parametrize("method", ONE_TO_ONE)


def smooth_inputs(function, dim, rng, count=3, scale=2.0):
    """Rows away from the kinks of a function, some inside the set and some outside."""
    u = normal((64, dim), rng, scale=scale)
    rows = smooth_rows(function, [u], rng)
    assert len(rows) >= count
    return u[rows[:count]].clone().requires_grad_()


@pytest.mark.parametrize("lambda_", [1e-2, 1.0, 1e2])
@every_set
def test_single_precision_keeps_the_slope_along_the_ray(case, lambda_, rng):
    """Up to 300 sqrt(lambda) from the anchor, the bound that docs/boundaries.md gives those who choose lambda."""
    layer = sr.SoftRadial(case.set, lambda_=lambda_)
    inside = sr.HardRadial(case.set)(layer.anchor + 1e-3 * normal((200, case.dim), rng)) - layer.anchor
    d = inside / inside.norm(dim=-1, keepdim=True)
    u = (layer.anchor + 300 * lambda_**0.5 * d).float().requires_grad_()
    layer(u).backward(d.float())
    assert ((u.grad.double() * d).sum(-1) > 0).all()


@every_method
@every_set
def test_first_and_second_derivatives(case, method, rng):
    layer = METHODS[method](case.set)
    u = smooth_inputs(layer, case.dim, rng)
    assert gradcheck(layer, (u,))
    assert gradgradcheck(layer, (u,), fast_mode=True)


@every_method
@every_set
def test_forward_mode_is_the_transpose_of_backward(case, method, rng):
    layer = METHODS[method](case.set)
    u = smooth_inputs(layer, case.dim, rng, count=6)
    forward, backward = forward_jacobian(layer, u), jacobian(layer, u)
    # The two are computed by different code, each to some dim ulp of the terms, which are of the size of the whole.
    bound = 1e3 * case.dim * ulp(torch.float64) * backward.abs().amax((-2, -1), keepdim=True)
    assert bool(((forward - backward).abs() <= bound).all())


def composite(layer, u):
    """The layer in ATen ops: what a trace records."""
    return torch.jit.trace(layer, u.detach(), check_trace=False)


@pytest.mark.parametrize("method, dtype", [
    *((method, torch.float64) for method in METHODS),
    *((method, torch.float32) for method in ("soft_rational", "gauge_exponential", "hard")),
])
@every_set
def test_kernels_agree_with_the_composite(case, method, dtype, rng):
    layer = METHODS[method](case.set)
    u = smooth_inputs(layer, case.dim, rng, count=6).detach().to(dtype).requires_grad_()
    grad_x = normal(u.shape, rng, dtype)
    x = layer(u)
    grad_u, = torch.autograd.grad(x, u, grad_x)
    with torch.jit.optimized_execution(False):
        plain = composite(layer, u)(u)
        grad_plain, = torch.autograd.grad(plain, u, grad_x)
    # Root finders and eigensolvers of the two differ by more than sums do.
    tolerance = 1e3 * case.dim * ulp(dtype)
    assert bool(((x - plain).abs() <= tolerance * (x.abs().amax(-1, keepdim=True) + layer.anchor.abs().max())).all())
    # J'g is a difference of terms as large as g.
    assert bool(((grad_u - grad_plain).abs() <= tolerance * grad_x.abs().sum(-1, keepdim=True)).all())


@every_injection
@every_set
def test_log_det_derivatives(case, method, rng):
    layer = METHODS[method](case.set)
    u = smooth_inputs(layer, case.dim, rng, count=2)
    assert gradcheck(layer.log_abs_det, (u,))
    assert gradgradcheck(layer.log_abs_det, (u,), fast_mode=True)


@pytest.mark.parametrize("method", ["soft_rational", "soft_hyperbolic", "gauge_exponential"])
@every_set
def test_inverse_derivatives(case, method, rng):
    """On the hull, in coordinates v of its own: beside the hull there is no inverse."""
    layer = METHODS[method](case.set)
    basis = hull_basis(layer)
    ends = sr.HardRadial(case.set)(layer.anchor + 3 * normal((64, basis.shape[1]), rng) @ basis.T)
    v = uniform((64, 1), rng, 0.1, 0.9) * (ends - layer.anchor) @ basis
    inverse = lambda v: layer.inverse(layer.anchor + v @ basis.T)
    v = v[smooth_rows(inverse, [v], rng)[:2]].clone().requires_grad_()
    assert len(v) == 2
    assert gradcheck(inverse, (v,))
    assert gradgradcheck(inverse, (v,), fast_mode=True)


@every_method
@every_set
def test_subgradient_at_the_anchor(case, method):
    """J = phi(0) P there, P the projector onto the hull's directions: nothing prefers a direction."""
    layer = METHODS[method](case.set)
    normals = layer.projection.normals
    projector = torch.eye(case.dim, dtype=torch.float64) - normals.T @ normals
    found = jacobian(layer, layer.anchor.unsqueeze(0))[0]
    slope = {"soft": 0.01, "hard": 1.0, "gauge": 1.0}[method.split("_")[0]]
    assert torch.allclose(found, slope * projector, rtol=0, atol=1e-9)


@every_method
@pytest.mark.parametrize("case, ray", [(case, ray) for case in ZOO for ray in case.rays], ids=str)
def test_gradients_where_the_ray_never_leaves(case, ray, method):
    """gamma = 0: finite, and 0 is taken as the gauge's subgradient, so that the map moves freely along the ray."""
    layer = METHODS[method](case.set)
    ray = torch.tensor(ray, dtype=torch.float64)
    u = layer.anchor + torch.tensor([[0.1], [1.0], [30.0], [1e6]], dtype=torch.float64) * ray
    found = jacobian(layer, u)
    assert bool(found.isfinite().all())
    forward = (found @ ray) @ ray / ray.dot(ray)
    assert bool((forward > 0).all())


@every_method
@every_set
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
def test_gradients_of_huge_rows_are_finite(case, method, dtype, rng):
    largest = torch.finfo(dtype).max
    u = at_scales(5, case.dim, [1.0, 1e6, 1e19, 1e30, largest / 1e6, largest], rng, dtype).requires_grad_()
    layer = METHODS[method](case.set)
    # Along an open direction x itself is huge, and a derivative may be up to |x| over the distance to a bound.
    grad_u, = torch.autograd.grad(layer(u), u, normal(u.shape, rng, dtype) / 64)
    assert bool(grad_u.isfinite().all())


@every_set
def test_ties_have_a_subgradient(case):
    """All coordinates alike, as at the start of a training: some subgradient, finite, the same in every run."""
    layer = soft_layer(case)
    u = torch.full((4, case.dim), 7.0, dtype=torch.float64)
    first = jacobian(layer, u)
    assert bool(first.isfinite().all())
    assert torch.equal(first, jacobian(layer, u))


def test_no_gradient_is_recorded_without_need():
    layer = sr.SoftRadial(sr.Simplex(3))
    u = torch.zeros(2, 3, requires_grad=True)
    with torch.no_grad():
        assert not layer(u).requires_grad
    with torch.inference_mode():
        assert layer(u).shape == u.shape
    x = layer(u)
    assert x.grad_fn is not None
    x.sum().backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        x.sum().backward()


def test_a_row_changed_after_the_call_is_noticed():
    """u is needed again by the backward pass."""
    u = torch.zeros(2, 3, requires_grad=True) + 1
    x = sr.SoftRadial(sr.Simplex(3))(u)
    u.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        x.sum().backward()


@every_set
def test_batched_derivatives(case, rng):
    """Jacobians and Hessians by torch.autograd.functional, one row after the other and all at once."""
    layer = soft_layer(case)
    u = smooth_inputs(layer, case.dim, rng, count=1)[0].detach()
    plain = torch.autograd.functional.jacobian(layer, u)
    assert torch.allclose(plain, jacobian(layer, u.unsqueeze(0))[0], rtol=1e-12, atol=1e-14)
    assert torch.allclose(torch.autograd.functional.jacobian(layer, u, vectorize=True), plain, rtol=1e-12, atol=1e-14)
    hessian = torch.autograd.functional.hessian(lambda v: layer(v).sin().sum(), u)
    assert torch.allclose(hessian, hessian.T, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("size", [1e-15, 1.0, 1e18, 1e25])
@pytest.mark.parametrize("contraction", ["rational", "exponential", "hyperbolic"])
@pytest.mark.parametrize("kind", ["ball", "box"])
def test_tangents_of_single_precision_keep_their_digits(kind, contraction, size, rng):
    """Forward mode in float32 is that in float64 to rounding, however large or small the set: a tangent of 1 moves the gauge
    of a set of 1e25 by 1e-50 in units of u."""
    side = torch.full((3,), size)
    layer = sr.SoftRadial(sr.Ball(torch.zeros(3), size) if kind == "ball" else sr.Box(-side, side), contraction=contraction)
    u = nn.functional.normalize(normal((40, 3), rng)) * size * torch.tensor([1e-3, 0.5, 1.1, 1e3]).repeat(10)[:, None]
    u, t = u.float(), normal((40, 3), rng).float()
    with forward_ad.dual_level():
        narrow = forward_ad.unpack_dual(layer(forward_ad.make_dual(u, t)))
        wide = forward_ad.unpack_dual(layer(forward_ad.make_dual(u.double(), t.double()))).tangent
    assert torch.equal(narrow.primal, layer(u))
    assert torch.all((narrow.tangent - wide).norm(dim=1) <= 1e-5 * (wide.norm(dim=1) + 1e-3))
