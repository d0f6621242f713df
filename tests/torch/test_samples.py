"""Sets that change from sample to sample: equal to fixed sets where the data are equal, differentiable in all data."""

import re

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck, gradgradcheck

import softradial as sr
from support.case import DIM
from support.inputs import normal, uniform
from support.judge import ulp
from support.samples import CALLS, KINDS, draw
from support.sets import gather
from support.sets.rows import EQUALITY
from support.smoothness import smooth_rows
from support.zoo import METHODS, ZOO

# Sets of samples are shrunk by 1e-12 to cover the rounding of constants that fixed sets compute in extended precision;
# four times that for the pieces of a combination.
SAMPLE_GUARD = 4e-12

some_methods = pytest.mark.parametrize("method", ["soft_rational", "soft_exponential", "gauge_hyperbolic", "hard"])
every_kind = pytest.mark.parametrize("kind", KINDS)
every_call = pytest.mark.parametrize("name", CALLS)
every_datum = pytest.mark.parametrize("kind, name", [(kind, name) for kind in KINDS for name in KINDS[kind].data])


def smooth_samples(function, rng, data, rows=2):
    """Rows of u and of the data away from kinks, all requiring gradients."""
    u = normal((40, DIM), rng, scale=2)
    inputs = [u, *data]
    keep = smooth_rows(function, inputs, rng)[:rows]
    assert len(keep) == rows
    return tuple(tensor[keep].clone().requires_grad_() for tensor in inputs)


# --------------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
@some_methods
@every_kind
def test_samples_with_equal_data_are_the_fixed_set(kind, method, dtype, rng):
    data = {name: values[0].to(dtype) for name, values in draw(kind, 1, rng).items()}
    fixed = KINDS[kind].fixed(**data)
    u = normal((7, DIM), rng, dtype, scale=3)
    layer = METHODS[method](KINDS[kind].set)
    own = METHODS[method](fixed)
    rows = {name: values.expand(7, *values.shape) for name, values in data.items()}
    anchor = own.anchor.to(dtype)
    expected = METHODS[method](fixed.with_anchor(anchor))(u)
    # Constants of a fixed set are computed in extended precision, those of samples in double or in u's precision.
    close = dict(rtol=0, atol=(SAMPLE_GUARD + 50 * DIM * ulp(dtype)) * float(expected.abs().max()))
    for given in (data, rows):
        assert torch.allclose(layer(u, **given, anchor=anchor), expected, **close)
        assert layer.status.tolist() == [0] * 7


def almost(x, expected):
    return torch.allclose(x, expected, rtol=0, atol=SAMPLE_GUARD * float(expected.abs().max()))


# Of a polyhedron, samples see the declared equalities alone.
@pytest.mark.parametrize("case", [case for case in ZOO if case.declared], ids=repr)
@some_methods
def test_the_layers_own_anchor_changes_nothing(case, method, rng):
    layer = METHODS[method](case.set)
    u = normal((7, case.dim), rng, scale=3)
    assert almost(layer(u, anchor=layer.anchor), layer(u))


def test_an_anchor_that_was_changed_in_place_is_seen(rng):
    """What is kept of one anchor for the next call must not outlive the anchor's numbers."""
    A = normal((9, 4), rng)
    b = A.norm(dim=1) + 1
    layer = sr.SoftRadial(sr.Polyhedron(A, b))
    u = normal((5, 4), rng, scale=3)
    anchor = torch.zeros(4, dtype=torch.float64)
    for move in (0.0, 0.3, 0.0, -0.2):
        with torch.no_grad():
            anchor.fill_(move)
        rows = anchor.expand(5, 4)
        assert almost(layer(u, b=b, anchor=anchor), layer(u, b=b, anchor=rows.clone()))
        anchor.data.add_(0.05)
        assert almost(layer(u, b=b, anchor=anchor), layer(u, b=b, anchor=rows.clone()))


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_scale_scales(case, rng):
    """layer(u, scale=s) = s layer(u / s): the anchor scales along."""
    layer = sr.SoftRadial(case.set)
    u = normal((5, case.dim), rng, scale=3)
    scale = uniform((5,), rng, 0.5, 3)
    assert almost(layer(u, scale=scale), scale.unsqueeze(-1) * layer(u / scale.unsqueeze(-1)))


