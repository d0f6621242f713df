"""A bad row is marked and comes out as NaN with gradient 0; no other row, and nothing that rows share, notices."""

import pytest
import torch
from torch import nn

import softradial as sr
from support.inputs import normal
from support.samples import KINDS, draw
from support.sets.rows import BOUNDS, ROWS
from support.zoo import METHODS, ZOO, soft_layer

NAN, INF = float("nan"), float("inf")
BAD_NUMBERS = {"nan": NAN, "inf": INF, "minus_inf": -INF}

two_precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
all_precisions = pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.half, torch.bfloat16], ids=["f32", "f64", "f16", "bf16"]
)


def evaluate(layer, u, grad_x, **data):
    """x, status, the gradient of u and those of the data. A loss makes NaN of NaN: so does grad_x."""
    u = u.clone().requires_grad_()
    data = {name: values.clone().requires_grad_() for name, values in data.items()}
    x = layer(u, **data)
    x.backward(torch.where(x.isnan(), x.detach(), grad_x))
    return x.detach(), layer.status, u.grad, {name: values.grad for name, values in data.items()}


@pytest.mark.parametrize("bad", BAD_NUMBERS)
@all_precisions
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_a_row_that_is_not_finite(case, dtype, bad, rng):
    layer = soft_layer(case)
    good = normal((6, case.dim), rng, dtype, scale=2)
    grad_x = normal(good.shape, rng, dtype)
    u = good.clone()
    u[2, case.dim - 1] = BAD_NUMBERS[bad]
    u[4, 0] = BAD_NUMBERS[bad]
    others = [0, 1, 3, 5]

    expected, status, expected_grad, _ = evaluate(layer, good, grad_x)
    assert status.dtype == torch.int8 and status.tolist() == [0] * 6
    x, status, grad_u, _ = evaluate(layer, u, grad_x)
    assert status.tolist() == [0, 0, 1, 0, 1, 0]
    assert bool(x[[2, 4]].isnan().all()) and bool((grad_u[[2, 4]] == 0).all())
    assert torch.equal(x[others], expected[others])
    assert torch.equal(grad_u[others], expected_grad[others])


def with_anchor_gradients(table):
    """Each entry; those on polyhedra also with gradients through their analytic centres."""
    polyhedra = [which for which, entry in table.items() if str(entry[0]).startswith("polyhedron")]
    return [(which, False) for which in table] + [(which, True) for which in polyhedra]


def _spoiled(values, row, number):
    values = values.clone()
    values[row] = number
    return values


