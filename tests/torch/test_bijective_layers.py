"""SoftOrthogonal and Mirror: the formulas in plain torch, gradients three ways, inverses, densities, strictness."""

import pytest
import torch

import softradial as sr
from support.layers import BALL, CAPPED, POLYHEDRON, polyhedron, rows_for

INF = float("inf")

LAYERS = {
    "soft_orthogonal": lambda: sr.SoftOrthogonal(CAPPED, kappa=0.1, delta=0.05),
    "soft_orthogonal box": lambda: sr.SoftOrthogonal(sr.Box([-1.0, 0.0, -INF], [1.0, INF, 2.0]), kappa=0.1),
    "soft_orthogonal polyhedron": lambda: sr.SoftOrthogonal(POLYHEDRON, kappa=0.1, delta=0.05),
    "soft_orthogonal ball": lambda: sr.SoftOrthogonal(BALL, kappa=0.1, delta=0.05),
    "mirror": lambda: sr.Mirror(CAPPED, temperature=0.5),
    "mirror simplex": lambda: sr.Mirror(sr.Simplex(5)),
    "mirror box": lambda: sr.Mirror(sr.Box([-1.0, 0.0, -INF], [1.0, INF, 2.0])),
    "mirror product": lambda: sr.Mirror(sr.Product([sr.CappedSimplex(3, cap=0.5), sr.Box([0.0], [1.0])])),
}
every_layer = pytest.mark.parametrize("which", LAYERS)


def mirror_by_steps(u, cap, temperature, steps=80):
    """tau by bisection, without a gradient, then one Newton step that has one: unrolled."""
    low, high = u.min(-1, keepdim=True)[0].detach() - 50, u.max(-1, keepdim=True)[0].detach() + 50
    excess = lambda tau: (cap * torch.sigmoid((u - tau) / temperature)).sum(-1, keepdim=True) - 1
    for _ in range(steps):
        middle = (low + high) / 2
        above = excess(middle) > 0
        low, high = torch.where(above, middle, low), torch.where(above, high, middle)
    share = torch.sigmoid((u - low) / temperature)
    tau = low + excess(low) / (cap * share * (1 - share) / temperature).sum(-1, keepdim=True).detach()
    return cap * torch.sigmoid((u - tau) / temperature)


def soft_orthogonal_by_rows(u, A, b, kappa, delta, anchor):
    """The formula, with the quadratic programme's own gradient."""
    project = sr.QpLayer(torch.eye(A.shape[1], dtype=A.dtype), A, b)
    p = anchor + (1 - delta) * (project(-(anchor + (u - anchor) / (1 - delta))) - anchor)
    w = u - p
    gauge = (w @ A.t() / (b - p @ A.t())).max(-1, keepdim=True)[0].clamp_min(0)
    return p + w / (1 / kappa + gauge)


def same_value_and_gradient(layer, formula, u):
    u = u.clone().requires_grad_()
    x, expected = layer(u), formula(u)
    assert torch.allclose(x, expected, rtol=0, atol=1e-11)
    g = torch.randn(x.shape, generator=torch.Generator().manual_seed(3), dtype=x.dtype)
    assert torch.allclose(*[torch.autograd.grad((y * g).sum(), u)[0] for y in (x, expected)], rtol=0, atol=1e-9)


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_mirror_is_its_formula(scale):
    layer = sr.Mirror(CAPPED, temperature=0.5)
    same_value_and_gradient(layer, lambda u: mirror_by_steps(u, 0.3, 0.5), rows_for(layer, rows=20, scale=scale))


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_soft_orthogonal_is_its_formula(scale):
    A, b = polyhedron(4, 9, 0)
    anchor = [0.01, -0.02, 0.0, 0.03]
    layer = sr.SoftOrthogonal(POLYHEDRON, kappa=0.1, delta=0.05, anchor=anchor)
    formula = lambda u: soft_orthogonal_by_rows(u, A, b, 0.1, 0.05, torch.tensor(anchor, dtype=torch.double))
    same_value_and_gradient(layer, formula, rows_for(layer, rows=20, scale=scale))


