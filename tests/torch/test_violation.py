"""violation(x) is 0 for what a layer puts out, in its precision, and the distance for what lies outside."""

import pytest
import torch

import softradial as sr
from support.inputs import at_scales, normal
from support.judge import ulp
from support.sets.rows import EQUALITY
from support.zoo import METHODS, ZOO, soft_layer

two_precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])


@two_precisions
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_outputs_do_not_violate(case, method, dtype, rng):
    layer = METHODS[method](case.set)
    u = at_scales(10, case.dim, [1e-3, 1.0, 1e3, 1e8], rng, dtype)
    assert case.set.violation(layer(u)).tolist() == [0.0] * len(u)


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16], ids=["f16", "bf16"])
@pytest.mark.parametrize("set", [sr.Simplex(5), sr.CappedSimplex(20, 0.1), sr.Ball([0.0] * 4, 1.0)], ids=str)
def test_half_precision(set, dtype, rng):
    x = sr.SoftRadial(set)(normal((20, set.dim), rng, dtype, scale=3))
    assert set.violation(x).tolist() == [0.0] * 20


@two_precisions
def test_the_tolerance_of_an_equality(dtype):
    """4 dim ulp (|f| + sum_j |e_j x_j|), and beyond it the whole residual."""
    dim, set = 8, sr.Simplex(8)
    x = torch.full((dim,), 1 / dim, dtype=dtype)
    allowed = 4 * dim * ulp(dtype) * 2
    for share, violates in ((0.9, False), (1.1, True)):
        off = x.clone()
        off[0] += share * allowed
        found = set.violation(off).item()
        assert (found > 0) == violates
        if violates:
            assert found == pytest.approx(share * allowed, rel=0.05)
    # The same numbers are judged by the precision that they come in.
    off = x.clone()
    off[0] += 100 * ulp(torch.float64)
    assert set.violation(off.double()).item() == (0 if dtype == torch.float32 else pytest.approx(100 * ulp(dtype)))


@two_precisions
def test_inequalities_have_no_tolerance(dtype):
    """Judged on the numbers as they are: 0.1 in single precision is more than a tenth."""
    set = sr.Box([0.0], [0.1])
    one_more = torch.nextafter(torch.tensor([0.1], dtype=dtype), torch.tensor([1.0], dtype=dtype))
    assert set.violation(one_more).item() == one_more.double().item() - 0.1 > 0
    assert (set.violation(torch.tensor([0.1], dtype=dtype)).item() > 0) == (dtype == torch.float32)
    assert set.violation([0.1]).item() == 0


def test_every_equality_has_its_own_tolerance():
    """A large equality that is off by its rounding does not hide a small one that is off by more than its own."""
    set = sr.Polyhedron(E=[[1.0, 0.0], [0.0, 1.0]], f=[1e8, 1.0])
    assert set.violation([1e8 * (1 + 2**-52), 1.0]).item() == 0
    assert set.violation([1e8 * (1 + 2**-52), 1.0 + 1e-9]).item() == pytest.approx(1e-9, rel=1e-6)


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_points_outside_violate(case, rng):
    layer = soft_layer(case)
    hull = sr.HardRadial(case.set)
    ends = hull(layer.anchor + normal((20, case.dim), rng, scale=100))
    # Directions in which the set never ends have no outside.
    outside = layer.anchor + 1.5 * (ends - layer.anchor)
    left = case.set.violation(outside) > 0
    assert bool(left.any()) and bool(case.set.violation(torch.full((case.dim,), float("nan"))).isnan())
    beside = layer.projection.normals
    if len(beside) > 0:
        assert case.set.violation(layer.anchor + 0.1 * beside[0]).item() > 0


def test_flat_sets(rng):
    eye = torch.eye(4, dtype=torch.float64)
    set = sr.Polyhedron(torch.cat([eye, -eye]), torch.ones(8), EQUALITY, [0.1])
    x = sr.SoftRadial(set)(normal((50, 4), rng, torch.float32, scale=10))
    assert set.violation(x).max().item() == 0
