"""Strictly inside, in exact arithmetic, for rows of any size: the contract of docs/math/margin.md.

The numbers that a layer returns are judged as the rationals that they are, against the data as they were given.
"""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

import pytest
import torch

import softradial as sr
from support import judge
from support.inputs import at_scales, normal, uniform
from support.judge import faults, ulp
from support.zoo import METHODS, ZOO, soft_layer

PRECISIONS = {
    torch.float32: [1e-3, 1.0, 1e3, 1e6, 1e9, 1e15, 1e30, 1e37],
    torch.float64: [1e-3, 1.0, 1e3, 1e6, 1e15, 1e37, 1e150, 1e300],
}
ROWS_PER_SCALE = 25

f32_and_f64 = pytest.mark.parametrize("dtype", PRECISIONS, ids=["f32", "f64"])
sizes_and_methods = pytest.mark.parametrize(
    "dim, method", [(3, "soft_rational"), (12, "soft_exponential"), (5, "gauge_hyperbolic"), (8, "hard")]
)


def rows(dim, dtype, rng):
    return at_scales(ROWS_PER_SCALE, dim, PRECISIONS[dtype], rng, dtype)


def _bounded_rows(dim, rng):
    """Random rows and a box around the origin: bounded, with the origin inside."""
    eye = torch.eye(dim, dtype=torch.float64)
    A = torch.cat([normal((2 * dim, dim), rng), eye, -eye])
    return A, uniform((4 * dim,), rng, 0.1, 2.0)


def _capped(dim, rng):
    cap = 1.37 / dim
    return sr.CappedSimplex(dim, cap), judge.capped_simplex(dim, cap)


def _own_caps(dim, rng):
    caps = uniform((dim,), rng, 1.05 / dim, 3.0 / dim)
    return sr.CappedSimplex(dim, caps), judge.capped_simplex(dim, caps)


def _simplex(dim, rng):
    return sr.Simplex(dim, 0.7), judge.simplex(dim, 0.7)


def _box(dim, rng):
    lower = normal((dim,), rng, scale=10)
    upper = lower + 10 ** uniform((dim,), rng, -3, 2)
    return sr.Box(lower, upper), judge.Coordinates(lower, upper)


def _ball(dim, rng):
    center, radius = normal((dim,), rng, scale=3), 0.7
    return sr.Ball(center, radius), judge.Ball(center, radius)


def _polyhedron(dim, rng):
    A, b = _bounded_rows(dim, rng)
    return sr.Polyhedron(A, b), judge.Polyhedron(A, b)


