"""What is wrong is said in one line that names the value, before anything is computed."""

import re

import pytest
import torch
from torch import nn

import softradial as sr
from support.sets import gather
from support.zoo import ZOO, soft_layer

NAN = float("nan")
SIMPLEX = sr.Simplex(3)

# what is built, and what its message must name
BAD_SETS = {
    **gather("bad"),
    "json: unknown type": (lambda: sr.parse_set('{"type": "torus"}'), '"torus"'),
    "json: no type": (lambda: sr.parse_set("{}"), "type"),
    "json: not JSON": (lambda: sr.parse_set("simplex"), "1"),
    "json: unknown field": (lambda: sr.parse_set('{"type": "simplex", "dim": 3, "cap": 1}'), "cap"),
    "json: missing field": (lambda: sr.parse_set('{"type": "ball", "center": [0]}'), "radius"),
    "json: missing file": (lambda: sr.load_set("no/such/set.json"), "no/such/set.json"),
}

BAD_LAYERS = {
    "unknown contraction": (
        lambda: sr.SoftRadial(SIMPLEX, "cubic"),
        "'cubic' is unknown; there are rational, exponential, hyperbolic",
    ),
    "unknown contraction of a gauge map": (lambda: sr.GaugeMap(SIMPLEX, contraction="soft"), "'soft' is unknown"),
    "lambda -1": (lambda: sr.SoftRadial(SIMPLEX, lambda_=-1), "lambda is -1"),
    "lambda 0": (lambda: sr.GaugeMap(SIMPLEX, lambda_=0), "lambda is 0"),
    "lambda nan": (lambda: sr.SoftRadial(SIMPLEX, lambda_=NAN), "lambda is nan"),
    "epsilon 0": (lambda: sr.SoftRadial(SIMPLEX, epsilon=0), "epsilon is 0"),
    "epsilon 1": (lambda: sr.SoftRadial(SIMPLEX, epsilon=1), "epsilon is 1"),
    "epsilon nan": (lambda: sr.SoftRadial(SIMPLEX, epsilon=NAN), "epsilon is nan"),
    "unknown search": (
        lambda: sr.SoftRadial(SIMPLEX, anchor="centroid"),
        "'centroid' is unknown; there are auto, chebyshev, analytic",
    ),
    "anchor on the boundary": (lambda: sr.SoftRadial(SIMPLEX, anchor=[1.0, 0, 0]), "anchor.*slack 0"),
    "anchor outside": (lambda: sr.SoftRadial(sr.Ball([0.0, 0], 1), anchor=[2.0, 0]), "anchor.*-"),
    "anchor beside the hull": (lambda: sr.SoftRadial(SIMPLEX, anchor=[0.5, 0.5, 0.5]), "anchor.*0.5"),
    "anchor of another length": (lambda: sr.SoftRadial(SIMPLEX, anchor=[0.5, 0.5]), "anchor.*2.*3"),
    "a set's anchor of another length": (lambda: sr.SoftRadial(SIMPLEX.with_anchor(torch.ones(2))), "anchor.*2.*3"),
    "a set's anchor outside": (lambda: sr.SoftRadial(SIMPLEX.with_anchor(torch.tensor([2.0, -1, 0]))), "anchor.*-1"),
    "anchor nan": (lambda: sr.SoftRadial(SIMPLEX, anchor=[NAN, 0.5, 0.5]), "anchor.*nan"),
    "an empty polyhedron": (
        lambda: sr.SoftRadial(sr.Polyhedron([[1.0], [-1.0]], [0.0, -1.0])),
        "empty: row 0 and row 1",
    ),
    "an empty intersection": (
        lambda: sr.SoftRadial(sr.Intersection(sr.Ball([0.0, 0], 1), sr.Ball([3.0, 0], 1))),
        "empty|interior",
    ),
    "contradicting equalities": (
        lambda: sr.SoftRadial(sr.Polyhedron([[1.0, 0]], [1.0], [[1.0, 1], [1, 1]], [0.0, 1.0])),
        "empty|contradict",
    ),
    "no set": (lambda: sr.SoftRadial("simplex"), "str|Set"),
    "a point for a set": (lambda: sr.HardRadial(torch.zeros(3)), "Tensor|Set"),
}


def one_line(error):
    """The message; torch's own type errors go on below their first line."""
    text = str(error.value)
    assert "\n" not in text and 0 < len(text) < 400
    return text


@pytest.mark.parametrize("which", BAD_SETS)
def test_bad_sets(which):
    make, named = BAD_SETS[which]
    with pytest.raises((ValueError, RuntimeError), match=named) as error:
        make()
    one_line(error)


@pytest.mark.parametrize("which", BAD_LAYERS)
def test_bad_layers(which):
    make, named = BAD_LAYERS[which]
    with pytest.raises(ValueError, match=named) as error:
        make()
    one_line(error)


@pytest.mark.parametrize("operation", ["layer", "inverse", "log_abs_det"])
@pytest.mark.parametrize("shape", [(), (0,), (2,), (4,), (5, 2), (3, 1), (2, 3, 4)], ids=str)
def test_bad_shapes(operation, shape):
    layer = sr.SoftRadial(SIMPLEX)
    call = layer if operation == "layer" else getattr(layer, operation)
    found = re.escape("got shape (" + ", ".join(map(str, shape)) + ")")
    with pytest.raises(RuntimeError, match="the last dimension must be 3, " + found) as error:
        call(torch.zeros(shape))
    one_line(error)


@pytest.mark.parametrize("operation", ["layer", "inverse", "log_abs_det"])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.bool, torch.uint8, torch.complex64], ids=str)
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_bad_dtypes(case, dtype, operation):
    layer = soft_layer(case)
    call = layer if operation == "layer" else getattr(layer, operation)
    with pytest.raises(RuntimeError, match="expected floating-point numbers, got") as error:
        call(torch.zeros(2, case.dim, dtype=dtype))
    one_line(error)


def test_violation_checks_its_argument():
    with pytest.raises(RuntimeError, match="last dimension|dimension") as error:
        SIMPLEX.violation(torch.zeros(2, 4))
    one_line(error)


def test_unknown_arguments():
    with pytest.raises(TypeError, match="radii"):
        sr.SoftRadial(sr.Ball([0.0], 1))(torch.zeros(1), radii=1)
    with pytest.raises(TypeError, match="contract"):
        sr.SoftRadial(SIMPLEX, contract="rational")


def test_a_state_dict_of_another_kind():
    """A checkpoint of another dimension is accepted by the layer, whose set it restores, and refused by the network."""
    make = lambda dim: nn.Sequential(nn.Linear(2, dim), sr.SoftRadial(sr.Simplex(dim)))
    with pytest.raises(RuntimeError, match="size mismatch"):
        make(3).load_state_dict(make(4).state_dict())
