"""Data of each sample at the ends of what numbers can say: sets of every size, fixed coordinates, open sides. Found by ./dev
verify --surface torch."""

import math

import pytest
import torch
from torch.autograd import forward_ad

import softradial as sr
from support.inputs import normal, uniform
from support.subjects import subject_set

INF = float("inf")
F32, F64 = torch.float32, torch.float64
SIZES = [1e-24, 1e-12, 1.0, 1e12, 1e20, 1e24]
MAPS = {
    "hard": sr.HardRadial,
    "soft": lambda s: sr.SoftRadial(s, lambda_=1.0),
    "gauge": sr.GaugeMap,
    "gauge_hyperbolic": lambda s: sr.GaugeMap(s, contraction="hyperbolic"),
}

every_size = pytest.mark.parametrize("size", SIZES)
every_map = pytest.mark.parametrize("method", MAPS)

# A set, and data for 12 samples of it, of size 1.
KINDS = {
    "sum": (sr.Simplex(4), lambda rng: {"sum": uniform((12,), rng, 0.5, 2)}),
    "cap_sum": (sr.CappedSimplex(4, 0.5), lambda rng: {"cap": uniform((12, 4), rng, 0.4, 0.9), "sum": torch.ones(12)}),
    "box": (sr.Box([-1.0] * 4, [1.0] * 4),
            lambda rng: {"lower": -uniform((12, 4), rng, 0.3, 2), "upper": uniform((12, 4), rng, 0.3, 2)}),
    "b": (sr.Polyhedron(torch.cat([torch.eye(4), -torch.eye(4), torch.ones(1, 4)]), torch.ones(9)),
          lambda rng: {"b": uniform((12, 9), rng, 0.5, 2), "anchor": torch.zeros(4)}),
    "radius": (sr.Ball([0.0] * 4, 1.0), lambda rng: {"radius": uniform((12,), rng, 0.5, 2)}),
    "center_radius": (sr.Ball([0.0] * 4, 1.0),
                      lambda rng: {"center": normal((12, 4), rng), "radius": uniform((12,), rng, 0.5, 2)}),
}


def gradients(layer, u, data, grad_x):
    """x, and the gradients of u and of every datum."""
    inputs = [tensor.clone().requires_grad_() for tensor in (u, *data.values())]
    x = layer(u=inputs[0], **dict(zip(data, inputs[1:])))
    assert layer.status.tolist() == [0] * len(u)
    return x.detach(), dict(zip(["u", *data], torch.autograd.grad(x, inputs, grad_x)))


@every_map
@every_size
@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_has_the_gradients_of_double(kind, size, method, rng):
    """However large or small the sets are. A set that is scaled with its rows keeps the gradients, in u and in its data."""
    set, draw = KINDS[kind]
    layer = MAPS[method](set)
    data = {name: (size * values).to(F32) for name, values in draw(rng).items()}
    u = (size * normal((12, 4), rng, scale=20)).to(F32)
    grad_x = normal((12, 4), rng).to(F32)
    x, found = gradients(layer, u, data, grad_x)
    wide = {name: values.to(F64) for name, values in data.items()}
    exact_x, exact = gradients(layer, u.to(F64), wide, grad_x.to(F64))
    assert torch.allclose(x.to(F64), exact_x, rtol=0, atol=1e-4 * size)
    for name in found:
        close = dict(rtol=0, atol=1e-3 * (1 + float(exact[name].abs().max())))
        assert torch.allclose(found[name].to(F64), exact[name], **close), name


@every_map
def test_gradients_at_the_anchor_of_a_large_simplex(method):
    """u is the anchor, or off it by rounding: the passes for shares leave such rows to the general ones."""
    layer = MAPS[method](sr.CappedSimplex(2, 0.9))
    u = torch.tensor([[1.6559537389982733e21, 1.6559537389982733e21]])
    data = {"cap": torch.full((1, 2), 2.483930538128666e21), "sum": torch.tensor([3.3119074779965466e21])}
    _, found = gradients(layer, u, data, torch.tensor([[0.7, -0.3]]))
    assert all(bool(values.isfinite().all()) for values in found.values())


