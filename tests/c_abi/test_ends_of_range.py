"""The ends of what numbers can say: mixed units, sets and rows of extreme size, parameters that a precision does not hold.
Either it works, judged in exact arithmetic, or the constructor refuses in one line that names the value."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import softradial.numpy as srn

sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "verify"))
from families.table import dim_of  # noqa: E402
from judge import Judge  # noqa: E402
from subjects import TABLE  # noqa: E402

DTYPES = (np.float32, np.float64)
SIZES = (1e-300, 1e-200, 1e-100, 1e-40, 1e-30, 1e-20, 1e-10, 1.0, 1e10, 1e20, 1e30, 1e37, 1e100, 1e200, 1e300)
MAPS = {
    "soft_radial": lambda s: srn.SoftRadial(s),
    "soft_radial_exponential": lambda s: srn.SoftRadial(s, contraction="exponential"),
    "hard_radial": lambda s: srn.HardRadial(s),
    "gauge_map": lambda s: srn.GaugeMap(s),
    "gauge_map_hyperbolic": lambda s: srn.GaugeMap(s, contraction="hyperbolic"),
}


def rows(dtype, size):
    largest = float(np.finfo(dtype).max)
    directions = np.array([[1, 0, 0], [0, -1, 0], [1, 1, 1], [1, -0.5, 0.3], [-1, -1, -1], [0.1, -0.1, 0]])
    lengths = [0, 1e-46, 1e-30, 1e-10, 1, 1e10, 1e30, 3e38, 1e160, 1e300, 1.7e308, 0.3 * size, 3 * size]
    found = [d * length for length in lengths if length <= largest for d in directions]
    return np.array(found).astype(dtype)


OF_SIZE = {name: make for kind in TABLE.values() for name, make in kind.sized.items()}


def is_finite(values):
    """Whether all numbers of a description are some."""
    if isinstance(values, (dict, list)):
        return all(map(is_finite, values.values() if isinstance(values, dict) else values))
    return not isinstance(values, float) or np.isfinite(values)


def of_size(name, size):
    """Nothing where a datum of it is no number: 1 / size^2."""
    with np.errstate(all="ignore"):
        description = OF_SIZE[name](np.float64(size))
    return description if is_finite(description) else None


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OF_SIZE)
def test_sets_of_every_size_work_or_are_refused(name, dtype):
    worked = 0
    for size in SIZES:
        description = of_size(name, size)
        if description is None:
            continue
        for method, make in MAPS.items():
            where = f"{method}, size {size:g}"
            try:
                layer = make(srn.parse_set(json.dumps(description)))
                layer(np.zeros((1, 3), dtype=dtype))
            except ValueError as error:
                assert "\n" not in str(error) and any(c.isdigit() for c in str(error)), (where, error)
                continue
            worked += 1
            with np.errstate(all="ignore"):
                u = rows(dtype, size)
                x = layer(u)
                inside = Judge(description, dim_of(description)).inside(x)
            assert inside.all(), (where, u[~inside][0], x[~inside][0])
            for g in (np.ones_like(u), np.array([1, -2, 0.5], dtype=dtype) * np.ones_like(u)):
                assert np.isfinite(layer.vjp(u, g)).all(), where
                assert np.isfinite(layer.jvp(u, g)).all(), where
            log_det = layer.log_abs_det(u)
            assert not np.isnan(log_det).any() and not (log_det == np.inf).any(), where
    assert worked >= 5 * len(MAPS)  # sizes from 1e-10 to 1e30 are for every precision


@pytest.mark.parametrize("make, name", [
    (lambda value: srn.SoftRadial(srn.Simplex(3), lambda_=value), "lambda"),
    (lambda value: srn.GaugeMap(srn.Simplex(3), lambda_=value), "lambda"),
])
@pytest.mark.parametrize("value, text", [(1e39, "1e+39"), (1e-46, "1e-46")])
def test_a_lambda_that_single_precision_does_not_hold_is_refused_there(make, name, value, text):
    layer = make(value)
    with pytest.raises(ValueError, match=name + " is " + text.replace("+", r"\+")):
        layer(np.zeros((1, 3), dtype=np.float32))
    assert np.isfinite(layer(np.zeros((1, 3)))).all()


def test_an_epsilon_that_single_precision_does_not_hold_is_refused_there():
    with pytest.raises(ValueError, match="epsilon is 1e-46"):
        srn.SoftRadial(srn.Simplex(3), epsilon=1e-46)(np.zeros((1, 3), dtype=np.float32))


MIXED_UNITS = {
    "metres beside nanometres": {"type": "box", "lower": [1e5, 0], "upper": [2e5, 1e-9]},
    "open beside nanometres": {"type": "box", "lower": [1e5, 0], "upper": [None, 1e-9]},
    "1e11": {"type": "box", "lower": [1e11, 0], "upper": [2e11, 1]},
    "1e15": {"type": "box", "lower": [1e15, 0], "upper": [2e15, 1]},
    "narrow and far": {"type": "box", "lower": [1e8, 1e8], "upper": [1e8 + 1e-3, 1e8 + 1e-3]},
    "polyhedron": {"type": "polyhedron", "A": [[1, 0], [-1, 0], [0, 1], [0, -1]], "b": [2e11, -1e11, 1, 0]},
    "polyhedron 1e14": {"type": "polyhedron", "A": [[1, 0], [-1, 0], [0, 1], [0, -1]], "b": [2e5, -1e5, 1e-9, 0]},
    "intersection": {"type": "intersection", "sets": [{"type": "box", "lower": [1e5, 0], "upper": [2e5, 1e-9]},
                                                      {"type": "ball", "center": [1.5e5, 0], "radius": 1e6}]},
}


@pytest.mark.parametrize("name", MIXED_UNITS)
def test_mixed_units_keep_every_dimension(name):
    description = MIXED_UNITS[name]
    layer = srn.SoftRadial(srn.parse_set(json.dumps(description)))
    assert layer.hull_dim == 2
    width = 0.1 * np.abs(np.asarray(layer.anchor))
    u = np.asarray(layer.anchor) + width * np.random.default_rng(1).normal(size=(200, 2))
    x = layer(u)
    assert Judge(description, 2).inside(x).all()
    assert (np.ptp(x, axis=0) > 0).all()


def test_a_cap_of_almost_nothing_is_not_a_fixed_coordinate():
    layer = srn.SoftRadial(srn.CappedSimplex(3, cap=[1e-12, 1, 1]))
    assert layer.hull_dim == 2


def test_caps_that_barely_fit_work_in_double_and_are_refused_in_single():
    layer = srn.SoftRadial(srn.CappedSimplex(3, cap=(1 + 1e-12) / 3))
    assert layer.hull_dim == 2
    u = np.random.default_rng(2).normal(size=(100, 3))
    x = layer(u)
    assert Judge({"type": "capped_simplex", "dim": 3, "cap": (1 + 1e-12) / 3}, 3).inside(x).all()
    with pytest.raises(ValueError, match="has slack"):
        layer(u.astype(np.float32))


@pytest.mark.parametrize("given", [srn.Ball([0, 0, 0], 1), srn.Box([-1, -1, -1], [1, 2, 1])], ids=["ball", "box"])
@pytest.mark.parametrize("length", (1, 1e2, 1e3, 1e4, 1e6))
def test_the_derivative_along_the_ray_is_positive_in_single_precision(given, length):
    """J d = phi e_radial d: e_radial comes from 1 - r, which is exact where r has rounded to 1."""
    layer = srn.SoftRadial(given)
    anchor = np.asarray(layer.anchor, dtype=np.float32)
    u = (anchor + length * np.random.default_rng(3).normal(size=(200, 3))).astype(np.float32)
    d = u - anchor
    assert ((layer.jvp(u, d).astype(float) * d).sum(1) > 0).all()


@pytest.mark.parametrize("angle", (1e-3, 1e-5, 1e-6, 1e-7))
def test_equalities_that_are_almost_parallel_have_an_anchor(angle):
    point = np.array([0.3, 0.2, 0.5])
    E = np.array([[1, 1, 1], [1, 1 + angle, 1]])
    layer = srn.SoftRadial(srn.Polyhedron(A=-np.eye(3), b=np.zeros(3), E=E, f=E @ point))
    x = layer(10 * np.random.default_rng(4).normal(size=(20, 3)))
    assert layer.hull_dim == 1
    assert (x > 0).all() and np.abs(x @ E.T - E @ point).max() < 1e-14


def test_homeomorphic_projection_returns_from_huge_rows():
    layer = srn.Hp(srn.CappedSimplex(4, cap=0.5), couplings=2, hidden=8, training_steps=10, batch=16)
    u = np.array([[1.0, -0.5, 0.25, 0.1]]) * np.array([1e10, 1e150, 1e160, 1e300, 1.7e308])[:, None]
    x = layer(u)
    assert (x >= 0).all() and (x <= 0.5).all()
    assert np.isfinite(layer.vjp(u, np.ones_like(u))).all()


@pytest.mark.parametrize("name", [name for name, kind in TABLE.items() if kind.long])
def test_construction_is_linear_in_the_data(name):
    """Quadratic set-up would take hours."""
    n = 100_000
    given = srn.parse_set(json.dumps(TABLE[name].long(n)))
    assert np.isfinite(srn.SoftRadial(given)(np.zeros((1, n)))).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("caps", ["none", "one", "own"])
def test_long_rows_keep_their_sum_wherever_their_first_number_is(dtype, caps):
    """Differences to the first number are what the mean is taken of; one far from all others made its roundings add up."""
    n = 20000
    cap = {"one": 0.9, "own": np.linspace(0.5, 0.9, n)}
    layer = srn.HardRadial(srn.Simplex(n) if caps == "none" else srn.CappedSimplex(n, cap[caps]))
    u = np.full((4, n), 1 / n)
    u[:, 0] = [0.41783, 0.1, 1e3, 1e9]
    x = layer(u.astype(dtype))
    off = np.abs(x.astype(np.longdouble).sum(1) - 1)
    assert (off <= 4 * n * np.finfo(dtype).eps).all()