def test_the_coordinates_of_soft_orthogonal_are_those_of_its_rows():
    """The fused passes of a box against the same box as a polyhedron."""
    eye = torch.eye(3, dtype=torch.double)
    lower, upper = torch.tensor([-1.0, 0.0, 2.0]).double(), torch.tensor([1.0, 0.5, 5.0]).double()
    rows = sr.Polyhedron(torch.cat([eye, -eye]), torch.cat([upper, -lower]))
    anchor = [0.1, 0.2, 3.0]
    layers = [sr.SoftOrthogonal(s, kappa=0.1, delta=0.05, anchor=anchor) for s in (sr.Box(lower, upper), rows)]
    u = rows_for(layers[0], rows=50, scale=4.0)
    assert torch.allclose(layers[0](u), layers[1](u), rtol=0, atol=1e-12)
    assert torch.allclose(layers[0].log_abs_det(u), layers[1].log_abs_det(u), rtol=0, atol=1e-9)


@every_layer
def test_gradients_are_those_of_finite_differences(which):
    layer = LAYERS[which]()
    u = rows_for(layer, rows=5).requires_grad_()
    assert torch.autograd.gradcheck(layer, (u,), eps=1e-7, atol=1e-6, check_forward_ad=True)


@every_layer
def test_the_inverse_undoes_the_layer(which):
    layer = LAYERS[which]()
    x = layer(rows_for(layer, rows=30, scale=2.0))
    u = layer.inverse(x)
    assert torch.allclose(layer(u), x, rtol=0, atol=1e-12)
    assert layer.inverse(x + 10).isnan().all() or "box" in which


@every_layer
def test_log_abs_det_is_that_of_the_jacobian(which):
    layer = LAYERS[which]()
    anchor = sr.SoftRadial(layer.set)
    normals = anchor.projection.normals
    basis = torch.eye(layer.set.dim).double()
    if len(normals):
        basis = torch.linalg.svd(normals, full_matrices=True)[2][normals.shape[0]:].t()
    for row in rows_for(layer, rows=8):
        J = torch.autograd.functional.jacobian(layer, row)
        expected = torch.linalg.slogdet(basis.t() @ J @ basis)[1]
        assert torch.allclose(layer.log_abs_det(row), expected, rtol=0, atol=1e-7)


@every_layer
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_results_are_strictly_inside(which, dtype):
    layer = LAYERS[which]()
    scales = torch.tensor([1e-30, 1.0, 50.0, 1e6, 1e18, 1e37], dtype=dtype).repeat_interleave(50).unsqueeze(-1)
    u = rows_for(layer, rows=300, dtype=dtype) * scales
    x = layer(u)
    assert x.isfinite().all() and not layer.set.violation(x).any()
    if hasattr(layer.set, "lower") or "box" in which:
        low, high = torch.tensor([-1.0, 0.0, -float("inf")]), torch.tensor([1.0, float("inf"), 2.0])
        assert (x > low).all() and (x < high).all()
    elif layer.set is CAPPED:
        assert (x > 0).all() and (x.double() < 0.3).all()


@every_layer
def test_inverse_and_density_have_no_gradient_and_say_so(which):
    layer = LAYERS[which]()
    u = rows_for(layer).requires_grad_()
    with pytest.raises(RuntimeError, match="log_abs_det has no gradient"):
        layer.log_abs_det(u).sum().backward()
    with pytest.raises(RuntimeError, match="inverse has no gradient"):
        layer.inverse(layer(u)).sum().backward()


def test_other_layers_have_no_inverse():
    layer = sr.Orthogonal(CAPPED)
    with pytest.raises(RuntimeError, match="inverse is for soft_radial, hard_radial, gauge_map, soft_orthogonal and mirror"):
        layer.layer.inverse(torch.rand(2, 6))


@every_layer
def test_a_scripted_layer_has_its_inverse(which):
    layer = LAYERS[which]()
    scripted = torch.jit.script(layer)
    u = rows_for(layer)
    assert torch.equal(scripted(u), layer(u))
    assert torch.equal(scripted.inverse(layer(u)), layer.inverse(layer(u)))
    assert torch.equal(scripted.log_abs_det(u), layer.log_abs_det(u))
