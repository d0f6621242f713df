"""Sets that change from sample to sample, for every layer: each sample is what a layer on its own set gives."""

from fractions import Fraction

import numpy as np
import pytest
import torch

import softradial as sr
from support.sets import gather

DOUBLE = torch.float64


def random(*shape, seed=0, dtype=DOUBLE):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape)).to(dtype)


def polyhedron_data(batch=5, n=6, m=9, k=2, seed=1):
    """Sets {A_i x <= b_i, E_i x = f_i} around points of their own."""
    inside = 0.3 * random(batch, n, seed=seed)
    A, E = random(batch, m, n, seed=seed + 1), random(batch, k, n, seed=seed + 2)
    b = (A @ inside[..., None])[..., 0] + 0.2 + random(batch, m, seed=seed + 3).abs()
    f = (E @ inside[..., None])[..., 0]
    return {"A": A, "b": b, "E": E, "f": f}, inside


def own_set(data, i):
    return sr.Polyhedron(data["A"][i], data["b"][i], data["E"][i], data["f"][i])


def layer_of(make, data, first=0):
    return make(own_set(data, first))


# Right-hand sides move little enough for the first sample's rows to keep a common interior.
def moved_sides(data, inside):
    out = dict(data)
    A, E = data["A"][:1].expand_as(data["A"]), data["E"][:1].expand_as(data["E"])
    out["A"], out["E"] = A, E
    out["b"] = (A @ inside[..., None])[..., 0] + 0.2 + random(*data["b"].shape, seed=11).abs()
    out["f"] = (E @ inside[..., None])[..., 0]
    return out


CHOICES = [("b", "f"), ("f",), ("A", "b", "f"), ("A", "b", "E", "f")]
MAKERS = {
    "orthogonal": lambda s, **o: sr.Orthogonal(s),
    "soft_orthogonal": sr.SoftOrthogonal,
    "soft_radial": lambda set, **options: sr.SoftRadial(set, lambda_=1.0, **options),
    "gauge_map": sr.GaugeMap,
    "dc3": lambda s, **o: sr.Dc3(s),
    "hardnet": lambda s, **o: sr.HardNet(s),
    "rayen": sr.Rayen,
}
ANCHORED = ("soft_orthogonal", "soft_radial", "gauge_map", "rayen")


def case(names, method):
    data, inside = polyhedron_data()
    if "A" not in names:
        data = moved_sides(data, inside)
    if names == ("f",):
        data["b"] = data["b"].max(0).values.expand_as(data["b"]) + 1
    elif "E" not in names:
        data["E"] = data["E"][:1].expand_as(data["E"])
        data["f"] = (data["E"] @ inside[..., None])[..., 0]
    given = {name: data[name].clone() for name in names}
    if method in ANCHORED:
        given["anchor"] = inside.clone()
    return data, given, inside


@pytest.mark.parametrize("method", MAKERS)
@pytest.mark.parametrize("names", CHOICES, ids="-".join)
def test_each_sample_is_what_a_layer_on_its_own_set_gives(names, method):
    data, given, inside = case(names, method)
    layer = layer_of(MAKERS[method], data)
    u = 3 * random(len(inside), 6, seed=21)
    x = layer(u, **given)
    for i in range(len(u)):
        options = {"anchor": inside[i]} if method in ANCHORED else {}
        alone = MAKERS[method](own_set(data, i), **options)
        torch.testing.assert_close(x[i], alone(u[i : i + 1])[0], atol=1e-8, rtol=1e-8)