@every_kind
def test_batch_shapes(kind, rng):
    """Data (width), (rows, width) and with dimensions of size 1 broadcast over a batch (2, 3, dim)."""
    layer = sr.SoftRadial(KINDS[kind].set)
    u = normal((2, 3, DIM), rng, scale=3)
    data = draw(kind, 3, rng)
    x = layer(u, **data)
    assert x.shape == u.shape and layer.status.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            alone = layer(u[i, j], **{name: values[j] for name, values in data.items()})
            assert torch.allclose(alone, x[i, j], rtol=0, atol=1e-13)
    wide = {name: values.unsqueeze(0) for name, values in data.items()}
    assert torch.equal(layer(u, **wide), x)
    assert layer(u[:0], **data).shape == (0, 3, DIM)


# ------------------------------------------------------------------------------------------------------------ gradients


def _layer(kind, method, anchor_gradient=False):
    return METHODS[method](KINDS[kind].set, anchor_gradient=anchor_gradient)


@some_methods
@every_kind
def test_gradients_to_all_data(kind, method, rng):
    """First and second order, to every piece of data at once; polyhedra from an anchor of each sample's own."""
    layer, data = _layer(kind, method), draw(kind, 40, rng)
    if KINDS[kind].searched:
        # The level f only moves the anchor that would be found.
        level = (EQUALITY, data.pop("f")) if "f" in data else ()
        data["anchor"] = sr.analytic_center(data["A"], data["b"], *level)[0]
    function = lambda u, *values: layer(u, **dict(zip(data, values)))
    inputs = smooth_samples(function, rng, list(data.values()))
    assert gradcheck(function, inputs, check_forward_ad=True)
    assert gradgradcheck(function, inputs, fast_mode=True)


@some_methods
@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.searched])
def test_gradients_through_the_analytic_center(kind, method, rng):
    """First and second order, to A, b and f."""
    layer, data = _layer(kind, method, anchor_gradient=True), draw(kind, 40, rng)
    function = lambda u, *values: layer(u, **dict(zip(data, values)))
    inputs = smooth_samples(function, rng, list(data.values()))
    assert gradcheck(function, inputs, check_forward_ad=True)
    assert gradgradcheck(function, inputs, fast_mode=True)


@every_call
def test_a_gradient_that_can_be_differentiated_is_the_gradient(name, rng):
    """The two are computed by different code. Data may depend on each other: a slack on its anchor, an anchor on a cap."""
    call = CALLS[name]
    layer = sr.SoftRadial(call.set, anchor_gradient=True)
    inputs = [tensor.requires_grad_() for tensor in (normal((5, DIM), rng, scale=3), *call.draw(5, rng).values())]
    x = layer(inputs[0], **dict(zip(call.data, inputs[1:])))
    plain = torch.autograd.grad(x.sin().sum(), inputs, retain_graph=True)
    for found, wanted in zip(torch.autograd.grad(x.sin().sum(), inputs, create_graph=True), plain):
        assert torch.allclose(found, wanted, rtol=1e-9, atol=1e-11)


