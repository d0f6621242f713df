"""softradial.numpy: the numbers of the PyTorch layers bit for bit, without torch; arrays of every kind; one-line errors."""

import copy
import inspect
import json
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import softradial
import softradial.numpy as srn

HERE = Path(__file__).parent
TRIANGLE = '{"type": "polyhedron", "A": [[1, 1], [-1, 0], [0, -1]], "b": [1, 0, 0]}'
DTYPES = ("float32", "float64")

has_torch = pytest.mark.skipif(softradial._torch_error is not None, reason=f"no PyTorch layers: {softradial._torch_error}")


def without_torch(*arguments, cwd=None):
    command = [sys.executable, str(HERE / "without_torch.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def script(tmp_path, text):
    (tmp_path / "script.py").write_text(text)
    return tmp_path / "script.py"


# --------------------------------------------------------------------------------------------------- the same numbers


def radial_cases():
    sys.path.insert(0, str(HERE.parent / "torch"))
    try:
        from support.zoo import ZOO
    finally:
        sys.path.pop(0)
    for case in ZOO:
        yield case.set, "SoftRadial", {}
        yield case.set, "SoftRadial", {"contraction": "rational", "lambda_": 1.0, "epsilon": 0.01}
        yield case.set, "SoftRadial", {"contraction": "exponential", "lambda_": 0.5, "epsilon": 0.1}
        yield case.set, "GaugeMap", {"contraction": "hyperbolic", "lambda_": 2.0}
        yield case.set, "HardRadial", {}


def other_cases():
    capped, triangle = softradial.CappedSimplex(5, cap=0.4), softradial.parse_set(TRIANGLE)
    yield softradial.Simplex(4), "Softmax", {"temperature": 0.5}
    yield capped, "Mirror", {"temperature": 0.5}
    for name in ("SoftOrthogonal", "Orthogonal", "Rayen", "RayScalar", "Hop", "SoftPenalty", "HardNetCvx"):
        yield capped, name, {}
        yield triangle, name, {}
    for training in (True, False):
        yield capped, "Dc3", {"steps": 3, "momentum": 0.25}, training
        yield triangle, "HardNet", {"steps": 2}, training
    yield softradial.Box([0.0, -1.0], [1.0, 2.0]), "HardNetAff", {}
    yield triangle, "Hp", {"couplings": 2, "hidden": 8, "training_steps": 20, "seed": 3}


def expected_of(case, number, given, expected):
    """Fills in the arguments and the results of the PyTorch layer."""
    import torch

    set, name, options, *rest = case
    training = rest[0] if rest else True
    layer = getattr(softradial, name)(set, **options).train(training)
    is_map, has_inverse = hasattr(layer, "projection"), hasattr(layer, "log_abs_det")
    rng = np.random.default_rng(number)
    width = layer.input_dim if not is_map else set.dim
    scale = np.array([[0.1], [0.5], [1], [3], [30], [1e6], [1]])
    u = rng.standard_normal((7, width)) * (scale if is_map else 1)
    grad_x = rng.standard_normal((7, set.dim))
    given[f"{number}.state"] = np.asarray(layer.state_dict()["_extra_state"])
    if is_map:
        expected[f"{number}.anchor"] = layer.anchor.numpy()
        u[-1, 0] = np.nan
    for dtype in DTYPES:
        given[f"{number}.u.{dtype}"], given[f"{number}.grad_x.{dtype}"] = u.astype(dtype), grad_x.astype(dtype)
        leaf = torch.tensor(u.astype(dtype), requires_grad=training)
        x = layer(leaf)
        if training:
            x.backward(torch.tensor(grad_x.astype(dtype)))
            # A row that is not finite has no gradient: NaN in C++ and here, 0 where a model is trained.
            gradient = leaf.grad.numpy()
            gradient[np.isnan(u).any(axis=1)] = np.nan
            expected[f"{number}.grad_u.{dtype}"] = gradient
        x = x.detach()
        expected[f"{number}.x.{dtype}"] = expected[f"{number}.restored.{dtype}"] = x.numpy()
        expected[f"{number}.violation.{dtype}"] = set.violation(x).numpy()
        if has_inverse:
            expected[f"{number}.inverse.{dtype}"] = layer.inverse(x).numpy()
            expected[f"{number}.log_abs_det.{dtype}"] = layer.log_abs_det(leaf.detach()).numpy()
    return {"set": set.to_json(), "class": name, "options": options, "map": is_map, "inverse": has_inverse,
            "training": training}


@has_torch
def test_same_bits_as_the_pytorch_layers(tmp_path):
    import torch

    torch.set_num_threads(1)
    given, expected, cases = {}, {}, []
    for number, case in enumerate([*radial_cases(), *other_cases()]):
        cases.append(expected_of(case, number, given, expected))
    np.savez(tmp_path / "given.npz", **given)
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    without_torch(HERE / "numpy_results.py", tmp_path)
    results = np.load(tmp_path / "results.npz")
    assert sorted(results) == sorted(expected) and len(expected) > 500
    wrong = [
        (name, cases[int(name.split(".")[0])], results[name], expected[name])
        for name in expected
        if results[name].dtype != expected[name].dtype or not np.array_equal(results[name], expected[name], equal_nan=True)
    ]
    assert not wrong, f"{len(wrong)} of {len(expected)} differ, first {wrong[0]}"


@has_torch
def test_a_deployed_model_needs_no_torch(tmp_path):
    """Trained layers travel in a state_dict; its numbers in a .npz are enough."""
    import torch

    torch.manual_seed(0)
    layer = softradial.SoftRadial(softradial.CappedSimplex(4, cap=0.4), lambda_=2.0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), layer)
    z = torch.randn(5, 3)
    weights = {name: np.asarray(value) for name, value in model.state_dict().items()}
    np.savez(tmp_path / "model.npz", z=z.numpy(), x=model(z).detach().numpy(), **weights)
    text = """
import sys
import numpy as np
import softradial.numpy as srn

saved = np.load(sys.argv[1])
layer = srn.layer_from_state(saved["1._extra_state"])
assert repr(layer) == repr(srn.layer_from_state({k: saved[k] for k in saved}))
x = layer(saved["z"] @ saved["0.weight"].T + saved["0.bias"])
np.testing.assert_allclose(x, saved["x"], rtol=1e-5)
assert isinstance(layer, srn.SoftRadial) and (x < 0.4).all()
"""
    without_torch(script(tmp_path, text), tmp_path / "model.npz")


# --------------------------------------------------------------------------------------------------- without torch


def test_the_package_says_what_needs_torch(tmp_path):
    text = """
import softradial
from softradial import numpy as srn

assert softradial.numpy is srn and softradial.__version__ == srn.__version__
assert not hasattr(softradial, "__wrapped__")
for ask in (lambda: softradial.SoftRadial, lambda: softradial.layers, lambda: exec("from softradial import Box")):
    try:
        ask()
    except ImportError as error:
        assert "softradial." in str(error) and " needs torch: " in str(error), error
        assert str(error).endswith("; softradial.numpy does not"), error
    else:
        raise AssertionError("nothing was said")
exec("from softradial import *")
assert "numpy" not in globals()
"""
    without_torch(script(tmp_path, text))


def test_this_module_does_not_pass_for_numpy(tmp_path):
    """The package's own folder on the path: said in one line, instead of a numpy without arrays."""
    folder = Path(srn.__file__).parent
    done = subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True, text=True, cwd=folder)
    assert done.returncode != 0 and "is softradial.numpy, not numpy" in done.stderr.splitlines()[-1]
    # From the folder above, where the package is found by its name, all is well.
    text = "import numpy, softradial.numpy; assert numpy.__name__ == 'numpy'; assert softradial.numpy.np is numpy"
    subprocess.run([sys.executable, "-c", text], check=True, cwd=folder.parent)


