"""Layers with first derivatives only: right in forward mode as in backward mode, and an error where there is no more."""

import pytest
import torch
from torch.autograd import forward_ad

import softradial as sr
from support.layers import CAPPED, FIRST_ORDER_ONLY, LAYERS, qp_data, rows_for
from support.smoothness import forward_jacobian

ONLY_FIRST = "has first derivatives only: its gradient cannot be differentiated again"
every_layer = pytest.mark.parametrize("name", FIRST_ORDER_ONLY)


def row_jacobian(function, u):
    """One row after the other by backward mode."""
    return torch.stack([torch.autograd.functional.jacobian(function, row) for row in u])


@every_layer
def test_forward_mode_is_the_transpose_of_backward(name):
    layer, u = FIRST_ORDER_ONLY[name]()
    assert torch.allclose(forward_jacobian(layer, u), row_jacobian(layer, u), rtol=1e-9, atol=1e-11)


@every_layer
def test_forward_mode_of_shapes(name):
    """One row, no row, and several dimensions of a batch."""
    layer, u = FIRST_ORDER_ONLY[name]()
    tangent = torch.linspace(-1, 1, u.numel(), dtype=u.dtype).reshape(u.shape)
    expected = torch.einsum("r...j,rj->r...", row_jacobian(layer, u), tangent)
    for shape in ((-1,), (2, 2), (1, 4)):
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(u.reshape(*shape, u.shape[-1]), tangent.reshape(*shape, u.shape[-1]))
            found = forward_ad.unpack_dual(layer(dual)).tangent
        assert torch.allclose(found.reshape(expected.shape), expected, rtol=1e-9, atol=1e-11)
    with forward_ad.dual_level():
        for rows in (slice(0, 1), slice(0, 0)):
            found = forward_ad.unpack_dual(layer(forward_ad.make_dual(u[rows], tangent[rows]))).tangent
            assert torch.allclose(found, expected[rows], rtol=1e-9, atol=1e-11)


@every_layer
def test_a_second_derivative_is_an_error_that_says_so(name):
    layer, u = FIRST_ORDER_ONLY[name]()
    u = u.clone().requires_grad_()
    gradient, = torch.autograd.grad(layer(u).sum(), u, create_graph=True)
    assert gradient.requires_grad
    with pytest.raises(RuntimeError, match=ONLY_FIRST):
        gradient.sum().backward()


@every_layer
def test_forward_over_backward_is_an_error_that_says_so(name):
    layer, u = FIRST_ORDER_ONLY[name]()
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(u.clone().requires_grad_(), torch.ones_like(u))
        x = layer(dual)
        with pytest.raises(RuntimeError, match=ONLY_FIRST):
            torch.autograd.grad(x.sum(), dual)


@every_layer
def test_backward_over_forward_is_an_error_that_says_so(name):
    layer, u = FIRST_ORDER_ONLY[name]()
    u = u.clone().requires_grad_()
    with forward_ad.dual_level():
        tangent = forward_ad.unpack_dual(layer(forward_ad.make_dual(u, torch.ones_like(u)))).tangent
        with pytest.raises(RuntimeError, match=ONLY_FIRST):
            tangent.sum().backward()


@every_layer
def test_the_tangent_of_a_cotangent(name):
    """A graph that was recorded without tangents, and a cotangent that has one."""
    layer, u = FIRST_ORDER_ONLY[name]()
    u = u.clone().requires_grad_()
    x = layer(u)
    with forward_ad.dual_level():
        with pytest.raises(RuntimeError, match=ONLY_FIRST):
            torch.autograd.grad(x, u, forward_ad.make_dual(torch.ones_like(x), torch.ones_like(x)))


@pytest.mark.parametrize("data", [{}, {"cap": 0.6}])
def test_the_tangent_of_a_cotangent_of_our_own_layers(data):
    """J' is linear in the cotangent: the tangent of J'g is J' applied to that of g."""
    layer = sr.SoftRadial(sr.CappedSimplex(4, cap=0.5))
    u = torch.tensor([0.3, -1.0, 2.0, 0.1], dtype=torch.double, requires_grad=True)
    given = {name: torch.full((4,), value, dtype=torch.double, requires_grad=True) for name, value in data.items()}
    x = layer(u, **given)
    g, h = torch.tensor([1.0, 2.0, -1.0, 0.5]).double(), torch.tensor([0.0, 1.0, 1.0, -2.0]).double()
    inputs = [u, *given.values()]
    expected = torch.autograd.grad(x, inputs, h, retain_graph=True)
    with forward_ad.dual_level():
        found = torch.autograd.grad(x, inputs, forward_ad.make_dual(g, h))
        for one, other in zip(found, expected):
            assert torch.allclose(forward_ad.unpack_dual(one).tangent, other, rtol=1e-9, atol=1e-12)


def test_a_result_that_was_changed_in_place_is_noticed():
    """The backward pass needs x again."""
    u = rows_for(LAYERS["orthogonal"]()).requires_grad_()
    x = sr.Orthogonal(CAPPED)(u)
    with torch.no_grad():
        x.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        x.sum().backward()


def test_evaluation_without_a_derivative_refuses_a_tangent():
    for layer in (sr.Dc3(CAPPED).eval(), sr.HardNet(CAPPED).eval()):
        u = rows_for(layer)
        with forward_ad.dual_level(), pytest.raises(RuntimeError, match="use training mode"):
            layer(forward_ad.make_dual(u, torch.ones_like(u)))


@pytest.mark.parametrize("moved", ["h", "b"])
def test_a_quadratic_programmes_limits_in_forward_mode(moved):
    Q, G, h, A, b, p = qp_data()
    layer = sr.QpLayer(Q, G, h, A, b)
    value = {"h": h, "b": b}[moved]
    run = lambda t: layer(p, **{moved: t})
    expected = torch.autograd.functional.jacobian(run, value)
    with forward_ad.dual_level():
        for j in range(len(value)):
            unit = torch.zeros_like(value)
            unit[j] = 1
            found = forward_ad.unpack_dual(run(forward_ad.make_dual(value, unit))).tangent
            assert torch.allclose(found, expected[..., j], rtol=1e-9, atol=1e-11)


def test_a_quadratic_programmes_matrices_have_backward_mode_only():
    Q, G, h, A, b, p = qp_data()
    with forward_ad.dual_level():
        layer = sr.QpLayer(Q, forward_ad.make_dual(G, torch.ones_like(G)), h, A, b)
        with pytest.raises((RuntimeError, ValueError), match="qp has no forward-mode derivative to data that all rows"):
            layer(p)
