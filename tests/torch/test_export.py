"""Traces and ONNX files hold standard operators only: they run where this library is not."""

import importlib.util
import inspect
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import nn

import softradial as sr
from support.case import DIM, Case
from support.inputs import normal
from support.judge import Judge, ulp
from support.levels import SMOOTH, TWINS, level_set
from support.samples import CLOSED_CALLS
from support.zoo import BY_NAME, METHODS, ZOO, soft_layer

OPSET = 16
EXPORTED_METHODS = ["soft_rational", "gauge_exponential", "hard"]

EXPORTABLE = [case for case in ZOO if case.onnx]

# Functions in Python become operators like everything else.
LEVEL_SETS = [Case(f"level_{name}", level_set(name), Judge()) for name in TWINS if name in SMOOTH or name == "ball"]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def as_recorded():
    """Traces run as they were recorded: fusing operators for two calls costs more than the calls."""
    with torch.jit.optimized_execution(False):
        yield


def model_of(layer, inputs=3):
    """A network before the layer, with weights that are the same in every run."""
    linear = nn.Linear(inputs, layer.set.dim)
    with torch.no_grad():
        linear.weight.copy_(0.7 * torch.sin(torch.arange(linear.weight.numel()).float()).reshape(linear.weight.shape))
        linear.bias.copy_(layer.anchor + 0.1)
    return nn.Sequential(linear, layer)


def close(x, expected, layer, dtype=torch.float32):
    """Kernels and composite agree to some dim ulp; root finders and their float coefficients to some more."""
    size = float(expected.abs().max()) + float(layer.anchor.abs().max())
    return torch.allclose(x, expected, rtol=0, atol=200 * layer.set.dim * ulp(dtype) * size)


# --------------------------------------------------------------------------------------------------------------- traces


def trace(model, *inputs):
    """The trace of a model that has been called before."""
    model(*inputs)
    return torch.jit.trace(model, inputs, check_trace=False)


def foreign_operators(traced):
    """What a trace should not hold: operators and objects of this library, and memory that nobody has written to."""
    nodes = list(traced.inlined_graph.nodes())
    kinds = [node.kind() for node in nodes if "softradial" in node.kind() or node.kind() == "aten::empty"]
    types = [str(output.type()) for node in nodes for output in node.outputs()]
    return kinds + [name for name in types if "torch.classes" in name]


@pytest.mark.parametrize("method", EXPORTED_METHODS)
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_trace(case, method, rng):
    layer = METHODS[method](case.set)
    model = model_of(layer)
    traced = trace(model, normal((4, 3), rng, torch.float32))
    assert foreign_operators(traced) == []
    for rows in (1, 4, 9):
        z = normal((rows, 3), rng, torch.float32, scale=3)
        assert close(traced(z), model(z), layer)


def test_trace_before_the_first_call(rng):
    layer = sr.SoftRadial(sr.Simplex(4))
    u = normal((5, 4), rng)
    assert close(torch.jit.trace(layer, u, check_trace=False)(u), layer(u), layer, torch.float64)


class WithData(nn.Module):
    """A layer whose data are inputs of the model."""

    def __init__(self, set, names):
        super().__init__()
        self.layer, self.names = sr.SoftRadial(set), names

    def forward(self, u, *data):
        return self.layer(u, **dict(zip(self.names, data)))


@pytest.mark.parametrize("which", CLOSED_CALLS)
def test_trace_with_data_of_samples(which, rng):
    call = CLOSED_CALLS[which]
    model = WithData(call.set, list(call.data))
    traced = trace(model, normal((5, DIM), rng, scale=3), *call.draw(5, rng).values())
    assert foreign_operators(traced) == []
    inputs = normal((5, DIM), rng, scale=3), *call.draw(5, rng).values()
    assert close(traced(*inputs), model(*inputs), model.layer, torch.float64)


def test_trace_of_a_layer_that_checks_its_input(rng):
    traced = trace(sr.SoftRadial(sr.Simplex(4), check_finite=True), normal((5, 4), rng))
    assert foreign_operators(traced) == []