# ------------------------------------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize("dtype", DTYPES)
def test_shapes_and_dtypes_are_kept(dtype):
    layer = srn.SoftRadial(srn.CappedSimplex(4, cap=0.4))
    u = np.random.default_rng(0).standard_normal((2, 3, 5, 4)).astype(dtype)
    x = layer(u)
    assert x.shape == u.shape and x.dtype == dtype
    assert np.array_equal(x[1, 2], layer(u[1, 2])) and np.array_equal(x[1, 2, 3], layer(u[1, 2, 3]))
    assert layer(u[0, 0, 0]).shape == (4,) and layer(u[:0]).shape == (0, 3, 5, 4)
    assert layer.log_abs_det(u).shape == (2, 3, 5) and layer.log_abs_det(u).dtype == dtype
    assert layer.slack(u[0, 0, 0]).shape == () and layer.set.violation(x).shape == (2, 3, 5)
    assert layer.set.violation(x).dtype == "float64" and (layer.set.violation(x) == 0).all()
    assert layer([0.1, 0.2, 0.3, 0.4]).dtype == "float64" and layer([[1, 2, 3, 4]]).shape == (1, 4)


def arrangements(u):
    """The same numbers as other memory."""
    wide = np.zeros((len(u), 2 * u.shape[1] + 1), u.dtype)
    wide[:, 1::2] = u
    apart = np.zeros((2 * len(u), u.shape[1] + 3), u.dtype)
    apart[::2, 1:-2] = u
    raw = np.zeros(u.nbytes + 1, np.uint8)
    crooked = raw[1:].view(u.dtype).reshape(u.shape)
    crooked[:] = u
    frozen = u.copy()
    frozen.flags.writeable = False
    yield from (np.asfortranarray(u), wide[:, 1::2], apart[::2, 1:-2], u[::-1].copy()[::-1], crooked, frozen)
    yield from (u.astype(u.dtype.newbyteorder()), np.broadcast_to(u[:1], u.shape))