@every_kind
def test_gradients_to_anchors(kind, rng):
    layer = sr.SoftRadial(KINDS[kind].set)
    own = layer.anchor
    # On the hull where there is one: its directions are what an anchor may move in.
    normals = layer.projection.normals
    moves = 0.05 * normal((40, DIM), rng)
    moves = moves - moves @ normals.T @ normals
    function = lambda u, anchor: layer(u, anchor=anchor)
    inputs = smooth_samples(function, rng, [own + moves])
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs, fast_mode=True)


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_gradients_to_scales(case, rng):
    layer = sr.SoftRadial(case.set)
    function = lambda u, scale: layer(u, scale=scale)
    u, scale = normal((40, case.dim), rng, scale=2), uniform((40,), rng, 0.5, 2)
    keep = smooth_rows(function, [u, scale], rng)[:2]
    inputs = (u[keep].requires_grad_(), scale[keep].requires_grad_())
    assert len(keep) == 2
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs, fast_mode=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
@every_datum
def test_shared_data_get_the_sum_of_the_gradients(kind, name, dtype, rng):
    layer = _layer(kind, "soft_rational", anchor_gradient=True)
    data = {key: values[0].to(dtype) for key, values in draw(kind, 1, rng).items()}
    u, grad_x = normal((6, DIM), rng, dtype, scale=3), normal((6, DIM), rng, dtype)
    shared = data[name].clone().requires_grad_()
    own = data[name].expand(6, *data[name].shape).clone().requires_grad_()
    for tensor in (shared, own):
        layer(u, **{**data, name: tensor}).backward(grad_x)
    assert shared.grad.shape == shared.shape and shared.grad.dtype == dtype
    total = own.grad.sum(0)
    assert bool(total.abs().sum() > 0)
    size = float(own.grad.abs().sum(0).max())
    assert torch.allclose(shared.grad, total, rtol=0, atol=200 * DIM * ulp(dtype) * size)


@every_datum
def test_half_of_the_data_may_need_gradients(kind, name, rng):
    """Each datum gets the gradient that it gets when all of them require one; the others get none."""
    layer = _layer(kind, "soft_rational", anchor_gradient=True)
    u, data = normal((5, DIM), rng, scale=3), draw(kind, 5, rng)
    together = {key: values.clone().requires_grad_() for key, values in data.items()}
    layer(u, **together).sin().sum().backward()
    alone = data[name].clone().requires_grad_()
    layer(u, **{**data, name: alone}).sin().sum().backward()
    assert torch.allclose(alone.grad, together[name].grad, rtol=1e-12, atol=1e-14)


# --------------------------------------------------------------------------------------------------------- learned data


# name: the set as a function of what is learned, and where that starts
LEARNED = gather("learned")
# Data that no layer's call takes from a sample.
NOT_LEARNED = gather("not_learned")


def _parameter(start):
    return nn.Parameter(torch.as_tensor(start, dtype=torch.float64).clone())


@pytest.mark.parametrize("which", LEARNED)
def test_learned_data_train(which, rng):
    """A parameter that a set was built from is one of the layer's, and a few steps of descent on it lower a loss."""
    make, start = LEARNED[which]
    parameter = _parameter(start)
    layer = sr.SoftRadial(make(parameter), anchor_gradient=True)
    name = which.split(".")[1]
    assert [(key, value is parameter) for key, value in layer.named_parameters()] == [(name, True)]
    u, target = normal((32, DIM), rng, scale=3), normal((32, DIM), rng)
    loss_of = lambda: (layer(u) - target).square().mean()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.02)
    before = loss_of().item()
    for _ in range(10):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()
    assert loss_of().item() < before


@pytest.mark.parametrize("which", LEARNED)
def test_learned_data_are_data_of_every_call(which, rng):
    make, start = LEARNED[which]
    u, start = normal((6, DIM), rng, scale=3), torch.as_tensor(start, dtype=torch.float64)
    learned, fixed = sr.SoftRadial(make(_parameter(start))), sr.SoftRadial(make(start))
    assert torch.equal(learned(u), fixed(u, **{which.split(".")[1]: start}))


@pytest.mark.parametrize("which, point", [
    ("capped_simplex.cap", [0.3, 0.2, 0.3, 0.2]),
    ("box.upper", [0.1, 0.0, 0.0, 0.1]),
    ("polyhedron.b", [0.1, 0.0, 0.0, 0.1]),
    ("ball.radius", [0.1, 0.0, 0.0, 0.1]),
])
def test_a_layer_on_learned_data_keeps_a_given_anchor(which, point):
    make, start = LEARNED[which]
    point = torch.tensor(point, dtype=torch.float64)
    layer = sr.SoftRadial(make(_parameter(start)), anchor=point)
    assert torch.allclose(layer(point), point, rtol=0, atol=1e-12)