@pytest.mark.parametrize("method", ["orthogonal", "soft_orthogonal", "soft_radial", "gauge_map"])
@pytest.mark.parametrize("names", CHOICES, ids="-".join)
def test_gradients_reach_u_and_all_data(names, method):
    data, given, inside = case(names, method)
    layer = layer_of(MAKERS[method], data)
    u = (2 * random(len(inside), 6, seed=22)).requires_grad_()
    tensors = [given[name].requires_grad_() for name in given]

    def function(v, *t):
        moved = dict(zip(given, t))
        if "anchor" in moved:  # it stays on the hull
            E = moved.get("E", data["E"])
            off = moved["f"] - (E @ moved["anchor"][..., None])[..., 0]
            moved["anchor"] = moved["anchor"] + (torch.linalg.pinv(E) @ off[..., None])[..., 0]
        return layer(v, **moved)

    assert torch.autograd.gradcheck(function, (u, *tensors), eps=1e-7, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
@pytest.mark.parametrize("method", ["soft_orthogonal", "soft_radial"])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4, 1e12, 3e37])
def test_results_are_strictly_inside_in_exact_arithmetic(dtype, method, size):
    data, given, inside = case(("b", "f"), method)
    given = {name: values.to(dtype) for name, values in given.items()}
    layer = MAKERS[method](sr.Polyhedron(data["A"][0].to(dtype), given["b"][0], data["E"][0].to(dtype), given["f"][0]))
    x = layer(size * random(len(inside), 6, seed=23, dtype=dtype), **given)
    A = data["A"][0].to(dtype)
    for i in range(len(x)):
        point = [Fraction(float(v)) for v in x[i]]
        for row, bound in zip(A, given["b"][i]):
            assert sum(Fraction(float(a)) * v for a, v in zip(row, point)) < Fraction(float(bound))