@pytest.mark.parametrize("dtype", DTYPES)
def test_memory_of_every_kind(dtype):
    layer = srn.SoftRadial(srn.parse_set(TRIANGLE))
    u, g = np.random.default_rng(1).standard_normal((2, 6, 2)).astype(dtype)
    for other in arrangements(u):
        plain = np.array(other, dtype=dtype, order="C")
        assert np.array_equal(layer(other), layer(plain))
        assert np.array_equal(layer.vjp(other, g), layer.vjp(plain, g))
        assert np.array_equal(layer.vjp(g, other), layer.vjp(g, plain))
        assert np.array_equal(layer.log_abs_det(other), layer.log_abs_det(plain))
    deep = np.moveaxis(np.stack([u, g]), 0, 1)
    assert np.array_equal(layer(deep), layer(deep.copy()))


def test_a_row_that_is_not_finite():
    layer = srn.SoftRadial(srn.Simplex(3))
    u = np.array([[1.0, 2, 3], [0, np.nan, 0], [np.inf, 0, 0]])
    assert np.isnan(layer(u)).any(axis=1).tolist() == [False, True, True]
    with pytest.raises(ValueError, match="^u has nan in row 1, column 1$"):
        srn.SoftRadial(srn.Simplex(3), check_finite=True)(u)


def test_jvp_and_vjp_agree():
    layer = srn.GaugeMap(srn.Ball([0.0, 0.0, 0.0], 2.0))
    u, v, g = np.random.default_rng(2).standard_normal((3, 9, 3))
    np.testing.assert_allclose((layer.jvp(u, v) * g).sum(-1), (layer.vjp(u, g) * v).sum(-1), rtol=1e-12)


def test_many_threads_share_a_layer():
    layer = srn.SoftRadial(srn.parse_set(TRIANGLE))
    u = np.random.default_rng(3).standard_normal((200, 2)).astype(np.float32)
    results = [None] * 8

    def work(k):
        for _ in range(50):
            results[k] = layer(u)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(np.array_equal(result, results[0]) for result in results)


# ------------------------------------------------------------------------------------------------------ sets, layers


SETS = {kind._row["name"]: kind for kind in vars(srn).values()
        if isinstance(kind, type) and issubclass(kind, srn.Set) and kind is not srn.Set}


