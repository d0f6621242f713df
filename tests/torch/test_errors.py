"""What is wrong is said in one line that names the value, before anything is computed."""

import numpy
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


@pytest.mark.parametrize("operation", ["__call__", "inverse", "log_abs_det"])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.bool, torch.uint8, torch.complex64], ids=str)
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_bad_dtypes(case, dtype, operation):
    name = "x" if operation == "inverse" else "u"
    expected = f"{name}: expected floating-point numbers, got {str(dtype).split('.')[1]}"
    with pytest.raises(TypeError, match=f"^{expected}$"):
        getattr(soft_layer(case), operation)(torch.zeros(2, case.dim, dtype=dtype))


# ------------------------------------------------------------------------------------------------------- calls of layers

BOX, CAPPED, BALL = sr.Box([0.0] * 3, [1.0] * 3), sr.CappedSimplex(3, 0.5), sr.Ball([0.0] * 3, 1.0)
ROWS = sr.Polyhedron([[1.0, 0, 0], [0, 1, 0], [-1, -1, -1]], [1.0, 1, 1])
LEVEL = sr.LevelSet(lambda x: x.square().sum(-1) - 1, 3, [0.0] * 3)
SHAPES = {(): "()", (0,): "(0)", (2,): "(2)", (4,): "(4)", (5, 2): "(5, 2)", (3, 1): "(3, 1)", (2, 3, 4): "(2, 3, 4)"}

# Every layer, what it is called with, its name for it, and how wide that is.
LAYERS = {
    "SoftRadial": (sr.SoftRadial(SIMPLEX), "u", 3),
    "HardRadial": (sr.HardRadial(ROWS), "u", 3),
    "GaugeMap": (sr.GaugeMap(BALL), "u", 3),
    "SoftRadial.check_finite": (sr.SoftRadial(SIMPLEX, check_finite=True), "u", 3),
    "SoftRadial on a level set": (sr.SoftRadial(LEVEL), "u", 3),
    "SoftRadial.inverse": (sr.SoftRadial(SIMPLEX).inverse, "x", 3),
    "SoftRadial.log_abs_det": (sr.SoftRadial(SIMPLEX).log_abs_det, "u", 3),
    "SoftRadial.inverse on a level set": (sr.SoftRadial(LEVEL).inverse, "x", 3),
    "SoftRadial.log_abs_det on a level set": (sr.SoftRadial(LEVEL).log_abs_det, "u", 3),
    "SoftOrthogonal": (sr.SoftOrthogonal(BALL), "u", 3),
    "SoftOrthogonal.inverse": (sr.SoftOrthogonal(SIMPLEX).inverse, "x", 3),
    "Mirror": (sr.Mirror(SIMPLEX), "u", 3),
    "Mirror.inverse": (sr.Mirror(SIMPLEX).inverse, "x", 3),
    "Mirror.log_abs_det": (sr.Mirror(SIMPLEX).log_abs_det, "u", 3),
    "Softmax": (sr.Softmax(SIMPLEX), "u", 3),
    "Orthogonal": (sr.Orthogonal(CAPPED), "u", 3),
    "Dc3": (sr.Dc3(CAPPED), "u", 3),
    "HardNet": (sr.HardNet(CAPPED), "u", 3),
    "HardNetAff": (sr.HardNetAff(BOX), "u", 3),
    "HardNetCvx": (sr.HardNetCvx(ROWS), "u", 3),
    "Rayen": (sr.Rayen(BALL), "u", 3),
    "RayScalar": (sr.RayScalar(BALL), "u", 4),
    "Hop": (sr.Hop(CAPPED), "u", 2),
    "Hp": (sr.Hp(CAPPED, hidden=4, training_steps=2), "u", 3),
    "SoftPenalty": (sr.SoftPenalty(BALL), "u", 3),
    "SoftPenalty.penalty": (sr.SoftPenalty(BALL).penalty, "x", 3),
    "ConstraintLayer": (sr.ConstraintLayer(BALL, "gauge_map"), "u", 3),
    "QpLayer": (sr.QpLayer(torch.eye(3), torch.ones(1, 3), torch.ones(1)), "p", 3),
    "functional.soft_radial": (lambda u: sr.functional.soft_radial(u, SIMPLEX), "u", 3),
    "functional.orthogonal": (lambda u: sr.functional.orthogonal(u, CAPPED), "u", 3),
}
every_layer = pytest.mark.parametrize("which", LAYERS)