def test_one_learned_cap_for_all_coordinates(rng):
    cap = _parameter(0.5)
    layer = sr.SoftRadial(sr.CappedSimplex(DIM, cap))
    layer(normal((5, DIM), rng, scale=3)).square().sum().backward()
    assert bool(cap.grad != 0)
    assert any(parameter is cap for parameter in layer.parameters())


def test_tensors_that_require_gradients_pass_them_on(rng):
    """Not only parameters: what a network puts out may be a set's data, too."""
    logits = torch.zeros(DIM, dtype=torch.float64, requires_grad=True)
    layer = sr.SoftRadial(sr.CappedSimplex(DIM, 0.4 + 0.3 * logits.sigmoid()))
    assert list(layer.parameters()) == []
    layer(normal((5, DIM), rng, scale=3)).square().sum().backward()
    assert bool(logits.grad.abs().sum() > 0)


@pytest.mark.parametrize("which", NOT_LEARNED)
def test_no_gradient_is_lost_in_silence(which, rng):
    """A set that cannot pass a gradient on says so when it is built."""
    make, start = NOT_LEARNED[which]
    parameter = _parameter(start)
    try:
        set = make(parameter)
    except ValueError as error:
        assert which.split(".")[1] in str(error)
        return
    layer = sr.SoftRadial(set)
    x = layer(normal((5, set.dim), rng, scale=3))
    assert x.requires_grad
    x.square().sum().backward()
    assert parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)


# ------------------------------------------------------------------------------------------ anchors of polyhedra, unasked


def _polyhedron(rng, dim=8, rows=20, equalities=3):
    A, E = normal((rows, dim), rng), normal((equalities, dim), rng)
    return sr.Polyhedron(A, A.norm(dim=1) + 1, E, torch.zeros(equalities, dtype=torch.float64)), A, E


def test_the_layers_own_anchor_is_kept_where_it_is_well_inside(rng):
    """It is moved onto the sample's equalities, and no search is made."""
    set, A, E = _polyhedron(rng)
    layer = sr.SoftRadial(set)
    u, f = normal((6, 8), rng, scale=3), 0.1 * normal((6, 3), rng)
    b = (A.norm(dim=1) + 1) * uniform((6, 20), rng, 0.9, 1.5)
    moved = layer.anchor + (f - E @ layer.anchor) @ torch.linalg.pinv(E).T
    assert almost(layer(u, b=b, f=f), layer(u, b=b, f=f, anchor=moved))
    assert almost(layer(u, b=b), layer(u, b=b, anchor=layer.anchor))
    # Among samples that need a search, too.
    b[2] = A @ (3 * normal((8,), rng)) + 1
    x = layer(u, b=b)
    keep = [0, 1, 3, 4, 5]
    assert almost(x[keep], layer(u, b=b, anchor=layer.anchor)[keep])


def largest_ball(A, b, E):
    """The radius of the largest ball, in the hull, that fits into {x : A x <= b, E x = 0}: a linear programme."""
    cvxopt = pytest.importorskip("cvxopt", reason="python3-cvxopt is not installed")
    # In coordinates of the hull: equalities in the programme cost the solver digits.
    along = A @ torch.linalg.qr(E.T, mode="complete")[0][:, E.shape[0]:]
    size = b.max().item()
    rows = torch.cat([along, along.norm(dim=1, keepdim=True)], 1), b / size
    cost = cvxopt.matrix([0.0] * along.shape[1] + [-1.0])
    solution = cvxopt.solvers.lp(cost, *(cvxopt.matrix(t.numpy()) for t in rows), options={"show_progress": False})
    assert solution["status"] == "optimal"
    return -size * solution["primal objective"]


FAR_BOUNDS = {
    "moved": lambda shape, rng: torch.ones(shape, dtype=torch.float64),
    "uneven": lambda shape, rng: uniform(shape, rng, 0.1, 2),
    "a few near": lambda shape, rng: 0.01 - uniform(shape, rng, 1e-9, 1).log(),
    "tiny": lambda shape, rng: 1e-5 * uniform(shape, rng, 0.5, 2),
    "huge": lambda shape, rng: 1e7 * uniform(shape, rng, 0.5, 2),
}