def argument(value, name):
    """What SET.json has, as a constructor takes it."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [srn.parse_set(json.dumps(part)) for part in value]
    if isinstance(value, dict):
        return srn.parse_set(json.dumps(value))
    if isinstance(value, list):
        return np.array([argument(v, name) for v in value], dtype=float)
    return {"inf": np.inf, None: -np.inf if name == "lower" else np.inf}.get(value, value)


def test_matrices_without_entries_are_refused():
    """However many of them there are: 2^59 would take all memory."""
    for name, kind in SETS.items():
        for field in kind._row["fields"]:
            if field["kind"] == "matrices":
                with pytest.raises(ValueError, match=f"^{name}: {field['name']}: has matrices without entries$"):
                    kind(np.lib.stride_tricks.as_strided(np.zeros(0), (1 << 59, 0, 0)))


def test_constructors_take_the_keys_of_json(tmp_path):
    inf = np.inf
    sets = {
        srn.Simplex(3): {"type": "simplex", "dim": 3, "sum": 1},
        srn.CappedSimplex(3, [0.5, 0.6, 1], sum=2): {"type": "capped_simplex", "dim": 3, "cap": [0.5, 0.6, 1], "sum": 2},
        srn.Box([0, -inf], upper=[1, inf]): {"type": "box", "lower": [0, None], "upper": [1, None]},
        srn.Polyhedron(A=np.eye(2, dtype=np.float32), b=(1, 2)): {"type": "polyhedron", "A": [[1, 0], [0, 1]], "b": [1, 2]},
    }
    for kind in SETS.values():
        data = kind._row["example"]
        fields = {name: argument(value, name) for name, value in data.items() if name != "type"}
        sets[kind(*fields["sets"]) if "sets" in fields else kind(**fields)] = data
    for set, data in sets.items():
        written = json.loads(set.to_json())  # with what may be left out
        assert all(written[name] == value for name, value in data.items() if name not in ("set", "sets"))
        assert srn.parse_set(json.dumps(data)) == set and type(srn.parse_set(json.dumps(data))) is type(set)
        assert pickle.loads(pickle.dumps(set)) == copy.deepcopy(set) == set
        assert repr(set).startswith(data["type"] + "(")
        path = tmp_path / "set.json"
        path.write_text(json.dumps(data))
        assert srn.load_set(path) == set
    both = srn.Intersection(srn.Box([0, 0], [1, 1]), srn.Ball([0, 0], 1))
    assert both == srn.Intersection([srn.Box([0, 0], [1, 1]), srn.Ball([0, 0], 1)]) and both.dim == 2
    assert both != srn.Ball([0, 0], 1) and both.find_anchor("analytic").shape == (2,)
    assert np.array_equal(both.with_anchor([0.25, 0.5]).find_anchor(), [0.25, 0.5])
    assert str(inspect.signature(srn.CappedSimplex)) == "(dim, cap, sum=1.0)"
    assert srn.Ball.__doc__ and srn.Set in srn.Ball.__mro__


def test_sparse_matrices_stay_sparse():
    """Those of scipy, and whatever else answers to tocoo()."""

    class Coordinates:
        shape, row, col, data = (2, 3), np.array([0, 0, 1]), np.array([0, 2, 2]), np.array([1.0, 2, -1])

        def tocoo(self):
            return self

    data = json.loads(srn.Polyhedron(Coordinates(), [1, 1]).to_json())
    assert data["A"] == {"rows": 2, "cols": 3, "entries": [[0, 0, 1], [0, 2, 2], [1, 2, -1]]}


def test_every_method_has_a_class():
    assert len(srn._LAYERS) == 16
    assert str(inspect.signature(srn.SoftRadial)) == (
        "(set, contraction='rational', lambda_='auto', epsilon=0.01, anchor='auto', check_finite=False)"
    )
    assert str(inspect.signature(srn.Softmax)) == "(set, temperature=1, check_finite=False)"
    for method, made in srn._LAYERS.items():
        # HardNetAff asks for independent rows, which a simplex does not have.
        set = srn.Box([0, 0], [1, 2]) if method == "hardnet_aff" else srn.Simplex(3)
        options = {"training_steps": 5} if method == "hp" else {}
        layer = made(set, **options)
        same = srn.ConstraintLayer(set, method, **options)
        u = np.random.default_rng(4).standard_normal((5, layer.input_dim))
        for other in (same, pickle.loads(pickle.dumps(layer)), srn.layer_from_json(layer.to_json())):
            assert np.array_equal(layer(u), other(u)), method
        assert type(pickle.loads(pickle.dumps(layer))) is type(layer)
        assert repr(layer).startswith(f"{made.__name__}({set}") and getattr(srn, made.__name__) is made
    set = srn.Simplex(3)
    soft = srn.SoftRadial(set, "exponential", 2.0, 0.1, [0.2, 0.3, 0.5])
    assert np.array_equal(soft.anchor, [0.2, 0.3, 0.5]) and soft.hull_dim == 2 and soft.set is set
    assert repr(soft) == "SoftRadial(simplex(dim=3, sum=1), exponential, lambda=2, epsilon=0.1)"


def test_states_of_every_form():
    """What PyTorch layers save, and a layer's own text; as text, bytes, an array of bytes, in a state_dict."""
    set, anchor = srn.Simplex(3), [0.2, 0.3, 0.5]
    data = json.loads(set.to_json())
    dc3 = {"method": "dc3", "contraction": "", "anchor": "auto", "options": {"steps": 3.0}}
    gauge = {"method": "gauge_map", "contraction": "exponential", "anchor": anchor, "options": {"lambda": 2.0}}
    anchored = {"set": data, "anchor": anchor}
    states = [
        ({**anchored, "map": ["hard_radial", "rational", 1.0, 0.01]}, srn.HardRadial(set, anchor)),
        ({**anchored, "map": ["gauge_map", "hyperbolic", 3.0, 0.01]}, srn.GaugeMap(set, "hyperbolic", 3, anchor)),
        ({"set": data, "layer": dc3}, srn.Dc3(set, 3)),
        ({"set": data, "layer": gauge}, srn.GaugeMap(set, "exponential", 2, anchor)),
        (json.loads(srn.Rayen(set, anchor).to_json()), srn.Rayen(set, anchor)),
    ]
    for state, layer in states:
        text = json.dumps(state)
        array = np.frombuffer(text.encode(), np.uint8)
        for form in (text, text.encode(), array, {"0.weight": 1, "1._extra_state": array}):
            assert srn.layer_from_state(form).to_json() == layer.to_json()


