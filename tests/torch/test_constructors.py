"""Every type of SET.json has a constructor in Python: its keywords are the keys, and it gives an equal set."""

import json
import re

import pytest
import torch

import softradial as sr
from support.inputs import normal
from support.zoo import ZOO

INF = float("inf")

# What JSON cannot say in a number: open sides, an infinite exponent, and matrices that are mostly 0.
OPEN = {"lower": -INF, "upper": INF}


def constructor(kind):
    """capped_simplex -> softradial.CappedSimplex"""
    return getattr(sr, "".join(word.capitalize() for word in kind.split("_")))


def argument(key, value):
    if isinstance(value, dict) and "type" in value:
        return built(value)
    if isinstance(value, dict):
        entries = torch.tensor(value["entries"], dtype=torch.float64).reshape(-1, 3)
        size = (value["rows"], value["cols"])
        return torch.sparse_coo_tensor(entries[:, :2].long().T, entries[:, 2], size)
    if isinstance(value, list) and key in OPEN:
        return [OPEN[key] if entry is None else entry for entry in value]
    return INF if value == "inf" else value


def built(data):
    """The set that the constructor makes of what SET.json says."""
    data = dict(data)
    make, anchor = constructor(data.pop("type")), data.pop("anchor", None)
    parts = [built(part) for part in data.pop("sets", [])]
    set = make(*parts, **{key: argument(key, value) for key, value in data.items()})
    return set if anchor is None else set.with_anchor(torch.tensor(anchor, dtype=torch.float64))


def known_types():
    """The types that SET.json knows, from the message that lists them."""
    with pytest.raises(ValueError) as error:
        sr.parse_set('{"type": "no such type"}')
    return str(error.value).split("known are ")[1].split(", ")


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_keywords_are_the_keys_of_json(case):
    text = case.set.to_json()
    set = built(json.loads(text))
    assert set == case.set and sr.parse_set(text) == set and hash(sr.parse_set(text)) == hash(set)
    assert str(set) == str(case.set)


@pytest.mark.parametrize("kind", known_types())
def test_every_type_has_a_constructor_and_a_case(kind):
    assert constructor(kind).__doc__
    assert any(json.loads(case.set.to_json())["type"] == kind for case in ZOO)


@pytest.mark.parametrize("kind", known_types())
def test_an_unknown_keyword_is_refused(kind):
    with pytest.raises(TypeError, match=re.escape("colour")):
        constructor(kind)(colour=1)


@pytest.mark.parametrize("scale", [0.01, 20.0])
def test_a_layer_scales_with_its_set(scale, rng):
    """Without a lambda_: a set that is s times as large gives s times the map. What is found is a number as any other."""
    A = normal((9, 4), rng)
    b = A.norm(dim=1) + 1
    layer = sr.SoftRadial(sr.Polyhedron(A, b), anchor=torch.zeros(4))
    scaled = sr.SoftRadial(sr.Polyhedron(A, scale * b), anchor=torch.zeros(4))
    u = normal((7, 4), rng)
    assert torch.allclose(scaled(scale * u), scale * layer(u), rtol=1e-9)
    ball = sr.SoftRadial(sr.Ball([0.0, 0.0], scale))
    assert ball.projection.lambda_ == pytest.approx(scale**2)
    assert torch.equal(ball(u[:, :2]), sr.SoftRadial(sr.Ball([0.0, 0.0], scale), lambda_="auto")(u[:, :2]))
    assert torch.equal(ball(u[:, :2]), sr.ConstraintLayer(sr.Ball([0.0, 0.0], scale), "soft_radial")(u[:, :2]))
    again = sr.SoftRadial(sr.Ball([0.0, 0.0], scale), lambda_=1.0)
    again.load_state_dict(ball.state_dict())
    assert torch.equal(again(u[:, :2]), ball(u[:, :2]))


@pytest.mark.parametrize("dim", [3, 70])
def test_a_level_set_reaches_as_far_as_the_set_that_it_is(dim):
    """At most 64 axes are tried, those that the library tries."""
    bound = torch.linspace(1, 3, dim, dtype=torch.float64)
    level = sr.LevelSet(lambda x: (x.abs() - bound.to(x)).amax(-1), dim=dim, anchor=[0.0] * dim)
    box = sr.SoftRadial(sr.Box(-bound, bound))
    assert sr.SoftRadial(level).projection.lambda_ == pytest.approx(box.projection.lambda_, rel=1e-12)
    endless = sr.LevelSet(lambda x: 0 * x[..., 0] - 1, dim=2, anchor=[0.0, 0.0])
    assert sr.SoftRadial(endless).projection.lambda_ == 1