class LogDet(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, u):
        return self.layer.log_abs_det(u)


def test_trace_of_the_log_det(rng):
    model = LogDet(soft_layer(BY_NAME["capped_simplex"]))
    u = normal((7, 6), rng)
    model.layer(u)
    traced = trace(model, u[:5])
    assert foreign_operators(traced) == []
    assert torch.allclose(traced(u), model(u), rtol=1e-12)


# ----------------------------------------------------------------------------------------------------------------- ONNX


# The exporter of opset 16 traces; where torch has another, it must be asked for.
BY_TRACE = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}


def export(model, z, path):
    torch.onnx.export(
        model,
        (z,),
        str(path),
        opset_version=OPSET,
        input_names=["z"],
        output_names=["x"],
        dynamic_axes={"z": {0: "rows"}, "x": {0: "rows"}},
        **BY_TRACE,
    )


@dataclass(frozen=True)
class Exported:
    path: Path
    layer: nn.Module
    x: torch.Tensor


def export_case(folder, case, method):
    """Writes name.onnx, exported with 2 rows, and name.json with 7 rows and what PyTorch gives for them."""
    rng = torch.Generator().manual_seed(0)
    layer = METHODS[method](case.set)
    model = model_of(layer)
    path = folder / f"{case.name}-{method}.onnx"
    z = normal((7, 3), rng, torch.float32, scale=3)
    x = model(z).detach()
    export(model, normal((2, 3), rng, torch.float32), path)
    expected = {"z": z.flatten().tolist(), "shape": list(z.shape), "x": x.flatten().tolist()}
    path.with_suffix(".json").write_text(json.dumps(expected))
    return Exported(path, layer, x)


@pytest.fixture(scope="module", params=EXPORTED_METHODS)
def exports(request, tmp_path_factory):
    """Every set's model as an ONNX file: name -> Exported."""
    folder = tmp_path_factory.mktemp(request.param)
    return {case.name: export_case(folder, case, request.param) for case in EXPORTABLE + LEVEL_SETS}


def standard_only(path):
    found = importlib.util.find_spec("onnx")
    if found is None or found.origin is None:
        return b"softradial" not in path.read_bytes()
    import onnx

    return all(node.domain in ("", "ai.onnx") for node in onnx.load(str(path)).graph.node)


def test_onnx_files_hold_standard_operators_only(exports):
    assert [name for name, model in exports.items() if not standard_only(model.path)] == []


@pytest.mark.parametrize("case", [case for case in ZOO if not case.onnx], ids=repr)
def test_what_has_no_onnx_file(case, tmp_path):
    """torch names the operator that ONNX does not have."""
    with pytest.raises(torch.onnx.errors.UnsupportedOperatorError, match=r"linalg_eigh|linalg_eigvalsh"):
        export_case(tmp_path, case, "soft_rational")


def _node_modules():
    modules = os.environ.get("SOFTRADIAL_NODE_MODULES")
    if not modules:
        pytest.skip("SOFTRADIAL_NODE_MODULES does not name a folder with onnxruntime-web")
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    return modules


def test_onnx_runtime_gives_the_same_numbers(exports):
    """All sets in one process of onnxruntime-web, with another number of rows than they were exported with."""
    modules = _node_modules()
    folder = next(iter(exports.values())).path.parent
    script = Path(__file__).parent / "node" / "run.mjs"
    run = subprocess.run(["node", str(script), str(folder), modules], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    errors = json.loads(run.stdout)
    assert set(errors) == {model.path.stem for model in exports.values()}
    for model in exports.values():
        error = errors[model.path.stem]
        size = float(model.x.abs().max()) + float(model.layer.anchor.abs().max())
        assert isinstance(error, (int, float)), f"{model.path.stem}: {error}"
        assert error <= 200 * model.layer.set.dim * ulp(torch.float32) * size, model.path.stem
