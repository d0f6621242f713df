"""Exported programs, and the graphs of plain operations that other devices run; torch 2.1 and later."""

import os
import subprocess
import sys

import pytest
import torch

import softradial as sr
from softradial import _compiled
from support.compiled import (  # noqa: F401  (a fixture is used by its name)
    OTHERS, capped, fresh_compiler, linear_model, needs_compiler, same, value_and_gradients, with_compiler_of_graphs,
)
from support.inputs import at_scales, normal
from support.judge import faults
from support.zoo import BY_NAME, ZOO

pytestmark = with_compiler_of_graphs


# --- Export. ---


def exported(model, example, strict):
    return torch.export.export(model, (example,), dynamic_shapes=({0: torch.export.Dim("batch", min=2)},), strict=strict)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("name", ["soft", "gauge", "orthogonal"])
def test_models_export_with_any_batch_size(name, strict, rng):
    makes = {"soft": sr.SoftRadial, "gauge": sr.GaugeMap, "orthogonal": sr.Orthogonal}
    model = linear_model(makes[name](capped()))
    program = exported(model, normal((4, 3), rng, torch.float32), strict)
    for rows in (2, 9):
        z = normal((rows, 3), rng, torch.float32)
        same(program.module()(z), model(z), rtol=1e-5, atol=1e-6)


READER = """
import sys, torch
if sys.argv[3] == "ours":
    import softradial
program = torch.export.load(sys.argv[1])
data = torch.load(sys.argv[2])
x = program.module()(data["z"])
assert sys.argv[3] == "ours" or "softradial" not in sys.modules
assert torch.allclose(x, data["x"], atol=1e-6), (x, data["x"])
print("read")
"""


def triangle():
    return sr.SoftRadial(sr.Polyhedron([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]], [1.0, 0.0, 0.0]))


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("needs, layer", [("ours", triangle), ("nothing", lambda: triangle().plain())], ids=["ops", "plain"])
def test_an_exported_program_runs_in_another_process(needs, layer, strict, rng, tmp_path):
    """One of plain operations without this library."""
    model = linear_model(layer(), width=2)
    program = exported(model, normal((4, 3), rng, torch.float32), strict)
    z = normal((7, 3), rng, torch.float32)
    torch.export.save(program, str(tmp_path / "model.pt2"))
    torch.save({"z": z, "x": model(z).detach()}, tmp_path / "data.pt")
    answer = subprocess.run(
        [sys.executable, "-c", READER, str(tmp_path / "model.pt2"), str(tmp_path / "data.pt"), needs],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == "read"


# --- Plain operations: what other devices run. ---


PLAIN_CASES = [case for case in ZOO if case.onnx]


def plain_ops(graph):
    return {str(node.target) for node in graph.graph.nodes if node.op == "call_function"}


def only_tensor_operations(names):
    return all(name.startswith(("aten.", "<built-in", "_operator.")) for name in names)


@pytest.mark.parametrize("case", PLAIN_CASES, ids=repr)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_plain_maps_are_the_layers(case, dtype, rng):
    layer = sr.SoftRadial(case.set)
    plain = layer.plain(dtype)
    assert only_tensor_operations(plain_ops(plain.graph)), plain_ops(plain.graph)
    eps = torch.finfo(dtype).eps
    for rows in (1, 5):
        u = normal((rows, case.dim), rng, dtype, scale=2.0)
        ours, theirs = value_and_gradients(layer, u), value_and_gradients(plain, u)
        same(ours[0], theirs[0], rtol=1e3 * eps, atol=1e3 * eps)
        same(ours[1], theirs[1], rtol=1e5 * eps, atol=1e5 * eps)


def test_plain_maps_take_any_batch(rng):
    layer = sr.SoftRadial(capped())
    plain = layer.plain(torch.float64)
    for shape in ((6,), (0, 6), (1, 6), (2, 3, 6)):
        u = normal(shape, rng)
        same(plain(u), layer(u), rtol=1e-12, atol=1e-12)


def captured_graphs(function, *tensors):
    """What a compiler of graphs is given, forward and backward."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    graphs = []

    def keep(graph, example):
        graphs.append(graph)
        return make_boxed_func(graph.forward)

    value_and_gradients(torch.compile(function, backend=aot_autograd(fw_compiler=keep), fullgraph=True), *tensors)
    return graphs


def test_a_compiled_plain_model_has_tensor_operations_alone(rng):
    plain = linear_model(sr.SoftRadial(capped()).plain(), width=6)
    graphs = captured_graphs(plain, normal((5, 3), rng, torch.float32))
    assert len(graphs) == 2
    for graph in graphs:
        assert only_tensor_operations(plain_ops(graph)), plain_ops(graph)


@needs_compiler
@pytest.mark.parametrize("name", ["capped_simplex", "polyhedron", "ball"])
def test_inductors_plain_maps_are_the_kernels_and_feasible(name, rng):
    case = BY_NAME[name]
    layer = sr.SoftRadial(case.set)
    plain = layer.plain()
    graph = torch.compile(plain, fullgraph=True, dynamic=True)
    u = normal((64, case.dim), rng, torch.float32, scale=2.0)
    ours, theirs = value_and_gradients(layer, u), value_and_gradients(graph, u)
    same(ours[0], theirs[0], rtol=1e-5, atol=1e-6)
    same(ours[1], theirs[1], rtol=1e-3, atol=1e-4)
    far = at_scales(20, case.dim, (1e-3, 1.0, 1e3, 1e6, 1e30), rng, torch.float32)
    assert faults(case.judge, graph(far), layer.anchor) == []


def test_elsewhere_is_refused_in_a_sentence(rng):
    layer = sr.SoftRadial(capped())
    with torch._subclasses.FakeTensorMode():
        u = torch.empty(4, 6, device="cuda")
    for call, words in (
        (lambda: _compiled.project(layer, u, {"sum": u}), "sum: data for each sample compile on the CPU only"),
        (lambda: _compiled.project(layer, u, {}), "project: does not compile for torch.float32 on cuda"),
        (lambda: _compiled.inverse(layer, u), "inverse: compiles on the CPU only"),
        (lambda: _compiled.project_layer(layer, u), "compiles on the CPU only"),
    ):
        torch.compiler._is_compiling_flag = True
        try:
            with pytest.raises(NotImplementedError, match=words):
                call()
        finally:
            torch.compiler._is_compiling_flag = False