@pytest.mark.parametrize("dtype", [F32, F64], ids=["f32", "f64"])
def test_open_rows_of_samples_whose_anchor_is_searched(dtype, rng):
    """b = inf does not count, also where the layer's own anchor does not serve the sample."""
    A = torch.cat([normal((7, 5), rng), torch.eye(5, dtype=F64), -torch.eye(5, dtype=F64)])
    layer = sr.SoftRadial(sr.Polyhedron(A, torch.ones(17)))
    b = (A @ normal((5, 40), rng, scale=4)).T + uniform((40, 17), rng, 0.1, 1)
    b = torch.where(uniform((40, 17), rng, 0, 1) < 0.3, torch.full_like(b, INF), b).to(dtype)
    x = layer(normal((40, 5), rng, scale=50).to(dtype), b=b)
    assert layer.status.tolist() == [0] * 40
    assert bool((x.to(F64) @ A.T < b).all())
    centers, status = sr.analytic_center(A, b.to(F64))
    assert bool((centers[status == 0] @ A.T < b[status == 0]).all())


def test_samples_of_open_rows_alone_and_of_none(rng):
    """All sides open, and NaN among open sides, which is no set."""
    layer = sr.SoftRadial(sr.Polyhedron(torch.eye(3), torch.ones(3)))
    b = torch.tensor([[INF, INF, INF], [INF, float("nan"), INF], [-5.0, INF, -7.0]])
    x = layer(normal((3, 3), rng).to(F32), b=b)
    assert layer.status.tolist() == [0, 2, 0]
    assert x[2, 0] < -5 and x[2, 2] < -7


# ------------------------------------------------------------------------------------------------------------------ scales


SCALED = {"box": sr.Box([-1.0, -2.0, -1.0], [1.0, 1.0, 2.0]), "ball": sr.Ball([0.0, 0.0, 0.0], 1.0),
          "masked": sr.CappedSimplex(3, [0.0, 0.7, 0.9])}


@pytest.mark.parametrize("dtype", [F32, F64], ids=["f32", "f64"])
@every_map
def test_rows_beyond_the_largest_number_of_scales(method, dtype):
    """u / scale is not a number: x keeps u's direction, its gradients are numbers, and so is the determinant."""
    large, small = (3e38, 1e-20) if dtype is F32 else (1.7e308, 1e-20)
    layer = MAPS[method](SCALED["ball"])
    u = torch.tensor([[large, large / 1e6, 0.0]], dtype=dtype)
    x, found = gradients(layer, u, {"scale": torch.tensor([small], dtype=dtype)}, torch.ones(1, 3, dtype=dtype))
    assert abs(float(x[0, 1] / x[0, 0]) - 1e-6) < 1e-10 and 0.9 * small < float(x[0, 0]) < small
    assert all(bool(values.isfinite().all()) for values in found.values())
    assert abs(float(found["scale"]) - 1) < 1e-3
    assert not bool(layer.log_abs_det(u, {"scale": torch.tensor([small], dtype=dtype)}).isnan().any())


@pytest.mark.parametrize("which", SCALED)
def test_determinant_and_inverse_of_a_scaled_set_are_those_of_the_set(which, rng):
    layer = sr.SoftRadial(SCALED[which])
    u, scale = normal((6, 3), rng), uniform((6,), rng, 0.5, 2)
    det = layer.log_abs_det(scale.unsqueeze(-1) * u, {"scale": scale})
    assert torch.allclose(det, layer.log_abs_det(u), rtol=0, atol=1e-11)
    x = layer(u)
    back = layer.inverse(scale.unsqueeze(-1) * x, {"scale": scale})
    assert torch.allclose(back, scale.unsqueeze(-1) * layer.inverse(x), rtol=0, atol=1e-9)


# ------------------------------------------------------------------------------------------------------- fixed coordinates


CAP = torch.tensor([0.6, 0.0, 0.7, 0.0, 0.5], dtype=F64)
FREE = [0, 2, 4]


def masked(values, rows):
    return values.expand(rows, 5).clone()


@every_map
def test_a_closed_coordinate_is_one_dimension_less(method, rng):
    """Value, determinant and inverse are those of the set in the coordinates that are left."""
    layer, small = MAPS[method](sr.CappedSimplex(5, 0.9)), MAPS[method](sr.CappedSimplex(3, 0.9))
    u = normal((8, 5), rng, scale=2)
    data, left = {"cap": masked(CAP, 8)}, {"cap": masked(CAP, 8)[:, FREE]}
    x = layer(u, **data)
    assert torch.allclose(x[:, FREE], small(u[:, FREE], **left), rtol=0, atol=1e-12)
    assert torch.allclose(layer.log_abs_det(u, data), small.log_abs_det(u[:, FREE], left), rtol=0, atol=1e-8)
    back = layer.inverse(x, data)[:, FREE]
    assert torch.allclose(back, small.inverse(x[:, FREE], left), rtol=1e-9, atol=1e-9, equal_nan=True)
    assert method == "hard" or bool(back.isfinite().all())


