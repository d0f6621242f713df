"""Sets are Python classes: they print, compare, hash, copy and teach, one class for each type of the library's table."""

import copy
import doctest
import inspect
import io
import json
import pickle
import pydoc

import numpy
import pytest
import torch
from torch import nn

import softradial as sr
import softradial.numpy  # noqa: F401
from support.inputs import normal
from support.judge import faults
from support.subjects import missing_cases
from support.zoo import ZOO, soft_layer

TABLE = {row["title"]: row for row in json.loads(torch.ops.softradial.set_types())}
every_type = pytest.mark.parametrize("title", TABLE)
every_set = pytest.mark.parametrize("case", ZOO, ids=repr)
PAIR = (sr.Simplex(3), sr.Ball([0.3, 0.3, 0.4], 0.3))


@every_set
def test_every_set_is_of_its_class(case):
    title = type(case.set).__name__
    assert isinstance(case.set, sr.Set) and isinstance(case.set, getattr(sr, title))
    assert json.loads(case.set.to_json())["type"] == TABLE[title]["name"]


@every_type
def test_signatures_are_those_of_the_table(title):
    parameters = inspect.signature(getattr(sr, title)).parameters
    assert list(parameters) == [field["name"] for field in TABLE[title]["fields"]]
    for field in TABLE[title]["fields"]:
        if "otherwise" in field:
            assert parameters[field["name"]].default == field["otherwise"]


@every_type
def test_help_teaches(title):
    """The formula, every argument with its meaning, what a call takes, and an example."""
    text = pydoc.plain(pydoc.render_doc(getattr(sr, title)))
    row = TABLE[title]
    assert row["formula"] in text and f"class {title}(" in text
    for field in row["fields"]:
        assert field["meaning"] and f"{field['name']} " in text and field["meaning"] in text
    for name in [*row["sample_data"], "scale", "anchor"]:
        assert name in text
    assert f">>> set = softradial.{title}(" in text


def _documented():
    public = [getattr(sr, name) for name in sr.__all__] + [getattr(sr.functional, name) for name in sr.functional.__all__]
    return [thing for thing in public if callable(thing) and ">>>" in (inspect.getdoc(thing) or "")]


@pytest.mark.parametrize("thing", _documented(), ids=lambda thing: thing.__name__)
def test_examples_run(thing):
    runner, report = doctest.DocTestRunner(), io.StringIO()
    for test in doctest.DocTestFinder(recurse=False).find(thing, thing.__name__, globs={}):
        runner.run(test, out=report.write)
    assert runner.tries > 0 and runner.failures == 0, report.getvalue()


def test_a_type_that_no_family_has_a_case_for_gets_one_with_a_judge(rng):
    cases = missing_cases([])
    assert {type(case.set).__name__ for case in cases} == set(TABLE)
    for case in cases:
        layer = soft_layer(case)
        assert faults(case.judge, layer(normal((20, case.dim), rng, scale=3.0)), layer.anchor) == []


def test_every_type_has_an_example():
    assert set(TABLE) < {thing.__name__ for thing in _documented()}


@pytest.mark.parametrize("module", [sr.functional, sr.distributions, sr.numpy])
def test_dir_of_a_module_shows_ours_only(module):
    shown = [name for name in dir(module) if name != "__version__"]
    assert shown == sorted(module.__all__)
    assert all(hasattr(module, name) for name in shown)


def test_dir_shows_ours_only():
    assert dir(sr) == sorted([*sr.__all__, "__version__", "numpy"])
    assert all(getattr(sr, name) is not None for name in dir(sr))
    assert [name for name in dir(sr.Simplex(3)) if not name.startswith("_")] == [
        "anchor", "dim", "learned", "script", "to_json", "violation", "with_anchor",
    ]


@pytest.mark.parametrize("make", [
    lambda: sr.Simplex(3),
    lambda: sr.CappedSimplex(50, cap=0.05),
    lambda: sr.Box([0, -1], [1, 2.5]),
    lambda: sr.Ball([0.0, 0.5], 2.0),
    lambda: sr.Product(sr.Simplex(3, sum=2), sr.Ball([0.1], 1)),
    lambda: sr.Scaled(sr.KlBall([0.5, 0.5], 0.1), 3),
])
def test_repr_is_python(make):
    assert eval(repr(make()), vars(sr)) == make()


