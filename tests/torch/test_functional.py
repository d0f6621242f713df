"""The layers as functions: the same numbers as the modules, a cache that is bounded, shared and safe."""

import inspect
import threading

import numpy
import pytest
import torch
from torch import nn

import softradial as sr
from softradial import functional as F
from support.inputs import normal
from support.samples import CALLS
from support.zoo import ZOO

CAPPED, BALL = sr.CappedSimplex(4, 0.5), sr.Ball([0.1, 0.0, 0.2, 0.0], 1.0)
ROWS = torch.eye(4, dtype=torch.float64)
POLYHEDRON = sr.Polyhedron(torch.cat([ROWS, -ROWS]), torch.full((8,), 0.7, dtype=torch.float64))

# The function and the layer that it stands for.
TWINS = {
    "soft_radial": (lambda u: F.soft_radial(u, CAPPED), sr.SoftRadial(CAPPED)),
    "soft_radial, options": (
        lambda u: F.soft_radial(u, BALL, "exponential", lambda_=0.3, epsilon=0.2, anchor=[0.0] * 4),
        sr.SoftRadial(BALL, "exponential", lambda_=0.3, epsilon=0.2, anchor=[0.0] * 4),
    ),
    "soft_radial, search": (
        lambda u: F.soft_radial(u, POLYHEDRON, anchor="chebyshev"), sr.SoftRadial(POLYHEDRON, anchor="chebyshev")
    ),
    "soft_radial_inverse": (lambda u: F.soft_radial_inverse(0.1 * u, BALL), lambda u: sr.SoftRadial(BALL).inverse(0.1 * u)),
    "soft_radial_log_abs_det": (lambda u: F.soft_radial_log_abs_det(u, BALL), sr.SoftRadial(BALL).log_abs_det),
    "hard_radial": (lambda u: F.hard_radial(u, CAPPED), sr.HardRadial(CAPPED)),
    "gauge_map": (lambda u: F.gauge_map(u, BALL, "hyperbolic", 2.0), sr.GaugeMap(BALL, "hyperbolic", 2.0)),
    "gauge_map_inverse": (lambda u: F.gauge_map_inverse(0.1 * u, BALL), lambda u: sr.GaugeMap(BALL).inverse(0.1 * u)),
    "gauge_map_log_abs_det": (lambda u: F.gauge_map_log_abs_det(u, BALL), sr.GaugeMap(BALL).log_abs_det),
    "soft_orthogonal": (lambda u: F.soft_orthogonal(u, BALL, kappa=0.1), sr.SoftOrthogonal(BALL, kappa=0.1)),
    "soft_orthogonal_inverse": (
        lambda u: F.soft_orthogonal_inverse(0.1 * u, BALL), lambda u: sr.SoftOrthogonal(BALL).inverse(0.1 * u)
    ),
    "soft_orthogonal_log_abs_det": (lambda u: F.soft_orthogonal_log_abs_det(u, BALL), sr.SoftOrthogonal(BALL).log_abs_det),
    "mirror": (lambda u: F.mirror(u, CAPPED, temperature=0.5), sr.Mirror(CAPPED, temperature=0.5)),
    "mirror_inverse": (
        lambda u: F.mirror_inverse(sr.Mirror(CAPPED)(u), CAPPED), lambda u: sr.Mirror(CAPPED).inverse(sr.Mirror(CAPPED)(u))
    ),
    "mirror_log_abs_det": (lambda u: F.mirror_log_abs_det(u, CAPPED), sr.Mirror(CAPPED).log_abs_det),
    "softmax": (lambda u: F.softmax(u, sr.Simplex(4), temperature=0.5), sr.Softmax(sr.Simplex(4), temperature=0.5)),
    "orthogonal": (lambda u: F.orthogonal(u, CAPPED), sr.Orthogonal(CAPPED)),
    "dc3": (lambda u: F.dc3(u, CAPPED, steps=3), sr.Dc3(CAPPED, steps=3)),
    "dc3, evaluated": (lambda u: F.dc3(u, CAPPED, steps=3, training=False), sr.Dc3(CAPPED, steps=3).eval()),
    "hardnet": (lambda u: F.hardnet(u, CAPPED), sr.HardNet(CAPPED)),
    "hardnet, evaluated": (lambda u: F.hardnet(u, CAPPED, training=False), sr.HardNet(CAPPED).eval()),
    "hardnet_aff": (
        lambda u: F.hardnet_aff(u, sr.Box([0.0] * 4, [1.0] * 4), upper=[0.5] * 4),
        lambda u: sr.HardNetAff(sr.Box([0.0] * 4, [1.0] * 4))(u, upper=torch.full((4,), 0.5)),
    ),
    "hardnet_cvx": (lambda u: F.hardnet_cvx(u, POLYHEDRON), sr.HardNetCvx(POLYHEDRON)),
    "rayen": (lambda u: F.rayen(u, BALL), sr.Rayen(BALL)),
    "ray_scalar": (lambda u: F.ray_scalar(u[:, :4], sr.Ball([0.0] * 3, 1)), sr.RayScalar(sr.Ball([0.0] * 3, 1))),
    "hop": (lambda u: F.hop(u, BALL), sr.Hop(BALL)),
    "hp": (lambda u: F.hp(u, BALL, hidden=4, training_steps=5), sr.Hp(BALL, hidden=4, training_steps=5)),
    "penalty": (lambda u: F.penalty(u, BALL), sr.SoftPenalty(BALL).penalty),
    "qp": (lambda u: F.qp(u, ROWS, ROWS, [1.0] * 4), sr.QpLayer(ROWS, ROWS, [1.0] * 4)),
}