@every_layer
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_wrong_shapes(which, shape):
    layer, name, width = LAYERS[which]
    if shape and shape[-1] == width:
        pytest.skip("fits")
    message = f"{name}: the last dimension must be {width}, got shape {SHAPES[shape]}"
    with pytest.raises(ValueError) as error:
        layer(torch.zeros(shape))
    assert str(error.value) == message


@every_layer
@pytest.mark.parametrize("given, got", [
    (torch.zeros(2, 3, dtype=torch.int64), "int64"),
    (torch.ones(3, dtype=torch.bool), "bool"),
    (torch.zeros(3, dtype=torch.complex64), "complex64"),
    (numpy.zeros((2, 3), dtype=numpy.int32), "int32"),
], ids=["int64", "bool", "complex64", "array of int32"])
def test_wrong_numbers(which, given, got):
    layer, name, _ = LAYERS[which]
    with pytest.raises(TypeError) as error:
        layer(given)
    assert str(error.value) == f"{name}: expected floating-point numbers, got {got}"


@every_layer
@pytest.mark.parametrize("given, kind, what", [
    ("simplex", TypeError, "expected numbers, got str"),
    (None, TypeError, "expected numbers, got None"),
    ([["a", "b", "c"]], TypeError, "expected numbers, got list"),
    ([[0.0, 0.0, 0.0], [0.0]], ValueError, "expected rows of one length"),
    (object(), TypeError, "expected numbers, got object"),
], ids=["text", "None", "list of text", "ragged", "object"])
def test_no_numbers(which, given, kind, what):
    layer, name, _ = LAYERS[which]
    with pytest.raises(kind) as error:
        layer(given)
    assert str(error.value) == f"{name}: {what}"


U, NAN_ROW = torch.zeros(2, 3), torch.tensor([[0.0, 0, 0], [0, NAN, 0]])
soft = lambda set: sr.SoftRadial(set)
aff, qp = sr.HardNetAff(BOX), LAYERS["QpLayer"][0]