def test_equality_is_of_data_and_anchor():
    assert sr.Simplex(3) == sr.Simplex(3, sum=1.0) != sr.Simplex(4)
    assert sr.Simplex(3) != sr.CappedSimplex(3, cap=1.0) and sr.Simplex(3) != "simplex"
    assert sr.Simplex(3).with_anchor([0.5, 0.3, 0.2]) != sr.Simplex(3)
    assert sr.Box([0.0], [1.0]) == sr.Box([-0.0], [1]) and hash(sr.Box([0.0], [1.0])) == hash(sr.Box([-0.0], [1]))
    assert len({sr.Simplex(3), sr.Simplex(3), sr.Simplex(4), sr.Ball([0.0], 1)}) == 3


@every_set
def test_hash_tells_sets_apart(case):
    """A hash that was the same for all would be a poor key."""
    others = [other.set for other in ZOO if other.set != case.set]
    assert all(hash(other) != hash(case.set) for other in others)


def test_learned_data_are_part_of_equality():
    """Two parameters of the same value are two sets: a gradient goes to one of them."""
    cap = nn.Parameter(torch.full((3,), 0.5, dtype=torch.float64))
    one = sr.CappedSimplex(3, cap)
    assert one == sr.CappedSimplex(3, cap)
    assert one != sr.CappedSimplex(3, nn.Parameter(cap.detach().clone())) and one != sr.CappedSimplex(3, 0.5)


def test_copies_of_learned_data():
    cap = nn.Parameter(torch.full((3,), 0.5, dtype=torch.float64))
    one = sr.CappedSimplex(3, cap)
    assert copy.copy(one) is one
    for twin in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        own, = twin.learned().values()
        assert own is not cap and torch.equal(own, cap) and own.requires_grad and twin.learned().keys() == {"cap"}


def test_immutable_sets_are_not_copied():
    for set in PAIR:
        assert copy.deepcopy(set) is set and copy.copy(set) is set


@every_set
def test_what_is_known_of_the_anchor(case):
    """A set's own anchor is inside; where there is none, a layer finds one."""
    anchor = case.set.anchor
    assert anchor is None or torch.equal(sr.SoftRadial(case.set).anchor, anchor)
    assert torch.equal(case.set.with_anchor(soft_layer(case).anchor).anchor, soft_layer(case).anchor)


def test_anchors_that_are_known():
    assert sr.Ball([1.0, 2.0], 1).anchor.tolist() == [1, 2]
    assert sr.Simplex(4).anchor.tolist() == [0.25] * 4
    assert sr.Polyhedron([[1.0, 0]], [1.0]).anchor is None


def test_a_set_is_not_made_without_a_type():
    with pytest.raises(TypeError, match="Set: make one of its types"):
        sr.Set()
    with pytest.raises(AttributeError):
        sr.Simplex(3).dim = 4


@pytest.mark.parametrize("kind", [sr.Intersection, sr.Product])
def test_parts_one_by_one_or_in_a_list(kind):
    sets = [kind(*PAIR), kind(list(PAIR)), kind(PAIR), kind(sets=PAIR)]
    assert all(set == sets[0] for set in sets) and sets[0].dim == (3 if kind is sr.Intersection else 6)
    assert kind(PAIR[:1]) == kind(PAIR[0])


BACKWARDS = lambda rows: numpy.array(rows[::-1])[::-1]


@pytest.mark.parametrize("array", [numpy.array, numpy.float32, BACKWARDS, tuple, torch.tensor])
def test_data_are_numbers_of_any_kind(array):
    rows, bounds = [[1.0, 2.0], [-1.0, 0.0], [0.0, -1.0]], [1.0, 0.0, 0.0]
    assert sr.Polyhedron(array(rows), array(bounds)) == sr.Polyhedron(rows, bounds)
    assert sr.Polyhedron([array(row) for row in rows], bounds) == sr.Polyhedron(rows, bounds)


def test_numbers_of_numpy():
    assert sr.Simplex(numpy.int64(3), sum=numpy.float32(2)) == sr.Simplex(3, 2)
    assert sr.Ball(numpy.zeros(3, dtype=int), numpy.float64(1)) == sr.Ball([0, 0, 0], 1)


def test_layers_know_their_set():
    for layer in (sr.SoftRadial(PAIR[1]), sr.Orthogonal(PAIR[1]), sr.GaugeMap(PAIR[1])):
        assert layer.set is PAIR[1]


def test_torchscript_has_the_set_behind():
    """What TorchScript knows is `script`; a layer takes it, too, as pickles of older sets have it."""
    script = PAIR[1].script
    assert script.dim == 3 and sr.SoftRadial(script).set == PAIR[1]
    assert torch.jit.script(sr.SoftRadial(PAIR[1])).projection.set.equals(script)