@pytest.fixture(autouse=True)
def no_layers_kept():
    F.clear_cache()
    yield
    F.clear_cache()


@pytest.mark.parametrize("which", TWINS)
def test_functions_are_the_layers(which, rng):
    function, layer = TWINS[which]
    u = normal((5, 4), rng, scale=2)
    assert torch.equal(function(u).nan_to_num(), layer(u).nan_to_num())
    assert torch.equal(function(u.numpy()).nan_to_num(), layer(u).nan_to_num())


def test_every_function_has_a_twin():
    functions = {name for name in F.__all__ if inspect.isfunction(getattr(F, name))} - {"clear_cache"}
    assert functions == {which.split(",")[0] for which in TWINS}
    assert all(getattr(F, name).__doc__ for name in functions)


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_every_set(case, rng):
    u = normal((4, case.dim), rng, torch.float32, scale=3)
    assert torch.equal(F.soft_radial(u, case.set), sr.SoftRadial(case.set)(u))


@pytest.mark.parametrize("which", CALLS)
def test_data_of_samples(which, rng):
    call = CALLS[which]
    u, data = normal((5, 4), rng, scale=3), call.draw(5, rng)
    assert torch.equal(F.soft_radial(u, call.set, **data), sr.SoftRadial(call.set)(u, **data))


def test_anchors_of_samples_are_data(rng):
    u, anchors = normal((5, 4), rng), 0.1 * normal((5, 4), rng)
    assert torch.equal(F.gauge_map(u, BALL, anchor=anchors), sr.GaugeMap(BALL)(u, anchor=anchors))
    learned = anchors[0].clone().requires_grad_()
    F.gauge_map(u, BALL, anchor=learned).sum().backward()
    assert bool(learned.grad.abs().sum() > 0)


def test_equal_sets_share_a_layer():
    for _ in range(3):
        F.soft_radial([0.0] * 3, sr.Simplex(3))
    F.soft_radial([0.0] * 3, sr.Simplex(3), lambda_=2)
    F.gauge_map([0.0] * 3, sr.Simplex(3))
    assert F._kept.cache_info().misses == 3 and F._kept.cache_info().hits == 2


def test_the_cache_is_bounded():
    for i in range(F.CACHED_LAYERS + 9):
        F.soft_radial([0.0] * 2, sr.Ball([0.0, 0.0], 1 + i))
    assert F._kept.cache_info().currsize == F.CACHED_LAYERS


def test_sets_with_learned_data_get_their_gradient_and_are_not_kept(rng):
    u = normal((5, 4), rng, scale=3)
    cap = nn.Parameter(torch.full((4,), 0.5, dtype=torch.float64))
    x = F.soft_radial(u, sr.CappedSimplex(4, cap))
    x.square().sum().backward()
    assert bool(cap.grad.abs().sum() > 0) and F._kept.cache_info().currsize == 0
    with torch.no_grad():
        cap.mul_(1.2)
    of_call = F.soft_radial(u, sr.CappedSimplex(4, 0.5), lambda_=1.0, cap=cap)
    assert torch.equal(F.soft_radial(u, sr.CappedSimplex(4, cap), lambda_=1.0), of_call)


def test_level_sets(rng):
    level = sr.LevelSet(lambda x: x.pow(4).sum(-1) - 1, 3, [0.0] * 3)
    u = normal((5, 3), rng)
    assert torch.equal(F.soft_radial(u, level), sr.SoftRadial(level)(u))
    F.soft_radial(u, level.with_anchor([0.0] * 3))
    assert F._kept.cache_info().hits == 1


def test_many_threads(rng):
    """All begin with an empty cache."""
    u = normal((8, 4), rng)
    expected = [sr.SoftRadial(sr.Ball([0.0] * 4, 1 + i))(u) for i in range(6)]
    start, failures = threading.Barrier(8), []

    def work():
        start.wait()
        for _ in range(20):
            for i in range(6):
                if not torch.equal(F.soft_radial(u, sr.Ball([0.0] * 4, 1 + i)), expected[i]):
                    failures.append(i)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_gradients_pass(rng):
    u = normal((3, 4), rng).requires_grad_()
    assert torch.autograd.gradcheck(lambda u: F.gauge_map(u, BALL), (u,))


def test_numbers():
    assert F.orthogonal([3.0, 0, 0, 0], CAPPED).tolist() == F.orthogonal(numpy.array([3.0, 0, 0, 0]), CAPPED).tolist()