@pytest.mark.parametrize("own_rows", [False, True])
@pytest.mark.parametrize("equalities", [0, 2])
@pytest.mark.parametrize("dim, rows", [(1, 2), (4, 20), (12, 80)])
@pytest.mark.parametrize("which", FAR_BOUNDS)
def test_other_samples_get_a_point_with_room(which, dim, rows, equalities, own_rows, rng):
    """It is at least an eighth as far from every row as the centre of the largest ball, wherever the sample's set lies."""
    samples = 9
    dim += equalities
    A = normal((samples, rows, dim) if own_rows else (rows, dim), rng)
    if rows == 2:
        A[..., 1, :] = -2 * A[..., 0, :]
    E = normal((equalities, dim), rng)
    inside = 5 * normal((samples, dim), rng)
    f = inside @ E.T
    along = A - A @ torch.linalg.pinv(E) @ E
    room = along.norm(dim=-1) * FAR_BOUNDS[which]((samples, rows), rng)
    b = (A @ inside.unsqueeze(-1)).squeeze(-1) + room
    known = torch.zeros(dim, dtype=torch.float64), torch.full((rows,), 1e9, dtype=torch.float64)
    shift = torch.linalg.pinv(E) if equalities else None
    points, status = torch.ops.softradial.find_interior(
        A, b, *((E, f) if equalities else (None, None)), *known, shift)
    assert status.tolist() == [0] * samples
    for i in range(samples):
        rows_of = along[i] if own_rows else along
        distance = ((b[i] - (A[i] if own_rows else A) @ points[i]) / rows_of.norm(dim=-1)).min().item()
        assert distance >= largest_ball(A[i] if own_rows else A, room[i], E) / 8
    assert torch.allclose(points @ E.T, f, rtol=0, atol=1e-14 * dim * (10 + points.abs().max()))


@pytest.mark.parametrize("size", [0.1, 30.0])
def test_unbounded_samples(size, rng):
    """More variables than rows: there is no centre. Points far from the layer's own anchor are found in the batch."""
    dim, rows, equalities = 10, 4, 3
    G, E = normal((rows, dim), rng), normal((equalities, dim), rng)
    layer = sr.SoftRadial(sr.Polyhedron(G, torch.ones(rows), E, torch.zeros(equalities, dtype=torch.float64)))
    inside = size * normal((12, dim), rng)
    b, f = inside @ G.T + 0.5, inside @ E.T
    x = layer(normal((12, dim), rng, scale=3), b=b, f=f)
    assert layer.status.tolist() == [0] * 12
    assert torch.all(x @ G.T < b)
    assert torch.allclose(x @ E.T, f, rtol=0, atol=1e-12 * dim * (1 + size))


@pytest.mark.parametrize("anchor_gradient", [False, True])
def test_equalities_alone(anchor_gradient, rng):
    """Without inequalities every point of the hull is inside, whatever f."""
    E = normal((3, 6), rng)
    nothing = torch.zeros(0, 6, dtype=torch.float64), torch.zeros(0, dtype=torch.float64)
    layer = sr.SoftRadial(sr.Polyhedron(*nothing, E, torch.zeros(3)), anchor_gradient=anchor_gradient)
    u, f = normal((5, 6), rng), normal((5, 3), rng)
    x = layer(u, f=f)
    assert layer.status.tolist() == [0] * 5
    assert torch.allclose(x @ E.T, f, rtol=0, atol=1e-13)


# ----------------------------------------------------------------------------------------------------- analytic centres