@pytest.mark.parametrize("method", ["soft_orthogonal", "orthogonal"])
@pytest.mark.parametrize("kind", ["box", "capped_simplex", "simplex", "ball", "scale"])
def test_closed_forms(kind, method):
    batch, n = 7, 5
    u = 2 * random(batch, n, seed=31)
    if kind == "box":
        lower = random(batch, n, seed=32)
        data = {"lower": lower, "upper": lower + 0.5 + random(batch, n, seed=33).abs()}
        base, own = sr.Box(lower[0], data["upper"][0]), lambda i: sr.Box(lower[i], data["upper"][i])
    elif kind == "capped_simplex":
        sums = 0.8 + 0.2 * torch.arange(batch, dtype=DOUBLE) / batch
        data = {"cap": 0.25 + 0.3 * random(batch, n, seed=34).abs(), "sum": sums}
        base = sr.CappedSimplex(n, cap=data["cap"][0])
        own = lambda i: sr.CappedSimplex(n, cap=data["cap"][i], sum=float(data["sum"][i]))
        if method == "soft_orthogonal":  # fixed sets have another closed form
            data["anchor"] = torch.stack([sr.SoftRadial(own(i)).anchor for i in range(batch)])
    elif kind == "simplex":
        data = {"sum": 0.5 + torch.arange(batch, dtype=DOUBLE)}
        base, own = sr.Simplex(n), lambda i: sr.Simplex(n, sum=float(data["sum"][i]))
    elif kind == "ball":
        data = {"center": random(batch, n, seed=35), "radius": 0.3 + torch.arange(batch, dtype=DOUBLE)}
        base, own = sr.Ball(data["center"][0], 1.0), lambda i: sr.Ball(data["center"][i], float(data["radius"][i]))
    else:
        data = {"scale": 0.5 + torch.arange(batch, dtype=DOUBLE)}
        base, own = sr.Simplex(n), lambda i: sr.Simplex(n, sum=float(data["scale"][i]))
    make = MAKERS[method]
    x = make(base)(u, **data)
    for i in range(batch):
        torch.testing.assert_close(x[i], make(own(i))(u[i : i + 1])[0], atol=1e-9, rtol=1e-9)
    tensors = [values.clone().requires_grad_() for values in data.values()]

    def function(v, *t):
        moved = dict(zip(data, t))
        if "anchor" in moved:  # it stays on the hull
            off = moved["sum"] - moved["anchor"].sum(-1)
            moved["anchor"] = moved["anchor"] + off[:, None] / n
        return make(base)(v, **moved)

    assert torch.autograd.gradcheck(function, (u.clone().requires_grad_(), *tensors), eps=1e-7, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("method", ["soft_radial", "gauge_map", "soft_orthogonal"])
@pytest.mark.parametrize("names", CHOICES, ids="-".join)
def test_inverse_and_determinant(names, method):
    data, given, inside = case(names, method)
    layer = layer_of(MAKERS[method], data)
    u = random(len(inside), 6, seed=41)
    x = layer(u, **given)
    back = layer.inverse(x, given)
    torch.testing.assert_close(layer(back, **given), x, atol=1e-9, rtol=1e-9)
    outside = x + 100
    assert layer.inverse(outside, given).isnan().all()
    dets = layer.log_abs_det(u, given)
    for i in range(len(u)):
        alone = MAKERS[method](own_set(data, i), anchor=inside[i])
        torch.testing.assert_close(back[i], alone.inverse(x[i : i + 1])[0], atol=1e-6, rtol=1e-6)
        torch.testing.assert_close(dets[i], alone.log_abs_det(u[i : i + 1])[0], atol=1e-7, rtol=1e-7)


def test_violation_is_that_of_each_samples_set():
    data, _, _ = case(("A", "b", "E", "f"), "orthogonal")
    base = own_set(data, 0)
    x = random(5, 6, seed=51)
    found = base.violation(x, **data)
    for i in range(5):
        assert found[i] == own_set(data, i).violation(x[i : i + 1])[0]
    with pytest.raises(ValueError, match="cap: a polyhedron has no such data, only A, b, E, f, scale, anchor"):
        base.violation(x, cap=torch.ones(5, 6))


# --- The problems of FSNet: curved constraints, and A y = x. --------------------------------------------------------------


CURVED, OTHERS = gather("curved"), gather("others")


def curved_set(kind, n=6, k=2):
    return CURVED[kind](random, n), random(k, n, seed=61)


@pytest.mark.parametrize("kind", CURVED)
@pytest.mark.parametrize("method", ["soft_radial", "gauge_map"])
def test_equalities_of_each_sample_beside_curved_constraints(kind, method):
    parts, E = curved_set(kind)
    f = 0.2 * random(8, 2, seed=71)
    A, b = torch.zeros(0, 6, dtype=DOUBLE), torch.zeros(0, dtype=DOUBLE)
    base = sr.Intersection([*parts, sr.Polyhedron(A, b, E, torch.zeros(2, dtype=DOUBLE))])
    layer = MAKERS[method](base)
    u = 3 * random(8, 6, seed=72)
    x = layer(u, f=f)
    assert layer.status.eq(0).all()
    torch.testing.assert_close(x @ E.T, f, atol=1e-12, rtol=1e-12)
    assert all(part.violation(x).max() == 0 for part in parts)
    assert base.violation(x, f=f).max() == 0
    before = f.clone()
    anchor = layer(0 * u, f=f).detach()
    function = lambda v, g: layer(v, f=g, anchor=anchor + (g - before) @ torch.linalg.pinv(E).T)
    assert torch.autograd.gradcheck(function, (u.requires_grad_(), f.requires_grad_()), eps=1e-7, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("method", ["orthogonal", "soft_orthogonal"])
def test_nearest_points_of_curved_sets_one_by_one(method):
    parts, E = curved_set("quadratics")
    equalities = lambda f: sr.Polyhedron(torch.zeros(0, 6, dtype=DOUBLE), torch.zeros(0, dtype=DOUBLE), E, f)
    f = 0.2 * random(3, 2, seed=73)
    layer = MAKERS[method](sr.Intersection([*parts, equalities(f[0])]))
    u = (3 * random(3, 6, seed=74)).requires_grad_()
    x = layer(u, f=f)
    for i in range(3):
        alone = MAKERS[method](sr.Intersection([*parts, equalities(f[i])]))
        torch.testing.assert_close(x[i], alone(u[i : i + 1])[0], atol=1e-9, rtol=1e-9)
    assert torch.autograd.gradcheck(lambda v: layer(v, f=f), u, eps=1e-6, atol=1e-4, rtol=1e-3)
    with pytest.raises(ValueError, match=r"there is no gradient to f; detach it, or use soft_radial"):
        layer(u, f=f.clone().requires_grad_())


@pytest.mark.parametrize("kind", OTHERS)
def test_data_of_quadratics_and_cones(kind):
    n, batch = 4, 6
    u = 2 * random(batch, n, seed=81)
    data, make = OTHERS[kind](random, n, batch)
    own = lambda i: make(**{name: values[i] for name, values in data.items()})
    anchor = torch.zeros(n, dtype=DOUBLE)
    layer = sr.SoftRadial(own(0), lambda_=1.0, anchor=anchor)
    x = layer(u, others=data)
    for i in range(batch):
        alone = sr.SoftRadial(own(i), lambda_=1.0, anchor=anchor)(u[i : i + 1])[0]
        torch.testing.assert_close(x[i], alone, atol=1e-9, rtol=1e-9)
    tensors = [values.clone().requires_grad_() for values in data.values()]
    function = lambda v, *t: layer(v, others=dict(zip(data, t)))
    assert torch.autograd.gradcheck(function, (u.requires_grad_(), *tensors), eps=1e-7, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("method", ["soft_radial", "soft_orthogonal"])
@pytest.mark.parametrize("names", [("f",), ("b", "f"), ("A", "b", "E", "f")], ids="-".join)
def test_without_an_anchor_results_move_with_the_right_hand_side(names, method):
    data, given, inside = case(names, "orthogonal")
    layer = layer_of(MAKERS[method], data)
    u = 2 * random(len(inside), 6, seed=98)
    f = given["f"]
    J = torch.autograd.functional.jacobian(lambda g: layer(u, **{**given, "f": g}), f)
    for i in range(len(u)):
        torch.testing.assert_close(data["E"][i] @ J[i, :, i], torch.eye(2, dtype=DOUBLE), atol=1e-9, rtol=1e-9)


def test_right_hand_sides_that_need_a_search_beside_curved_constraints():
    parts, E = curved_set("quadratics")
    base = sr.Intersection([*parts, sr.Polyhedron(torch.zeros(0, 6), torch.zeros(0), E, torch.zeros(2))])
    f = 3 * random(40, 2, seed=75)
    layer = sr.SoftRadial(base)
    u = random(40, 6, seed=76)
    x = layer(u, f=f)
    ok = layer.status == 0
    shifted = layer.anchor + (f - layer.anchor @ E.T) @ torch.linalg.pinv(E).T
    outside = torch.stack([part.violation(shifted) for part in parts]).max(0).values > 0
    assert (ok & outside).any()  # or nothing was searched
    assert base.violation(x[ok], f=f[ok]).max() == 0
    J = torch.autograd.functional.jacobian(lambda g: layer(u, f=g), f)
    for i in torch.nonzero(ok)[:, 0].tolist():
        torch.testing.assert_close(E @ J[i, :, i], torch.eye(2, dtype=DOUBLE), atol=1e-9, rtol=1e-9)


def test_single_precision_is_strict_one_by_one():
    parts, E = curved_set("quadratics")
    A, b = random(4, 6, seed=77, dtype=torch.float32), torch.ones(4)
    base = sr.Intersection([*parts, sr.Polyhedron(A, b)])
    bounds = 0.2 + random(200, 4, seed=78, dtype=torch.float32).abs()
    u = 1e7 * random(200, 6, seed=79, dtype=torch.float32)
    x = sr.SoftOrthogonal(base)(u, b=bounds)
    assert x.dtype == torch.float32
    rows = [[Fraction(float(a)) for a in row] for row in A]
    for point, bound in zip(x, bounds):
        exact = [Fraction(float(v)) for v in point]
        assert all(sum(a * v for a, v in zip(row, exact)) < Fraction(float(limit)) for row, limit in zip(rows, bound))
    assert all(part.violation(x).max() == 0 for part in parts)


# --- What is refused, and edges. ------------------------------------------------------------------------------------------


def test_parts_of_intersections_are_named():
    one, two = (sr.Polyhedron(random(3, 2, seed=s), torch.ones(3, dtype=DOUBLE)) for s in (1, 2))
    layer = sr.SoftRadial(sr.Intersection([one, two]), lambda_=1.0)
    u = 2 * random(4, 2, seed=3)
    b = torch.full((4, 3), 0.5, dtype=DOUBLE)
    with pytest.raises(ValueError, match=r"b: several parts of the intersection have it; say which, as 0.b or 1.b"):
        layer(u, b=b)
    with pytest.raises(ValueError, match=r"2.b: an intersection has no such data, only 0.A, 0.b"):
        layer(u, others={"2.b": b})
    x = layer(u, others={"1.b": b})
    moved = sr.Intersection([one, sr.Polyhedron(random(3, 2, seed=2), b[0])])
    alone = sr.SoftRadial(moved, lambda_=1.0, anchor=layer.anchor)
    torch.testing.assert_close(x, alone(u), atol=1e-12, rtol=1e-12)


def test_equalities_alone_with_a_right_hand_side_for_each_sample():
    E = random(2, 5, seed=91)
    empty = torch.zeros(0, 5, dtype=DOUBLE), torch.zeros(0, dtype=DOUBLE)
    base = sr.Polyhedron(*empty, E, torch.zeros(2, dtype=DOUBLE))
    f = random(4, 2, seed=92)
    u = random(4, 5, seed=93)
    for make in (sr.SoftRadial, sr.Orthogonal, sr.SoftOrthogonal):
        x = make(base)(u, f=f)
        torch.testing.assert_close(x @ E.T, f, atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("method", ["soft_radial", "orthogonal", "soft_orthogonal"])
def test_a_row_without_a_bound_does_not_count(method):
    data, given, inside = case(("b", "f"), method)
    layer = layer_of(MAKERS[method], data)
    u = 3 * random(5, 6, seed=94)
    given["b"][:, 3] = torch.inf
    far = {**given, "b": given["b"].clone()}
    far["b"][:, 3] = 1e9
    torch.testing.assert_close(layer(u, **given), layer(u, **far), atol=1e-8, rtol=1e-8)


def test_steps_are_strict_and_approach_the_exact_projection():
    data, given, inside = case(("b", "f"), "soft_orthogonal")
    u = 3 * random(5, 6, seed=95)
    exact = sr.SoftOrthogonal(own_set(data, 0))(u, **given)
    errors = []
    for steps in (1, 10, 200):
        x = sr.SoftOrthogonal(own_set(data, 0), steps=steps)(u, **given)
        assert own_set(data, 0).violation(x, b=given["b"], f=given["f"]).max() == 0
        errors.append(float((x - exact).abs().max()))
    assert errors[2] < 1e-6 and errors[2] <= errors[0]
    with pytest.raises(ValueError, match="steps is for polyhedra"):
        sr.SoftOrthogonal(sr.Simplex(3), steps=5)


@pytest.mark.parametrize("method", ["soft_orthogonal", "orthogonal"])
def test_a_sample_without_a_set_is_told_and_spoils_no_gradient(method):
    data, given, inside = case(("b", "f"), method)
    layer = MAKERS[method](own_set(data, 0))
    given["b"][2] = torch.nan
    u = random(5, 6, seed=96)
    u.requires_grad_()
    A = data["A"][0].clone().requires_grad_()
    x = layer(u, A=A, **given)
    assert x[2].isnan().all() and not x[[0, 1, 3, 4]].isnan().any()
    x.square().sum().backward()
    assert u.grad[2].eq(0).all() and u.grad.isfinite().all() and A.grad.isfinite().all()


def test_layers_with_data_can_be_scripted():
    data, given, inside = case(("b", "f"), "soft_orthogonal")
    layer = sr.SoftOrthogonal(own_set(data, 0))
    u = random(5, 6, seed=97)
    torch.testing.assert_close(torch.jit.script(layer)(u, b=given["b"], f=given["f"]), layer(u, b=given["b"], f=given["f"]))