# set, data of 5 samples, and the data with a sample 3 that has no interior
INFEASIBLE = {
    "caps below the sum": (sr.CappedSimplex(4, 0.5), {"cap": torch.full((5, 4), 0.5)}, {"cap": 0.1}),
    "a negative cap": (sr.CappedSimplex(4, 0.5), {"cap": torch.full((5, 4), 0.5)}, {"cap": -1.0}),
    "a cap that is none": (sr.CappedSimplex(4, 0.5), {"cap": torch.full((5, 4), 0.5)}, {"cap": NAN}),
    "a sum above the caps": (sr.CappedSimplex(4, 0.5), {"sum": torch.ones(5)}, {"sum": 2.5}),
    "a negative sum": (sr.Simplex(4), {"sum": torch.ones(5)}, {"sum": -1.0}),
    "a sum that is none": (sr.Simplex(4), {"sum": torch.ones(5)}, {"sum": NAN}),
    "an empty box": (
        sr.Box([0.0] * 4, [1.0] * 4),
        {"lower": torch.zeros(5, 4), "upper": torch.ones(5, 4)},
        {"lower": 2.0},
    ),
    "a box turned inside out": (
        sr.Box([0.0] * 4, [1.0] * 4),
        {"lower": torch.zeros(5, 4), "upper": torch.ones(5, 4)},
        {"lower": 2.0},
    ),
    "an empty polyhedron": (sr.Polyhedron(ROWS, BOUNDS), {"b": BOUNDS.repeat(5, 1)}, {"b": -1.0}),
    "bounds that are none": (sr.Polyhedron(ROWS, BOUNDS), {"b": BOUNDS.repeat(5, 1)}, {"b": NAN}),
    "rows that are none": (sr.Polyhedron(ROWS, BOUNDS), {"A": ROWS.repeat(5, 1, 1)}, {"A": NAN}),
    "a negative radius": (sr.Ball([0.0] * 4, 1.0), {"radius": torch.ones(5)}, {"radius": -1.0}),
    "a radius of 0": (sr.Ball([0.0] * 4, 1.0), {"radius": torch.ones(5)}, {"radius": 0.0}),
    "a center that is none": (sr.Ball([0.0] * 4, 1.0), {"center": torch.zeros(5, 4)}, {"center": NAN}),
    "a negative scale": (sr.Simplex(4), {"scale": torch.ones(5)}, {"scale": -1.0}),
    "a scale of 0": (sr.Simplex(4), {"scale": torch.ones(5)}, {"scale": 0.0}),
    "a scale that is none": (sr.Simplex(4), {"scale": torch.ones(5)}, {"scale": NAN}),
    "an infinite scale": (sr.Simplex(4), {"scale": torch.ones(5)}, {"scale": INF}),
    "an anchor outside": (sr.Ball([0.0] * 4, 1.0), {"anchor": torch.zeros(5, 4)}, {"anchor": 1.0}),
    "an anchor outside a box": (sr.Box([-1.0] * 4, [1.0] * 4), {"anchor": torch.zeros(5, 4)}, {"anchor": 1.0}),
    "an anchor outside a polyhedron": (sr.Polyhedron(ROWS, BOUNDS), {"anchor": torch.zeros(5, 4)}, {"anchor": 9.0}),
    "an anchor that is none": (sr.Ball([0.0] * 4, 1.0), {"anchor": torch.zeros(5, 4)}, {"anchor": NAN}),
    "an anchor that is none in a box": (sr.Box([-1.0] * 4, [1.0] * 4), {"anchor": torch.zeros(5, 4)}, {"anchor": NAN}),
}


@two_precisions
@pytest.mark.parametrize("which, anchor_gradient", with_anchor_gradients(INFEASIBLE))
def test_a_sample_without_an_interior(which, dtype, anchor_gradient, rng):
    set, data, number = INFEASIBLE[which]
    layer = sr.SoftRadial(set, anchor_gradient=anchor_gradient)
    u = normal((5, 4), rng, dtype, scale=2)
    grad_x = normal(u.shape, rng, dtype)
    good = {name: values.to(dtype) for name, values in data.items()}
    bad = {name: _spoiled(values, 3, number[name]) if name in number else values for name, values in good.items()}
    others = [0, 1, 2, 4]

    expected, status, expected_grad, expected_data = evaluate(layer, u, grad_x, **good)
    assert status.tolist() == [0] * 5
    x, status, grad_u, grad_data = evaluate(layer, u, grad_x, **bad)
    assert status.tolist() == [0, 0, 0, 2, 0]
    assert bool(x[3].isnan().all()) and bool((grad_u[3] == 0).all())
    assert torch.equal(x[others], expected[others]) and torch.equal(grad_u[others], expected_grad[others])
    for name in bad:
        assert torch.equal(grad_data[name][others], expected_data[name][others])
        assert bool((grad_data[name][3] == 0).all())


def _shared(kind):
    """One sample's data of a kind, for all rows."""
    return {name: values[0] for name, values in draw(kind, 1, torch.Generator().manual_seed(0)).items()}


# Data that all samples share and that learn.
SHARED = {
    **{kind: (KINDS[kind].set, _shared(kind)) for kind in KINDS},
    "scale": (sr.Simplex(4), {"scale": torch.tensor(1.0)}),
    "anchor": (sr.Ball([0.0] * 4, 1.0), {"anchor": torch.zeros(4)}),
}


@all_precisions
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_a_bound_that_is_not_a_number_is_no_open_side(side, dtype):
    layer = sr.SoftRadial(sr.Box([-INF, 0.0], [1.0, INF]))
    bounds = {"lower": [[-INF, 0.0]] * 2, "upper": [[1.0, INF]] * 2}[side]
    bounds = torch.tensor(bounds, dtype=dtype)
    bounds[1, 0 if side == "lower" else 1] = NAN
    x = layer(torch.full((2, 2), 5.0, dtype=dtype), **{side: bounds})
    assert layer.status.tolist() == [0, 2]
    assert x[0].isfinite().all() and x[1].isnan().all()