def _flat_polyhedron(dim, rng):
    A, b = _bounded_rows(dim, rng)
    E, f = normal((dim // 3, dim), rng), torch.full((dim // 3,), 0.02, dtype=torch.float64)
    return sr.Polyhedron(A, b, E, f), judge.Polyhedron(A, b, E, f)


def _ellipsoid(dim, rng):
    root = normal((dim, dim), rng)
    shape = root @ root.T + 0.1 * torch.eye(dim, dtype=torch.float64)
    shape = (shape + shape.T) / 2
    center = normal((dim,), rng)
    return sr.Ellipsoid(center, shape), judge.Ellipsoid(center, shape)


def _cone(dim, rng):
    data = dict(M=normal((dim - 1, dim), rng), s=normal((dim - 1,), rng), c=normal((dim,), rng), e=5.0)
    return sr.SecondOrderCone(**data), judge.SecondOrderCone(**data)


KINDS = {
    "capped_simplex": _capped,
    "capped_simplex_caps": _own_caps,
    "simplex": _simplex,
    "box": _box,
    "ball": _ball,
    "polyhedron": _polyhedron,
    "polyhedron_flat": _flat_polyhedron,
    "ellipsoid": _ellipsoid,
    "second_order_cone": _cone,
}


@sizes_and_methods
@f32_and_f64
@pytest.mark.parametrize("kind", KINDS)
def test_fixed_sets(kind, dim, dtype, method, rng):
    set, verdict = KINDS[kind](dim, rng)
    layer = METHODS[method](set)
    assert faults(verdict, layer(rows(dim, dtype, rng)), layer.anchor) == []


@f32_and_f64
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_the_zoo(case, dtype, rng):
    layer = soft_layer(case)
    assert faults(case.judge, layer(rows(case.dim, dtype, rng)), layer.anchor) == []


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_the_judge_refuses_what_is_outside(case, rng):
    """A point that the hard projection puts on the boundary is refused a millionth further out."""
    layer = sr.HardRadial(case.set)
    x = layer(normal((40, case.dim), rng, scale=100))
    bounded = (x - layer(10 * x - 9 * layer.anchor)).abs().amax(-1) < 1e-9
    beyond = layer.anchor + (x[bounded] - layer.anchor) * (1 + 1e-6)
    assert len(beyond) > 0
    assert len(faults(case.judge, beyond, layer.anchor)) == len(beyond)


# ------------------------------------------------------------------------------------------------ a set for each sample


@dataclass
class Samples:
    """A set, the data of each sample, and a judge for each sample."""

    set: Any
    data: Dict[str, torch.Tensor]
    judges: List[judge.Judge]
    # Whether the samples are anchored at the layer's own anchor; else the layer finds their anchors.
    anchored: bool = False
    # The anchors, where equalities are measured against them.
    anchors: Optional[torch.Tensor] = None


def _each(make, *tensors):
    return [make(*data) for data in zip(*tensors)]


def _sample_caps(count, dim, dtype, rng):
    caps = uniform((count, dim), rng, 1.05 / dim, 3.0 / dim, dtype)
    return Samples(sr.CappedSimplex(dim, 0.9), {"caps": caps}, _each(lambda c: judge.capped_simplex(dim, c), caps))


def _sample_sums(count, dim, dtype, rng):
    sums = (10 ** uniform((count,), rng, -3, 3)).to(dtype)
    return Samples(sr.Simplex(dim), {"sum": sums}, _each(lambda s: judge.simplex(dim, s), sums))


def _sample_caps_and_sums(count, dim, dtype, rng):
    sums = (10 ** uniform((count,), rng, -3, 3)).to(dtype)
    caps = (uniform((count, dim), rng, 1.05 / dim, 3.0 / dim) * sums.double().unsqueeze(-1)).to(dtype)
    judges = _each(lambda c, s: judge.capped_simplex(dim, c, s), caps, sums)
    return Samples(sr.CappedSimplex(dim, 0.9), {"caps": caps, "sum": sums}, judges)


def _sample_boxes(count, dim, dtype, rng):
    lower = normal((count, dim), rng, dtype, scale=10)
    upper = (lower + 10 ** uniform((count, dim), rng, -2, 2)).to(dtype)
    judges = _each(judge.Coordinates, lower, upper)
    return Samples(sr.Box([0.0] * dim, [1.0] * dim), {"lower": lower, "upper": upper}, judges)


def _sample_rights(count, dim, dtype, rng):
    A, b = _bounded_rows(dim, rng)
    own = (b * uniform((count, 4 * dim), rng, 0.7, 3.0)).to(dtype)
    return Samples(
        sr.Polyhedron(A, b).with_anchor(torch.zeros(dim, dtype=torch.float64)),
        {"b": own},
        _each(lambda row: judge.Polyhedron(A, row), own),
        anchored=True,
    )


def _sample_matrices(count, dim, dtype, rng):
    A, b = _bounded_rows(dim, rng)
    own = (A + 0.2 * normal((count, *A.shape), rng)).to(dtype)
    judges = _each(lambda matrix: judge.Polyhedron(matrix, b), own)
    set = sr.Polyhedron(A, b).with_anchor(torch.full((dim,), 0.01, dtype=torch.float64))
    return Samples(set, {"A": own}, judges, anchored=True)


def _sample_polyhedra(count, dim, dtype, rng):
    """Without an anchor: the analytic centres are found."""
    samples = _sample_matrices(count, dim, dtype, rng)
    samples.anchored = False
    return samples


def _sample_levels(count, dim, dtype, rng):
    A, b = (data.to(dtype) for data in _bounded_rows(dim, rng))
    E = normal((dim // 3, dim), rng, dtype)
    levels = uniform((count, dim // 3), rng, -0.02, 0.02, dtype)
    return Samples(
        sr.Polyhedron(A, b, E, [0.0] * (dim // 3)),
        {"f": levels},
        _each(lambda f: judge.Polyhedron(A, b, E, f), levels),
        anchors=sr.analytic_center(A.double(), b.double(), E.double(), levels.double())[0],
    )


def _sample_balls(count, dim, dtype, rng):
    centers = normal((count, dim), rng, dtype, scale=3)
    radii = (10 ** uniform((count,), rng, -2, 2)).to(dtype)
    return Samples(sr.Ball([0.0] * dim, 1.0), {"center": centers, "radius": radii}, _each(judge.Ball, centers, radii))


def _sample_ellipsoids(count, dim, dtype, rng):
    set, verdict = _ellipsoid(dim, rng)
    centers = normal((count, dim), rng, dtype, scale=3)
    return Samples(set, {"center": centers}, _each(lambda c: judge.Ellipsoid(c, verdict.shape.astype(float)), centers))


SAMPLES = {
    "caps": _sample_caps,
    "sum": _sample_sums,
    "caps_and_sum": _sample_caps_and_sums,
    "box": _sample_boxes,
    "b": _sample_rights,
    "A": _sample_matrices,
    "A_without_anchor": _sample_polyhedra,
    "f": _sample_levels,
    "ball": _sample_balls,
    "ellipsoid": _sample_ellipsoids,
}


def project_samples(layer, samples, u):
    return layer(u, **samples.data, **({"anchor": layer.anchor} if samples.anchored else {}))


@f32_and_f64
@pytest.mark.parametrize("dim, method", [(3, "soft_rational"), (4, "gauge_exponential"), (7, "hard")])
@pytest.mark.parametrize("kind", SAMPLES)
def test_samples(kind, dim, dtype, method, rng):
    u = rows(dim, dtype, rng)
    samples = SAMPLES[kind](len(u), dim, dtype, rng)
    layer = METHODS[method](samples.set)
    x = project_samples(layer, samples, u)
    assert layer.status.tolist() == [0] * len(u)
    assert faults(samples.judges, x, samples.anchors) == []


@pytest.mark.parametrize("kind", SAMPLES)
def test_double_data_for_float_rows(kind, rng):
    """Data are taken as they were given: a cap of 0.05 in double is no larger for a float row."""
    u = rows(4, torch.float32, rng)
    samples = SAMPLES[kind](len(u), 4, torch.float64, rng)
    x = project_samples(sr.SoftRadial(samples.set), samples, u)
    assert faults(samples.judges, x, samples.anchors) == []


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16], ids=["f16", "bf16"])
@pytest.mark.parametrize("kind", SAMPLES)
def test_samples_in_reduced_precision(kind, dtype, rng):
    """A set too thin for the precision is refused, status 2; the others keep the contract."""
    u = at_scales(40, 4, [1e-2, 1.0, 10.0, 1e3], rng, dtype)
    samples = SAMPLES[kind](len(u), 4, dtype, rng)
    layer = sr.SoftRadial(samples.set)
    x = project_samples(layer, samples, u)
    accepted = (layer.status == 0).nonzero().squeeze(-1)
    assert len(accepted) > 0 and set(layer.status.tolist()) <= {0, 2}
    anchors = None if samples.anchors is None else samples.anchors[accepted]
    assert faults([samples.judges[i] for i in accepted], x[accepted], anchors) == []


def _scaled(kind, u, scale, rng):
    """The rows of a layer whose set is scaled for each sample, and their judges."""
    set, verdict = KINDS[kind](u.shape[-1], rng)
    layer = sr.SoftRadial(set)
    return layer(u, scale=scale), layer.status, _each(lambda s: judge.Scaled(verdict, s), scale)


any_kind = pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "polyhedron_flat"])


@f32_and_f64
@any_kind
def test_scaled_samples(kind, dtype, rng):
    """x = scale y with y in the set."""
    u = rows(5, dtype, rng)
    scale = (10 ** uniform((len(u),), rng, -3, 3)).to(dtype)
    representable = (u / scale.unsqueeze(-1)).isfinite().all(-1)
    x, status, judges = _scaled(kind, u[representable], scale[representable], rng)
    assert status.tolist() == [0] * len(x)
    assert faults(judges, x) == []


@f32_and_f64
@pytest.mark.parametrize("kind", ["capped_simplex", "box", "ball", "polyhedron"])
def test_rows_far_larger_than_their_scale(kind, dtype, rng):
    """Every finite u is an ordinary input, also where u / scale is beyond the largest number."""
    u = at_scales(10, 5, [PRECISIONS[dtype][-1]], rng, dtype)
    x, status, judges = _scaled(kind, u, torch.full((len(u),), 1e-20, dtype=dtype), rng)
    assert status.tolist() == [0] * len(x)
    assert faults(judges, x) == []


# Of a polyhedron, samples see the declared equalities alone.
anchored_sets = [case for case in ZOO if case.name != "polyhedron_implicit"]


@f32_and_f64
@pytest.mark.parametrize("case", anchored_sets, ids=repr)
def test_anchors_of_their_own(case, dtype, rng):
    """Any interior point of the set may anchor a sample."""
    layer = soft_layer(case)
    u = rows(case.dim, dtype, rng)
    anchors = layer(normal(u.shape, rng, dtype))
    x = layer(u, anchor=anchors)
    assert layer.status.tolist() == [0] * len(x)
    assert faults(case.judge, x, anchors) == []


def _almost_outside(case, count, dtype, rng):
    """Anchors from one ulp to 1e6 ulp away from the boundary; rows that go all the way to it, many of them straight."""
    center = soft_layer(case).anchor
    outwards = sr.HardRadial(case.set)(normal((count, case.dim), rng, scale=100)) - center
    distance = ulp(dtype) * 10 ** uniform((count, 1), rng, 0, 6)
    anchors = (center + (1 - distance) * outwards).to(dtype)
    straight = uniform((count, 1), rng, 0, 3) * outwards / outwards.norm(dim=-1, keepdim=True)
    return anchors, (1e20 * (normal(anchors.shape, rng) + straight)).to(dtype)


@f32_and_f64
@pytest.mark.parametrize("case", anchored_sets, ids=repr)
def test_samples_anchored_at_the_boundary(case, dtype, rng):
    """However close an anchor is to the boundary: it is refused, status 2, or what it anchors is strictly inside."""
    layer = soft_layer(case)
    anchors, u = _almost_outside(case, 400, dtype, rng)
    x = layer(u, anchor=anchors)
    refused = layer.status == 2
    assert bool(x[refused].isnan().all())
    assert faults(case.judge, x[~refused], anchors[~refused]) == []


def _layer_or_none(set, anchor):
    try:
        return sr.SoftRadial(set, anchor=anchor)
    except ValueError:
        return None


@f32_and_f64
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_layers_anchored_at_the_boundary(case, dtype, rng):
    """The same for the anchor of a layer: the constructor or, for a coarser precision, the first call refuses it."""
    anchors, u = _almost_outside(case, 40, dtype, rng)
    layers = [layer for layer in (_layer_or_none(case.set, anchor) for anchor in anchors) if layer is not None]
    for layer, rows in zip(layers, u.reshape(len(anchors), 1, -1)):
        try:
            x = layer(rows)
        except RuntimeError as error:
            assert "anchor" in str(error)
        else:
            assert faults(case.judge, x, layer.anchor) == []


def test_a_ball_seen_from_its_boundary():
    """The smallest example of test_samples_anchored_at_the_boundary: an anchor 4e-10 inside, in double."""
    layer, verdict = sr.SoftRadial(sr.Ball([0.3, -0.2], 0.7)), judge.Ball([0.3, -0.2], 0.7)
    anchor = torch.tensor([-0.16243877143519464, 0.3255001262122256], dtype=torch.float64)
    u = torch.tensor([3.4020734148458254e19, 3.2529533451074814e19], dtype=torch.float64)
    assert faults(verdict, layer(u, anchor=anchor)) == []
