"""Every set, in every dtype, memory layout and batch shape, with and without gradients: the same laws."""

import pytest
import torch

from support.inputs import normal
from support.judge import faults, ulp
from support.zoo import METHODS, ZOO, soft_layer

SHAPES = [(), (0,), (1,), (5,), (2, 3)]


def _transposed(u):
    return u.transpose(0, -1).contiguous().transpose(0, -1)


def _sliced(u):
    return torch.stack([u, torch.full_like(u, float("nan"))], dim=-2)[..., 0, :]


def _every_other_column(u):
    return torch.stack([u, torch.full_like(u, float("nan"))], dim=-1)[..., 0]


def _expanded(u):
    return u.reshape(-1, u.shape[-1])[:1].sum(0).expand(u.shape)


def _one_number(u):
    return u.reshape(-1)[:1].sum().expand(u.shape)


LAYOUTS = {
    "contiguous": lambda u: u,
    "transposed": _transposed,
    "sliced": _sliced,
    "every_other_column": _every_other_column,
    "expanded": _expanded,
    "one_number": _one_number,
}


def _evaluate(layer, u, grad_x, requires_grad):
    """x, and the gradient of u if it was asked for."""
    u = u.detach().requires_grad_(requires_grad)
    x = layer(u)
    assert x.requires_grad == requires_grad
    return x.detach(), torch.autograd.grad(x, u, grad_x)[0] if requires_grad else None


@pytest.mark.parametrize("requires_grad", [False, True], ids=["value", "gradient"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_laws(case, dtype, layout, shape, requires_grad, rng):
    layer = soft_layer(case)
    u = LAYOUTS[layout](normal((*shape, case.dim), rng, dtype, scale=3))
    grad_x = LAYOUTS[layout](normal(u.shape, rng, dtype))
    x, grad_u = _evaluate(layer, u, grad_x, requires_grad)

    assert x.shape == u.shape and x.dtype == dtype
    assert faults(case.judge, x, layer.anchor) == []
    plain = _evaluate(layer, u.clone(memory_format=torch.contiguous_format), grad_x.clone(), requires_grad)
    assert torch.equal(x, plain[0])
    if requires_grad:
        assert grad_u.shape == u.shape and grad_u.dtype == dtype
        assert bool(grad_u.isfinite().all())
        assert torch.equal(grad_u, plain[1])


def _row_tolerance(case, dtype):
    # Sums of dim products in another order differ by dim ulp of their terms, in the gauge and in the hull's projection.
    return 0.0 if case.bitwise else 4 * case.dim * ulp(dtype)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_a_row_alone_is_the_row_in_a_batch(case, dtype, method, rng):
    layer = METHODS[method](case.set)
    u = normal((9, case.dim), rng, dtype, scale=3)
    grad_x = normal(u.shape, rng, dtype)
    x, grad_u = _evaluate(layer, u, grad_x, True)
    alone = [_evaluate(layer, row, grad_row, True) for row, grad_row in zip(u, grad_x)]
    for batched, rows in ((x, [a[0] for a in alone]), (grad_u, [a[1] for a in alone])):
        bound = _row_tolerance(case, dtype) * batched.abs().amax(-1, keepdim=True)
        assert bool(((torch.stack(rows) - batched).abs() <= bound).all())


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16], ids=["f16", "bf16"])
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_reduced_precision(case, dtype, layout, shape, rng):
    layer = soft_layer(case)
    u = LAYOUTS[layout](normal((*shape, case.dim), rng, dtype, scale=3))
    grad_x = normal(u.shape, rng, dtype)
    x, grad_u = _evaluate(layer, u, grad_x, True)
    assert x.shape == grad_u.shape == u.shape and x.dtype == grad_u.dtype == dtype
    assert faults(case.judge, x, layer.anchor) == []
    assert bool(grad_u.isfinite().all())
    assert torch.equal(x, _evaluate(layer, u, grad_x, False)[0])

    # Computed in single precision by ATen, which sums rows of another layout in another order: dim ulp of f32, before
    # the result is rounded, which may tip it over by one ulp of its own. A gradient is a difference of terms as large
    # as grad_x.
    plain = _evaluate(layer, u.clone(memory_format=torch.contiguous_format), grad_x, True)
    summed = 4 * case.dim * ulp(torch.float32)
    for one, other, terms in ((x, plain[0], x), (grad_u, plain[1], grad_x)):
        bound = ulp(dtype) * one.abs().double() + summed * terms.abs().double().sum(-1, keepdim=True)
        assert bool(((one.double() - other.double()).abs() <= bound).all())