@every_map
@pytest.mark.parametrize("which", ["cap", "box"])
def test_forward_mode_knows_closed_coordinates(which, method, rng):
    """x and its tangent are those that the value and reverse mode have: g.(J v) = (J'g).v, data included."""
    if which == "cap":
        layer, data = MAPS[method](sr.CappedSimplex(5, 0.9)), {"cap": masked(CAP, 8), "sum": torch.ones(8, dtype=F64)}
    else:
        layer = MAPS[method](sr.Box([0.0] * 5, [1.0] * 5))
        data = {"lower": masked(torch.tensor([0.0, 0.3, -1.0, 0.3, 0.1], dtype=F64), 8),
                "upper": masked(torch.tensor([1.0, 0.3, 0.5, 0.3, 0.2], dtype=F64), 8)}
    u, g = normal((8, 5), rng, scale=2), normal((8, 5), rng)
    v = normal((8, 5), rng)
    moves = {name: 0.1 * normal(tuple(values.shape), rng) for name, values in data.items()}
    x, found = gradients(layer, u, data, g)
    with forward_ad.dual_level():
        dual = {name: forward_ad.make_dual(values, moves[name]) for name, values in data.items()}
        value, tangent = forward_ad.unpack_dual(layer(forward_ad.make_dual(u, v), **dual))
    assert torch.allclose(value, x, rtol=0, atol=1e-12)
    backward = (found["u"] * v).sum(-1)
    for name, move in moves.items():
        backward = backward + (found[name] * move).reshape(8, -1).sum(-1)
    assert torch.allclose((g * tangent).sum(-1), backward, rtol=0, atol=1e-9)


def test_one_open_coordinate_has_what_is_left_of_the_sum():
    """A mask with a single 1, in every mode."""
    layer = sr.SoftRadial(sr.CappedSimplex(3, 2.0))
    cap = torch.tensor([[0.0, 2.0, 0.0]], dtype=F64)
    u = torch.tensor([[1.0, 2.0, 3.0]], dtype=F64)
    assert layer(u, cap=cap).tolist() == [[0.0, 1.0, 0.0]]
    assert layer.log_abs_det(u, {"cap": cap}).tolist() == [0.0]
    with forward_ad.dual_level():
        value, tangent = forward_ad.unpack_dual(layer(forward_ad.make_dual(u, torch.ones_like(u)), cap=cap))
    assert value.tolist() == [[0.0, 1.0, 0.0]] and tangent.tolist() == [[0.0, 0.0, 0.0]]


POINTS = {"one_asset": ([0.0, 1.0, 0.0], 1.0, [0.0, 1.0, 0.0]), "two_assets": ([0.5, 0.0, 0.5], 1.0, [0.5, 0.0, 0.5]),
          "all_assets": ([0.25, 0.5, 0.25], 1.0, [0.25, 0.5, 0.25]), "no_budget": ([1.0, 1.0, 1.0], 0.0, [0.0, 0.0, 0.0])}


def assert_at(x, points):
    """The point, or an ulp inside the caps; exactly where it is the only coordinate, or 0."""
    points = torch.tensor(points, dtype=x.dtype)
    assert bool((x <= points).all()) and bool((x >= points * (1 - torch.finfo(x.dtype).eps)).all())
    assert bool((x == points)[(points == 0) | (points == 1)].all())


@pytest.mark.parametrize("dtype", [F32, F64], ids=["f32", "f64"])
@pytest.mark.parametrize("method, point", [
    (method, point) for method in [*MAPS, "soft_orthogonal", "mirror", "rayen", "orthogonal"] for point in POINTS
    # Mirror and RAYEN make a set of each sample, whose sum must be positive.
    if not (point == "no_budget" and method in ("mirror", "rayen"))])