@pytest.mark.parametrize("method", ["soft_rational", "hard", "gauge_exponential"])
@two_precisions
@pytest.mark.parametrize("which, anchor_gradient", with_anchor_gradients(SHARED))
def test_what_rows_share_learns_from_the_good_ones_only(which, dtype, method, anchor_gradient, rng):
    set, data = SHARED[which]
    layer = METHODS[method](set, anchor_gradient=anchor_gradient)
    data = {name: values.to(dtype) for name, values in data.items()}
    u, grad_x = normal((5, 4), rng, dtype, scale=2), normal((5, 4), rng, dtype)
    u[3, 1] = NAN
    others = [0, 1, 2, 4]
    _, status, _, grads = evaluate(layer, u, grad_x, **data)
    assert status.tolist() == [0, 0, 0, 1, 0]
    _, _, _, expected = evaluate(layer, u[others], grad_x[others], **data)
    for name in data:
        if expected[name] is None:
            assert grads[name] is None
            continue
        assert torch.allclose(grads[name], expected[name], rtol=1e-5 if dtype == torch.float32 else 1e-12, atol=1e-30)


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_a_network_before_the_layer_stays_finite(case, rng):
    """The weights that all rows share get no NaN from a row that is NaN after them: its cotangent is 0."""
    linear = nn.Linear(case.dim, case.dim).double()
    z = normal((5, case.dim), rng)
    u = linear(z)
    poison = torch.zeros_like(u)
    poison[1] = NAN
    soft_layer(case)(u + poison).square().sum().backward()
    assert bool(linear.weight.grad.isfinite().all())


@two_precisions
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_second_derivatives_of_a_bad_row_are_zero(case, dtype, rng):
    layer = soft_layer(case)
    u = normal((4, case.dim), rng, dtype)
    u[1, 0] = INF
    u.requires_grad_()
    x = layer(u)
    first, = torch.autograd.grad(x, u, torch.ones_like(x), create_graph=True)
    assert bool((first[1] == 0).all())
    second, = torch.autograd.grad(first.square().sum(), u)
    assert bool(second.isfinite().all()) and bool((second[1] == 0).all())


@pytest.mark.parametrize("value", BAD_NUMBERS)
@pytest.mark.parametrize("data", [{}, {"cap": torch.full((3,), 0.5)}], ids=["fixed", "samples"])
def test_check_finite_names_the_row(data, value):
    layer = sr.SoftRadial(sr.CappedSimplex(3, 0.5), check_finite=True)
    u = torch.zeros(2, 3, 3)
    assert bool(layer(u, **data).isfinite().all())
    u[1, 1, 2] = BAD_NUMBERS[value]
    with pytest.raises(ValueError, match="^row 4 has a NaN or an infinity$"):
        layer(u, **data)


def test_status_is_of_the_last_call():
    layer = sr.SoftRadial(sr.Simplex(3))
    assert layer.status.shape == (0,)
    bad = torch.tensor([[0.0, 0, 0], [NAN, 0, 0]])
    layer(bad)
    assert layer.status.tolist() == [0, 1]
    layer(bad, sum=torch.tensor([-1.0, 1.0]))
    assert layer.status.tolist() == [2, 1]
    layer(torch.zeros(2, 2, 3))
    assert layer.status.tolist() == [[0, 0], [0, 0]]
    layer(torch.zeros(3))
    assert layer.status.tolist() == 0


def test_status_does_not_change_with_what_becomes_of_x():
    """x is the caller's: what becomes of it later does not change the status. Where the status has to be read off x (types
    without a fused kernel), a change of x before that is an error, not a wrong answer."""
    layer = sr.SoftRadial(sr.Simplex(3))
    u = torch.tensor([[0.0, 0, 0], [NAN, 0, 0]])
    x = layer(u)
    assert layer.status.tolist() == [0, 1]
    x.nan_to_num_(0.0)
    assert layer.status.tolist() == [0, 1]
    layer(u).nan_to_num_(0.0)
    assert layer.status.tolist() == [0, 1]
    layer(u.to(torch.bfloat16)).nan_to_num_(0.0)
    with pytest.raises(RuntimeError, match="changed in place"):
        layer.projection.status()