def _cvxopt_center(A, b, E, f):
    """argmin - sum log(b - A x), E x = f, by an outside solver."""
    cvxopt = pytest.importorskip("cvxopt", reason="the outside solver cvxopt is not installed")
    from cvxopt import solvers

    matrix = lambda tensor: cvxopt.matrix(tensor.numpy().copy())
    rows, bound, equal, level = matrix(A), matrix(b), matrix(E), matrix(f)

    def barrier(x=None, z=None):
        if x is None:
            return 0, cvxopt.matrix(0.0, (A.shape[1], 1))
        slack = bound - rows * x
        if min(slack) <= 0:
            return None, None
        inverse = slack**-1
        value, gradient = -sum(cvxopt.log(slack)), (rows.T * inverse).T
        if z is None:
            return value, gradient
        scaled = cvxopt.spdiag(inverse) * rows
        return value, gradient, z[0] * scaled.T * scaled

    options = dict(show_progress=False, abstol=1e-11, reltol=1e-11, feastol=1e-11)
    return torch.tensor(list(solvers.cp(barrier, A=equal, b=level, options=options)["x"]), dtype=torch.float64)


def _centers_data(rng, count=4):
    return draw("polyhedron_flat", count, rng)


def test_centers_agree_with_an_outside_solver(rng):
    data = _centers_data(rng)
    points, status = sr.analytic_center(data["A"], data["b"], EQUALITY, data["f"])
    assert status.tolist() == [0] * 4
    for A, b, f, point in zip(data["A"], data["b"], data["f"], points):
        assert torch.allclose(point, _cvxopt_center(A, b, EQUALITY, f), rtol=0, atol=1e-5)


def test_centers_are_the_analytic_anchors_of_the_sets(rng):
    """One set and a batch of sets take the same steps."""
    data = _centers_data(rng, 8)
    points, _ = sr.analytic_center(data["A"], data["b"], EQUALITY, data["f"])
    for A, b, f, point in zip(data["A"], data["b"], data["f"], points):
        anchor = sr.SoftRadial(sr.Polyhedron(A, b, EQUALITY, f), anchor="analytic").anchor
        assert torch.allclose(point, anchor.double(), rtol=0, atol=1e-11)


def _stationarity(A, b, E, points):
    """The barrier's gradient along the hull, relative to the size of its terms."""
    weights = 1 / (b - (A @ points.unsqueeze(-1)).squeeze(-1))
    gradient = (A.transpose(-1, -2) @ weights.unsqueeze(-1)).squeeze(-1)
    directions = torch.linalg.qr(E.T, mode="complete")[0][:, len(E) :]
    return (gradient @ directions).norm(dim=-1) / (A.abs().transpose(-1, -2) @ weights.unsqueeze(-1)).sum((-1, -2))


@pytest.mark.parametrize("far", [0.0, 1.0, 1e3, 1e8])
def test_centers_are_stationary_from_any_start(far, rng):
    data = _centers_data(rng, 8)
    start = None if far == 0 else normal((8, DIM), rng, scale=far)
    points, status = sr.analytic_center(data["A"], data["b"], EQUALITY, data["f"], start=start)
    assert status.tolist() == [0] * 8
    assert bool((_stationarity(data["A"], data["b"], EQUALITY, points) < 1e-9).all())
    assert torch.allclose(points @ EQUALITY.T, data["f"], rtol=0, atol=1e-14)


@pytest.mark.parametrize("shared", ["own", "shared"])
def test_center_derivatives(shared, rng):
    data = _centers_data(rng, 2)
    A = (data["A"][0] if shared == "shared" else data["A"]).clone().requires_grad_()
    inputs = (A, data["b"].requires_grad_(), data["f"].requires_grad_())
    center = lambda A, b, f: sr.analytic_center(A, b, EQUALITY, f, differentiable=True)[0]
    assert gradcheck(center, inputs)


SQUARE = torch.tensor([[1.0, 0], [0, 1], [-1, 0], [0, -1]], dtype=torch.float64)
# b of squares that are ordinary, empty, flat, and with numbers that are none.
ODD_BOUNDS = torch.tensor(
    [[1, 1, 1, 1], [1, 1, -2, 1], [1, 1, -1, 1], [1, 1, float("nan"), 1], [3, 3, 3, 3]], dtype=torch.float64
)
ODD_STATUS = [0, 2, 2, 2, 0]