# A call, the exception, and its message.
BAD_CALLS = {
    "caps": (
        lambda: soft(CAPPED)(U, caps=0.4), TypeError,
        "SoftRadial: unknown argument 'caps'; there are u, cap, sum, scale, anchor",
    ),
    "unknown": (
        lambda: soft(BALL)(U, radii=1), TypeError,
        "SoftRadial: unknown argument 'radii'; there are u, center, radius, scale, anchor",
    ),
    "unknown of a method": (
        lambda: sr.Orthogonal(BALL)(U, caps=1), TypeError,
        "Orthogonal: unknown argument 'caps'; there are u, center, radius, scale, anchor",
    ),
    "no data of a method": (
        lambda: sr.Orthogonal(BALL)(U, cap=1), ValueError,
        "cap: a ball has no such data, only center, radius, scale, anchor",
    ),
    "unknown of inverse": (
        lambda: soft(BALL).inverse(U, u=1), TypeError,
        "SoftRadial.inverse: unknown argument 'u'; there are x, data",
    ),
    "unknown bounds": (lambda: aff(U, cap=1), TypeError, "HardNetAff: unknown argument 'cap'; there are u, lower, upper"),
    "nothing": (lambda: sr.Orthogonal(BALL)(), TypeError, "Orthogonal: u is missing"),
    "too much": (lambda: aff(U, 1, 1, 1), TypeError, "HardNetAff: takes at most 3 arguments, got 4"),
    "twice": (lambda: soft(ROWS)(U, ROWS, A=U), TypeError, "SoftRadial: argument 'A' is given twice"),
    "upper for cap": (
        lambda: soft(CAPPED)(U, upper=0.4), ValueError,
        "upper: a capped_simplex has no such data, only cap, sum, scale, anchor",
    ),
    "cap for upper": (
        lambda: soft(BOX)(U, cap=0.4), ValueError,
        "cap: a box has no such data, only lower, upper, scale, anchor",
    ),
    "data of another set": (
        lambda: soft(BALL)(U, b=[1.0]), ValueError,
        "b: a ball has no such data, only center, radius, scale, anchor",
    ),
    "cap, width": (lambda: soft(CAPPED)(U, cap=[0.4, 0.4]), ValueError, "cap: the last dimension must be 3, got shape (2)"),
    "cap, batch": (
        lambda: soft(CAPPED)(U, cap=torch.ones(5, 3)), ValueError,
        "cap: shape (5, 3) does not broadcast over u of shape (2, 3)",
    ),
    "sum, batch": (
        lambda: soft(SIMPLEX)(U, sum=[1.0] * 4), ValueError,
        "sum: shape (4) does not broadcast over u of shape (2, 3)",
    ),
    "cap, text": (lambda: soft(CAPPED)(U, cap="all"), TypeError, "cap: expected numbers, got str"),
    "lower, width": (lambda: soft(BOX)(U, lower=[0.0]), ValueError, "lower: the last dimension must be 3, got shape (1)"),
    "b, width": (lambda: soft(ROWS)(U, b=[1.0]), ValueError, "b: the last dimension must be 3, got shape (1)"),
    "A, shape": (lambda: soft(ROWS)(U, A=torch.ones(2, 3)), ValueError, "A: expected shape (..., 3, 3), got shape (2, 3)"),
    "A, batch": (
        lambda: soft(ROWS)(U, A=torch.ones(5, 3, 3)), ValueError,
        "A: shape (5, 3, 3) does not broadcast over u of shape (2, 3)",
    ),
    "f without E": (lambda: soft(ROWS)(U, f=[1.0]), ValueError, "f: this polyhedron has no equalities"),
    "anchor, width": (
        lambda: soft(BALL)(U, anchor=[0.0]), ValueError,
        "anchor: the last dimension must be 3, got shape (1)",
    ),
    "radius, batch": (
        lambda: soft(BALL)(U, radius=[1.0] * 3), ValueError,
        "radius: shape (3) does not broadcast over u of shape (2, 3)",
    ),
    "scale, batch": (
        lambda: soft(BALL)(U, scale=[1.0] * 3), ValueError,
        "scale: shape (3) does not broadcast over u of shape (2, 3)",
    ),
    "check_finite": (
        lambda: sr.SoftRadial(SIMPLEX, check_finite=True)(NAN_ROW), ValueError,
        "row 1 has a NaN or an infinity",
    ),
    "bounds, width": (lambda: aff(U, upper=[1.0]), ValueError, "upper: the last dimension must be 3, got shape (1)"),
    "h, width": (lambda: qp(U, h=[1.0, 1.0]), ValueError, "h: the last dimension must be 1, got shape (2)"),
    "h, batch": (lambda: qp(U, h=torch.ones(5, 1)), ValueError, "h: shape (5, 1) does not broadcast over p of shape (2, 3)"),
    "violation, shape": (
        lambda: SIMPLEX.violation(torch.zeros(2, 4)), ValueError,
        "x: the last dimension must be 3, got shape (2, 4)",
    ),
    "violation, number": (lambda: SIMPLEX.violation(1.0), ValueError, "x: the last dimension must be 3, got shape ()"),
    "violation, text": (lambda: SIMPLEX.violation("abc"), TypeError, "x: expected numbers, got str"),
    "violation, complex": (lambda: SIMPLEX.violation(U.cfloat()), TypeError, "x: expected real numbers, got complex64"),
    "violation of a level set": (
        lambda: LEVEL.violation([0.0]), ValueError,
        "x: the last dimension must be 3, got shape (1)",
    ),
    "learned": (
        lambda: soft(sr.Ball([0.0] * 3, nn.Parameter(torch.tensor(1.0)))).inverse(U), ValueError,
        "inverse: not available for a set with learned data",
    ),
    "no set": (lambda: sr.SoftRadial("simplex"), TypeError, "set: expected a softradial.Set, got str"),
    "no set of a method": (lambda: sr.Orthogonal(U), TypeError, "set: expected a softradial.Set, got Tensor"),
    "a level set": (lambda: sr.Orthogonal(LEVEL), TypeError, "set: expected a softradial.Set, got LevelSet"),
    "no part": (lambda: sr.Intersection(BALL, "ball"), TypeError, "set: expected a softradial.Set, got str"),
    "anchor, text in a list": (lambda: sr.SoftRadial(BALL, anchor=["a"]), TypeError, "anchor: expected numbers, got list"),
    "option": (lambda: sr.Dc3(CAPPED, steps="many"), TypeError, "steps: expected a number, got str"),
    "fields, unknown": (
        lambda: sr.CappedSimplex(3, caps=0.5), TypeError,
        "CappedSimplex: unknown argument 'caps'; there are dim, cap, sum",
    ),
    "fields, missing": (lambda: sr.CappedSimplex(3), TypeError, "CappedSimplex: missing a required argument: 'cap'"),
    "fields, too many": (lambda: sr.Simplex(3, 1, 2), TypeError, "Simplex: too many positional arguments"),
    "fields, text": (lambda: sr.Ball("origin", 1), TypeError, "center: expected numbers, got str"),
    "fields, ragged": (lambda: sr.Polyhedron([[1.0], [1.0, 2.0]], [1.0, 1]), ValueError, "A: expected rows of one length"),
    "fields, number": (lambda: sr.Ball([0.0, 0], [1.0, 2]), ValueError, "ball: radius: expected one number, got shape (2)"),
    "fields, list": (lambda: sr.Ball(0.0, 1), ValueError, "ball: center: expected 1 dimension, got shape ()"),
    "fields, matrix": (
        lambda: sr.Polyhedron([1.0], [1.0]), ValueError, "polyhedron: A: expected 2 dimensions, got shape (1)"
    ),
    "json": (lambda: sr.parse_set(3), TypeError, "parse_set: expected text, got int"),
    "Q": (lambda: sr.QpLayer([1.0], None, None), ValueError, "Q: expected a square matrix, got shape (1)"),
    "G": (lambda: sr.QpLayer([[1.0]], [[1.0, 2]], [1.0]), ValueError, "G: expected shape (rows, 1), got shape (1, 2)"),
    "centers": (
        lambda: sr.analytic_center([[1.0]], [1.0, 2]), ValueError,
        "b: the last dimension must be 1, the number of rows of A, got shape (2)",
    ),
    "start_at without an inverse": (
        lambda: sr.Orthogonal(SIMPLEX).start_at([0.2, 0.3, 0.5], nn.Linear(2, 3)), NotImplementedError,
        "start_at: Orthogonal has no inverse",
    ),
    "lambda, a word": (
        lambda: sr.SoftRadial(SIMPLEX, lambda_="Auto"), TypeError, "lambda_: expected a number or \"auto\", got 'Auto'",
    ),
    "start_at": (
        lambda: soft(SIMPLEX).start_at([1.0, 1, 1], nn.Linear(2, 3)), ValueError,
        "start_at: x is not inside the set",
    ),
    "loc, width": (
        lambda: sr.distributions.ConstrainedNormal(soft(BALL), U[:, :2], 1), ValueError,
        "loc: the last dimension must be 3, got shape (2, 2)",
    ),
    "loc, integers": (
        lambda: sr.distributions.ConstrainedNormal(soft(BALL), U.long(), 1), TypeError,
        "loc: expected floating-point numbers, got int64",
    ),
    "scale of a normal": (
        lambda: sr.distributions.ConstrainedNormal(soft(BALL), U, torch.ones(5)), ValueError,
        "scale: shape (5) does not broadcast to (2, 3), the hull's coordinates",
    ),
    "negative scale": (
        lambda: sr.distributions.ConstrainedNormal(soft(BALL), U, -1), ValueError,
        "scale: expected positive numbers, got -1",
    ),
    "no layer": (
        lambda: sr.distributions.ConstrainedNormal(sr.Orthogonal(BALL), U, 1), TypeError,
        "layer: expected a SoftRadial or a GaugeMap, got Orthogonal",
    ),
    "hard layer": (
        lambda: sr.distributions.ConstrainedNormal(sr.HardRadial(BALL), U, 1), ValueError,
        "layer: a HardRadial is not one-to-one, its image has no density",
    ),
    "no base": (
        lambda: sr.distributions.Pushforward("normal", soft(BALL)), TypeError,
        "base: expected a torch.distributions.Distribution, got str",
    ),
    "value, width": (
        lambda: sr.distributions.ConstrainedNormal(soft(BALL), U, 1).log_prob([0.0]), ValueError,
        "x: the last dimension must be 3, got shape (1)",
    ),
    "functional, set": (lambda: sr.functional.soft_radial(U, 3), TypeError, "set: expected a softradial.Set, got int"),
    "functional, data": (
        lambda: sr.functional.gauge_map(U, BALL, radii=1), TypeError,
        "GaugeMap: unknown argument 'radii'; there are u, center, radius, scale, anchor",
    ),
    "functional, option": (
        lambda: sr.functional.soft_radial(U, BALL, lambda_=-1), ValueError,
        "lambda is -1, not a positive number",
    ),
    "lambda beyond single precision": (
        lambda: sr.SoftRadial(BALL, lambda_=1e39)(U), ValueError, "lambda is 1e+39, too large for single precision",
    ),
    "functional, lambda below single precision": (
        lambda: sr.functional.gauge_map(U, BALL, lambda_=1e-46), ValueError,
        "lambda is 1e-46, too small for single precision",
    ),
    "softmax below single precision": (
        lambda: sr.Softmax(sr.Simplex(3), temperature=1e-46)(U), ValueError,
        "temperature is 1e-46, too small for single precision",
    ),
    "mirror beyond single precision": (
        lambda: sr.Mirror(BOX, temperature=1e39)(U), ValueError, "temperature is 1e+39, too large for single precision",
    ),
}


