"""The judge of ./dev verify decides as exact arithmetic does, and a report says what was wrong. Nothing of the library is
used: points are drawn to the boundary by the judge's own exact verdict."""

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "verify"))
from campaign import plan, tally_of  # noqa: E402
from families.arithmetic import in_digits, vector  # noqa: E402
from families.draws import Samples  # noqa: E402
from families.table import dim_of, equalities, exact, exits, has_filters  # noqa: E402
from judge import Judge  # noqa: E402
from reference import Reference  # noqa: E402
from samples import SampleJudge, kinds  # noqa: E402
from subjects import subjects, subjects_with_reference  # noqa: E402

SUBJECTS = {name: d for name, d in subjects().items() if dim_of(d) <= 10}
DTYPES = (np.float32, np.float64)


def anchor_of(description):
    """A point inside, found by the exact verdict alone."""
    n = dim_of(description)
    judge = Judge(description, n)
    random = np.random.default_rng(0)
    guesses = [np.zeros(n), np.full(n, 1 / n), np.full(n, 0.03)]
    guesses += [np.array(description[name], dtype=float) for name in ("center", "reference") if name in description]
    if "lower" in description:
        low = [-1.0 if v is None else v for v in description["lower"]]
        guesses.append(np.array([(a + (a + 1 if b is None else b)) / 2 for a, b in zip(low, description["upper"])]))
    if "M" in description and len(description["M"]) == n:
        guesses.append(np.round(-np.array(description["s"], dtype=float), -1))
    guesses += [random.normal(size=n) * 10.0**k for k in range(-3, 3) for _ in range(50)]
    return next((p for p in guesses if judge.exactly_inside(p, 0)), None)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SUBJECTS)
def test_the_filter_never_contradicts_exact_arithmetic(name, dtype):
    """At random points, and at neighbours of the boundary: within a few ulp of where the exact verdict changes."""
    description = SUBJECTS[name]
    n, start = dim_of(description), anchor_of(description)
    if start is None:
        pytest.skip("no point inside is known without the library")
    judge = Judge(description, n)
    random = np.random.default_rng(1)
    points = []
    for _ in range(6):
        d = random.normal(size=n)
        low, high = 1e-30, 1e30
        for _ in range(70):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if judge.exactly_inside((start + middle * d).astype(dtype), 0) else (low, middle)
        edge = (start + low * d).astype(dtype)
        points.append((start + high * d).astype(dtype))
        for step in range(-3, 4):
            toward = np.where(d > 0, np.inf, -np.inf) * np.sign(step) if step else edge
            point = edge.copy()
            for _ in range(abs(step)):
                point = np.nextafter(point, toward.astype(dtype))
            points.append(point)
    rows = np.array(points, dtype=dtype)
    expected = [judge.exactly_inside(row, i) for i, row in enumerate(rows)]
    assert judge.inside(rows).tolist() == expected
    assert any(expected) and (not all(expected) or not judge.filters)  # all of R^n has no boundary


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["caps", "caps_sum", "box", "b", "A_b", "center_radius", "quadratic_q_c", "cone_s_c_e",
                                  "intersection_b_radius", "scale_lp_inf", "scale_ball_3", "scale_polyhedron_4"])
def test_every_row_is_judged_by_its_own_data(kind, dtype):
    """As a set of its own, in exact arithmetic, at points from the middle to beyond the boundary."""
    random = np.random.default_rng(2)
    samples: Samples = kinds()[kind](random, 40, dtype, None)
    judge = SampleJudge(samples)
    away = 10 ** random.uniform(-3, 1, (40, 1)) * random.normal(size=samples.center.shape)
    x = (samples.center + samples.unit[:, None] * away).astype(dtype)
    for lower, upper in judge._sides():  # fixed coordinates have their value
        x = np.where(lower == upper, lower, x).astype(dtype)
    factor = [Fraction(float(s)) for s in samples.data.get("scale", np.ones(40))]
    expected = []
    for i in range(40):
        slacks = exact(judge.description_of(i), judge.dim)
        expected.append(all(slack > 0 for slack in slacks([Fraction(float(v)) / factor[i] for v in x[i]])))
    assert judge.inside(x).tolist() == expected
    assert any(expected) and not all(expected)


@pytest.mark.parametrize("name", sorted(subjects_with_reference()))
def test_rays_leave_sets_where_the_exact_verdict_changes(name):
    """The reference in 60 digits and the judge have formulas of their own."""
    description = SUBJECTS[name]
    n, start = dim_of(description), anchor_of(description)
    if start is None:
        pytest.skip("no point inside is known without the library")
    verdict, random = exact(description, n), np.random.default_rng(3)
    with in_digits():
        reference = Reference(description, start, "hard_radial", {})
        for _ in range(5):
            d = reference.direction(vector(start + random.normal(size=n)))
            found = min((t for t in exits(description, reference.anchor, d) if t is not None), default=None)
            for share, inside in ((1 - 1e-9, True), (1 + 1e-9, False)):
                t = Fraction(found) * Fraction(share) if found is not None else Fraction(10**9)
                point = [Fraction(a) + t * Fraction(b) for a, b in zip(reference.anchor, d)]
                assert all(slack > 0 for slack in verdict(point)) == (inside or found is None)
        assert all(abs(float(sum(float(v) * float(a) for a, v in zip(equality.row, d)))) < 1e-12
                   for equality in equalities(description, n))


def test_every_type_has_a_filter():
    """Rationals for every row would take hours."""
    assert all(has_filters(description) for description in subjects().values())


def test_a_fixed_coordinate_has_its_value_and_no_other():
    samples = kinds()["caps"](np.random.default_rng(0), 1, np.float64, None)
    data = {"cap": np.array([[0.0, 0.7, 0.8]])}
    judge = SampleJudge(Samples({"type": "capped_simplex", "dim": 3, "cap": 0.9}, data, np.zeros((1, 3)), np.ones(1),
                                samples.owed, np.eye(3)))
    assert judge.inside(np.array([[0.0, 0.5, 0.5]])).tolist() == [True]
    assert judge.inside(np.array([[1e-300, 0.5, 0.5]])).tolist() == [False]


def test_rows_that_are_no_numbers_are_outside():
    judge = Judge({"type": "box", "lower": [None], "upper": [None]}, 1)
    assert judge.inside(np.array([[np.nan], [np.inf], [1e308]])).tolist() == [False, False, True]


def test_a_block_says_how_many_rows_were_wrong_and_shows_one():
    bad = {"x": np.array([False, True, True]), "jvp": np.zeros(3, dtype=bool)}
    assert tally_of(3, bad, lambda i: {"row": i}) == {"rows": 3, "wrong": {"x": 2}, "examples": {"x": {"row": 1}}}


def test_a_report_is_gone_on_with():
    """What it has is not planned again."""
    from campaign import cases

    chosen = cases("box_3 ", False)
    whole = list(plan(chosen, {"cases": {}}, 1e5))
    some = {chosen[0].name: {"rows": 1024 * 3, "blocks": 3}}
    rest = list(plan(chosen, {"cases": some}, 1e5))
    assert sum(task[2] for task in rest) == sum(task[2] for task in whole) - 3
    assert rest[0][:2] == (0, 3)