@pytest.mark.parametrize("differentiable", [False, True])
def test_samples_without_an_interior_have_no_center(differentiable):
    b = ODD_BOUNDS.clone().requires_grad_(differentiable)
    points, status = sr.analytic_center(SQUARE, b, differentiable=differentiable)
    assert status.tolist() == ODD_STATUS
    assert points.isnan().all(-1).tolist() == [s != 0 for s in ODD_STATUS]
    assert torch.allclose(points[status == 0], torch.zeros(2, 2, dtype=torch.float64), atol=1e-12)
    if differentiable:
        points.nan_to_num().sum().backward()
        assert bool(b.grad.isfinite().all()) and bool((b.grad[status != 0] == 0).all())


def test_projecting_onto_samples_without_an_interior(rng):
    layer = sr.SoftRadial(sr.Polyhedron(SQUARE, [1.0] * 4))
    x = layer(normal((5, 2), rng), b=ODD_BOUNDS)
    assert layer.status.tolist() == ODD_STATUS
    assert x.isnan().all(-1).tolist() == [s != 0 for s in ODD_STATUS]


UNBOUNDED = {"quadrant": (SQUARE[:2], [[1.0, 1], [2, 3]]), "halfspace": (SQUARE[:1], [[1.0], [2.0]])}


@pytest.mark.parametrize("differentiable", [False, True])
@pytest.mark.parametrize("which", UNBOUNDED)
def test_unbounded_samples_have_an_interior_point(which, differentiable):
    """There is no centre, but there is a point inside, and the same one whether or not derivatives are asked for."""
    A, b = UNBOUNDED[which][0], torch.tensor(UNBOUNDED[which][1], dtype=torch.float64)
    points, status = sr.analytic_center(A, b, differentiable=differentiable)
    assert status.tolist() == [0, 0]
    assert bool((points @ A.T < b).all())
    assert torch.equal(points, sr.analytic_center(A, b)[0])


@pytest.mark.parametrize("f, status", [([0.1, 0.2], 0), ([0.1, 0.3], 2)], ids=["consistent", "contradictory"])
def test_dependent_equalities(f, status):
    """x0 = f0 and 2 x0 = f1: a line, or nothing."""
    E, f = torch.tensor([[1.0, 0], [2.0, 0]], dtype=torch.float64), torch.tensor(f, dtype=torch.float64)
    assert sr.analytic_center(SQUARE, torch.ones(4, dtype=torch.float64), E, f)[1].item() == status
    layer = sr.SoftRadial(sr.Polyhedron(SQUARE, [1.0] * 4, E, [0.0, 0.0]))
    layer(torch.zeros(2, dtype=torch.float64), f=f)
    assert layer.status.item() == status


# --------------------------------------------------------------------------------------------------------------- errors


WRONG_DATA = gather("wrong_data")


@pytest.mark.parametrize("which", WRONG_DATA)
def test_wrong_data_are_one_clear_error(which, rng):
    kind, data, named = WRONG_DATA[which]
    layer = sr.SoftRadial(KINDS[kind].set)
    with pytest.raises(ValueError) as error:
        layer(normal((2, DIM), rng), **data)
    assert "\n" not in str(error.value)
    assert re.match(rf"({named})\b", str(error.value))


WRONG_CENTERS = {
    "b: width": (dict(b=torch.ones(3)), "b"),
    "A: no matrix": (dict(A=torch.ones(2)), "A"),
    "A: batch": (dict(A=SQUARE.expand(3, 4, 2), b=torch.ones(2, 4)), "A|b"),
    "E without f": (dict(E=torch.ones(1, 2)), "E|polyhedron: E"),
    "f: width": (dict(E=torch.ones(1, 2), f=torch.ones(2)), "E|f"),
    "start: width": (dict(start=torch.zeros(3)), "start"),
    "start: batch": (dict(b=torch.ones(2, 4), start=torch.zeros(3, 2)), "start"),
}


@pytest.mark.parametrize("which", WRONG_CENTERS)
def test_wrong_shapes_of_centers(which):
    arguments, named = WRONG_CENTERS[which]
    with pytest.raises(ValueError) as error:
        sr.analytic_center(**{"A": SQUARE, "b": torch.ones(4, dtype=torch.float64), **arguments})
    assert "\n" not in str(error.value)
    assert re.match(rf"({named})\b", str(error.value))