@pytest.mark.parametrize("which", BAD_CALLS)
def test_bad_calls(which):
    call, kind, message = BAD_CALLS[which]
    with pytest.raises(kind) as error:
        call()
    assert (type(error.value), str(error.value)) == (kind, message)


def test_errors_of_a_users_function_are_the_users():
    """A level set's function runs inside a call: what it raises is raised, as it is."""
    angry = [False]

    def function(x):
        if angry[0]:
            raise KeyError("mine")
        return x.square().sum(-1) - 1

    layer = sr.SoftRadial(sr.LevelSet(function, 3, [0.0] * 3))
    angry[0] = True
    with pytest.raises(KeyError, match="mine"):
        layer(U)


def test_a_mode_is_no_bad_argument():
    with pytest.raises(RuntimeError, match="use training mode"):
        sr.Dc3(CAPPED).eval()(U.clone().requires_grad_())


def test_unknown_options_of_layers():
    with pytest.raises(TypeError, match="contract"):
        sr.SoftRadial(SIMPLEX, contract="rational")


def test_a_state_dict_of_another_kind():
    """A checkpoint of another dimension is accepted by the layer, whose set it restores, and refused by the network."""
    make = lambda dim: nn.Sequential(nn.Linear(2, dim), sr.SoftRadial(sr.Simplex(dim)))
    with pytest.raises(RuntimeError, match="size mismatch"):
        make(3).load_state_dict(make(4).state_dict())