@has_torch
def test_classes_are_those_of_the_pytorch_package():
    for name in srn.__all__:
        if name not in ("layer_from_json", "layer_from_state"):
            assert hasattr(softradial, name), name
    for name in ("SoftRadial", "GaugeMap", "HardRadial", "Softmax", "Dc3", "HardNet", "Rayen"):
        ours = list(inspect.signature(getattr(srn, name)).parameters)
        theirs = list(inspect.signature(getattr(softradial, name)).parameters)
        assert [word for word in ours if word != "check_finite"] == [
            word for word in theirs if word not in ("check_finite", "anchor_gradient")
        ]


ERRORS = [
    (lambda: srn.CappedSimplex(3, cap=0.1), ValueError, "capped_simplex: "),
    (lambda: srn.CappedSimplex(3, cap=np.nan), ValueError, "capped_simplex: cap is nan"),
    (lambda: srn.CappedSimplex(3), TypeError, "CappedSimplex: missing a required argument: 'cap'"),
    (lambda: srn.CappedSimplex(3, caps=0.5), TypeError, "CappedSimplex: missing a required argument: 'cap'"),
    (lambda: srn.Simplex(3, total=0.5), TypeError, "Simplex: got an unexpected keyword argument 'total'"),
    (lambda: srn.Ball("origin", 1), ValueError, "center: expected numbers, got 'origin'"),
    (lambda: srn.Ball([[0]], 1), ValueError, "ball: center: expected 1 dimensions, got 2"),
    (lambda: srn.Intersection(srn.Simplex(2), "box"), ValueError, "sets: expected a set, got 'box'"),
    (lambda: srn.Intersection(), ValueError, "intersection: "),
    (lambda: srn.Set(), TypeError, "Set: make one of its types"),
    (lambda: srn.parse_set("{"), ValueError, "line 1, column 2: "),
    (lambda: srn.parse_set('{"type": "level_set"}'), ValueError, 'type: unknown set type "level_set"'),
    (lambda: srn.load_set("no.json"), ValueError, "no.json: cannot be opened: No such file or directory"),
    (lambda: srn.SoftRadial("simplex"), TypeError, "set: expected a softradial.numpy.Set, got str"),
    (lambda: srn.SoftRadial(srn.Simplex(3), lambda_=-1), ValueError, "lambda is -1, not a positive number"),
    (lambda: srn.SoftRadial(srn.Simplex(3), epsilon=np.inf), ValueError, "epsilon is inf, not a finite number"),
    (lambda: srn.SoftRadial(srn.Simplex(3), "cubic"), ValueError, "contraction 'cubic' is unknown"),
    (lambda: srn.SoftRadial(srn.Simplex(3), anchor=[1, 0, 0]), ValueError, ""),
    (lambda: srn.Dc3(srn.Simplex(3), steps=1.5), ValueError, "steps must be a whole number"),
    (lambda: srn.Softmax(srn.Ball([0], 1)), ValueError, "softmax supports simplices"),
    (lambda: srn.ConstraintLayer(srn.Simplex(3), "softmin"), ValueError, "method 'softmin' is unknown"),
    (lambda: srn.Softmax(srn.Simplex(3)).inverse([[1.0, 0, 0]]), ValueError,
     "inverse is for soft_radial, hard_radial, gauge_map, soft_orthogonal and mirror"),
    (lambda: srn.Softmax(srn.Simplex(3)).anchor, ValueError, "softmax has no anchor"),
    (lambda: srn.SoftRadial(srn.Simplex(3))(np.zeros((2, 4))), ValueError, r"u: expected (..., 3), got (2, 4)"),
    (lambda: srn.SoftRadial(srn.Simplex(3))(1.0), ValueError, r"u: expected (..., 3), got ()"),
    (lambda: srn.SoftRadial(srn.Simplex(3))(np.zeros(3, int)), ValueError, "u: expected float32 or float64, got int64"),
    (lambda: srn.SoftRadial(srn.Simplex(3))(np.zeros(3, "f2")), ValueError, "u: expected float32 or float64, got float16"),
    (lambda: srn.SoftRadial(srn.Simplex(3))(["a", "b", "c"]), ValueError, "u: expected float32 or float64, got <U1"),
    (lambda: srn.SoftRadial(srn.Simplex(3)).vjp(np.zeros((2, 3)), np.zeros((1, 3))), ValueError, "grad_x has 1 rows, "),
    (
        lambda: srn.SoftRadial(srn.Simplex(3)).vjp(np.zeros(3), np.zeros(3, "f4")),
        ValueError,
        "grad_x: expected float64, as u has, got float32",
    ),
    (lambda: srn.layer_from_state({"weight": 1}), ValueError, "state: expected one key that ends with _extra_state, got 0"),
]


@pytest.mark.parametrize("ask, kind, text", ERRORS)
def test_errors_are_one_line(ask, kind, text):
    with pytest.raises(kind) as caught:
        ask()
    assert type(caught.value) is kind
    assert str(caught.value).startswith(text) and "\n" not in str(caught.value)


def test_nothing_is_kept():
    """Handles go with their objects."""
    resource = pytest.importorskip("resource")
    layer = None
    u = np.zeros((1000, 100), np.float32)

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for count in range(400):
        layer = srn.SoftRadial(srn.CappedSimplex(100, cap=np.full(100, 0.5)))
        layer(u)
        if count == 100:
            before = peak()
    # A set and a layer take some 10 kB, a workspace 100 kB: 300 of them that stayed would be seen.
    assert peak() - before < 8000
