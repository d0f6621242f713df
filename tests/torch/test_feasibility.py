"""Strictly inside, in exact arithmetic, for rows of any size: the contract of docs/math/margin.md.

The numbers that a layer returns are judged as the rationals that they are, against the data as they were given.
"""

import pytest
import torch

import softradial as sr
from support.case import each
from support.inputs import at_scales, normal, uniform
from support.judge import faults, ulp
from support.sets import gather
from support.sets.combinations import ScaledJudge
from support.sets.quadratics import BallJudge
from support.zoo import METHODS, ZOO, soft_layer

KINDS, SAMPLES = gather("random"), gather("samples")

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
    return layer(u, scale=scale), layer.status, each(lambda s: ScaledJudge(verdict, s), scale)


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
anchored_sets = [case for case in ZOO if case.declared]


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
        except ValueError as error:
            assert "anchor" in str(error)
        else:
            assert faults(case.judge, x, layer.anchor) == []


def test_a_ball_seen_from_its_boundary():
    """The smallest example of test_samples_anchored_at_the_boundary: an anchor 4e-10 inside, in double."""
    layer, verdict = sr.SoftRadial(sr.Ball([0.3, -0.2], 0.7)), BallJudge([0.3, -0.2], 0.7)
    anchor = torch.tensor([-0.16243877143519464, 0.3255001262122256], dtype=torch.float64)
    u = torch.tensor([3.4020734148458254e19, 3.2529533451074814e19], dtype=torch.float64)
    assert faults(verdict, layer(u, anchor=anchor)) == []