def test_caps_that_the_sum_uses_up_leave_one_point(point, method, dtype):
    """As on the fixed set of these caps: x is the point, whatever u is, beside samples that have room."""
    others = {"soft_orthogonal": sr.SoftOrthogonal, "mirror": sr.Mirror, "rayen": sr.Rayen, "orthogonal": sr.Orthogonal}
    cap, total, x = POINTS[point]
    layer = {**MAPS, **others}[method](sr.CappedSimplex(3, 0.9))
    u = torch.tensor([[1.0, 2.0, 3.0], [-1e9, 1e9, 0.0], [0.3, 0.1, 0.2]], dtype=dtype, requires_grad=True)
    caps = torch.tensor([cap, cap, [0.9, 0.9, 0.9]], dtype=dtype, requires_grad=method in MAPS)
    sums = torch.tensor([total, total, 1.0], dtype=dtype)
    given = layer(u, cap=caps, sum=sums)
    assert_at(given[:2], [x, x])
    given.pow(2).sum().backward()
    assert bool(u.grad.isfinite().all()) and (caps.grad is None or bool(caps.grad.isfinite().all()))
    assert u.grad[:2].tolist() == [[0.0] * 3] * 2 and bool((u.grad[2] != 0).any())


@every_map
@pytest.mark.parametrize("point", POINTS)
def test_one_point_in_forward_mode(point, method):
    """The value does not move with u; a set of one point has no dimension, and the determinant 1."""
    cap, total, x = POINTS[point]
    layer, u = MAPS[method](sr.CappedSimplex(3, 0.9)), torch.tensor([[1.0, 2.0, 3.0]], dtype=F64)
    data = {"cap": torch.tensor([cap], dtype=F64), "sum": torch.tensor([total], dtype=F64)}
    assert layer.log_abs_det(u, data).tolist() == [0.0]
    with forward_ad.dual_level():
        value, tangent = forward_ad.unpack_dual(layer(forward_ad.make_dual(u, torch.ones_like(u)), **data))
    assert_at(value, [x])
    assert tangent.tolist() == [[0.0] * 3]


@pytest.mark.parametrize("contraction", ["exponential", "hyperbolic"])
def test_gradients_of_the_smallest_rows(contraction):
    """Next to the anchor the gauge map is u / lambda, however small u - u0 is."""
    layer = sr.GaugeMap(sr.Quadratic([[1.0]], [0.0], -1.0), contraction=contraction, lambda_=4e4)
    data = {"q": torch.tensor([[0.04]], dtype=F64), "c": torch.tensor([-24.0], dtype=F64)}
    for size in (5e-324, 7e-315, 1e-300, 1e-200, 1e-30):
        u = torch.tensor([[size]], dtype=F64, requires_grad=True)
        gradient = torch.autograd.grad(layer(u, others=data).sum(), u)[0]
        assert abs(float(gradient) * 4e4 - 1) < 1e-12


@pytest.mark.parametrize("lambda_", [1e-3, 1.0, 1e3, 1e9])
@pytest.mark.parametrize("contraction", ["rational", "exponential", "hyperbolic"])
def test_determinants_of_the_smallest_rows(contraction, lambda_):
    """They are that of u / lambda, of the layer's own set and of a sample's."""
    layer = sr.GaugeMap(sr.Quadratic([[1.0]], [0.0], -1.0), contraction=contraction, lambda_=lambda_)
    data = {"q": torch.tensor([[0.04]], dtype=F64), "c": torch.tensor([-24.0], dtype=F64)}
    u = torch.tensor([[5e-324], [4e-321], [1e-318], [1e-310], [3e-308], [1e-300]], dtype=F64)
    for log_det in (layer.log_abs_det(u), layer.log_abs_det(u, data)):
        assert torch.allclose(log_det, torch.full_like(log_det, -math.log(lambda_)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [F32, F64], ids=["f32", "f64"])
def test_long_rows_keep_the_sum_of_their_sample(dtype):
    """Also where the first number of u is far from all others."""
    n = 20000
    u = torch.full((3, n), 1 / n, dtype=F64)
    u[:, 0] = torch.tensor([0.41783, 1e3, 1e9])
    total = torch.tensor([1.0, 2.0, 0.5], dtype=dtype)
    x = sr.HardRadial(sr.Simplex(n))(u.to(dtype), sum=total)
    assert bool(((x.to(F64).sum(-1) - total).abs() <= 4 * n * torch.finfo(dtype).eps * total).all())


def test_forward_mode_of_the_smallest_rows():
    """On a ball of another norm, whose length is taken in units of its largest entry."""
    layer = sr.GaugeMap(subject_set("lp_1.5"), lambda_=4.0)
    for size in (5e-324, 2.4e-312, 1e-300, 1e-100):
        u = torch.tensor([[0.0, 0.0, -size]], dtype=F64)
        with forward_ad.dual_level():
            tangent = forward_ad.unpack_dual(layer(forward_ad.make_dual(u, torch.ones_like(u)))).tangent
        assert torch.allclose(tangent, torch.full_like(u, 0.25), rtol=0, atol=1e-12)
