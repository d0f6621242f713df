"""Layers in compiled and exported models: torch.compile, torch.export, opcheck, fake tensors; torch 2.1 and later."""

import copy
import gc
import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
import threading

import pytest
import torch
from torch import nn

import softradial as sr
from softradial import _compiled
from support.inputs import at_scales, normal
from support.judge import faults
from support.samples import CALLS
from support.sets import gather
from support.zoo import BY_NAME, METHODS, ZOO

pytestmark = pytest.mark.skipif(
    not _compiled.AVAILABLE, reason=f"torch.compile is tested with torch 2.1 and later, this is {torch.__version__}"
)

ops = torch.ops.softradial
GRAPHS = ("eager", "aot_eager")
LEARNED = gather("learned")
# Uncompiled, values whose gradient is wanted come from the composite.
ROUNDING = dict(rtol=1e-12, atol=1e-12)
needs_compiler = pytest.mark.skipif(
    shutil.which(os.environ.get("CXX", "g++")) is None or importlib.util.find_spec("setuptools") is None,
    reason="inductor needs a C++ compiler and setuptools",
)


@pytest.fixture(autouse=True)
def fresh_compiler():
    if _compiled.AVAILABLE:
        torch._dynamo.reset()


def capped(n=6, cap=0.4):
    return sr.CappedSimplex(n, cap=cap)


def small_polyhedron(dim=4):
    A = torch.cat([torch.eye(dim), -torch.eye(dim), torch.ones(1, dim)]).double()
    return sr.Polyhedron(A, torch.linspace(0.5, 1.5, 2 * dim + 1, dtype=torch.float64))


OTHERS = {
    "soft_orthogonal": lambda: sr.SoftOrthogonal(sr.CappedSimplex(5, cap=0.4), kappa=0.1),
    "mirror": lambda: sr.Mirror(sr.CappedSimplex(5, cap=0.4), temperature=0.5),
    "softmax": lambda: sr.Softmax(sr.Simplex(5), temperature=0.5),
    "orthogonal": lambda: sr.Orthogonal(capped()),
    "dc3": lambda: sr.Dc3(capped(), steps=3, learning_rate=0.05),
    "hardnet": lambda: sr.HardNet(capped()),
    "hardnet_aff": lambda: sr.HardNetAff(sr.Box([-1.0, 0.0], [1.0, 2.0])),
    "hardnet_cvx": lambda: sr.HardNetCvx(small_polyhedron()),
    "rayen": lambda: sr.Rayen(sr.Ball(torch.zeros(3), 1.0)),
    "ray_scalar": lambda: sr.RayScalar(capped()),
    "hop": lambda: sr.Hop(capped()),
    "hp": lambda: sr.Hp(capped(), training_steps=20, hidden=8),
    "soft_penalty": lambda: sr.SoftPenalty(sr.Ball(torch.zeros(3), 1.0)),
}


def value_and_gradients(function, *tensors):
    """The value, and the gradients of a sum with fixed weights: 0 to what it does not depend on."""
    tensors = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    value = function(*tensors)
    weights = torch.linspace(-1, 2, value.numel(), dtype=value.dtype).reshape(value.shape)
    grads = torch.autograd.grad((value * weights).sum(), tensors, allow_unused=True)
    return (value, *[torch.zeros_like(t) if grad is None else grad for t, grad in zip(tensors, grads)])


def same(one, other, **tolerance):
    torch.testing.assert_close(one, other, equal_nan=True, **(tolerance or {"rtol": 0, "atol": 0}))


def compiled_as_called(function, *tensors, backend="aot_eager", **tolerance):
    """One graph, the same values and gradients."""
    graph = torch.compile(function, backend=backend, fullgraph=True)
    same(value_and_gradients(graph, *tensors), value_and_gradients(function, *tensors), **tolerance)


def linear_model(layer, inputs=3, width=None):
    torch.manual_seed(0)
    width = width or layer.set.dim
    return nn.Sequential(nn.Linear(inputs, 8), nn.Tanh(), nn.Linear(8, width), layer)


# --- One graph: the values and gradients of the uncompiled layer. ---


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_every_set_compiles_to_one_graph(case, rng):
    layer = sr.SoftRadial(case.set)
    compiled_as_called(layer, normal((5, case.dim), rng, scale=2.0))


@pytest.mark.parametrize("backend", GRAPHS)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_compiles_to_one_graph(method, backend, rng):
    layer = METHODS[method](capped())
    for dtype in (torch.float32, torch.float64):
        compiled_as_called(layer, normal((2, 3, 6), rng, dtype, scale=2.0), backend=backend)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_reduced_precisions_compile(dtype, rng):
    compiled_as_called(sr.SoftRadial(capped()), normal((5, 6), rng, dtype, scale=2.0))


@pytest.mark.parametrize("method", [name for name in METHODS if name != "hard"])
def test_inverse_and_log_abs_det_compile(method, rng):
    layer = METHODS[method](capped())
    u = normal((5, 6), rng, scale=2.0)
    compiled_as_called(layer.log_abs_det, u, **ROUNDING)
    compiled_as_called(layer.inverse, layer(u).detach(), **ROUNDING)


@pytest.mark.parametrize("name", CALLS)
def test_data_for_each_sample_compile(name, rng):
    call = CALLS[name]
    layer = sr.SoftRadial(call.set)
    data = call.draw(5, rng)
    u = normal((5, call.set.dim), rng, scale=2.0)
    compiled_as_called(lambda u, *values: layer(u, **dict(zip(data, values))), u, *data.values())


def test_data_for_all_samples_and_of_another_dtype_compile(rng):
    layer = sr.SoftRadial(capped())
    u = normal((2, 3, 6), rng, torch.float32)
    caps = torch.full((6,), 0.5, dtype=torch.float64)
    compiled_as_called(lambda u, caps, sum: layer(u, cap=caps, sum=sum), u, caps, torch.tensor(1.2))


@pytest.mark.parametrize("name", LEARNED)
def test_learned_data_get_their_gradients(name, rng):
    make, start = LEARNED[name]
    layers = [sr.SoftRadial(make(nn.Parameter(torch.as_tensor(start, dtype=torch.float64)))) for _ in range(2)]
    graph = torch.compile(layers[1], backend="aot_eager", fullgraph=True)
    u = normal((5, layers[0].set.dim), rng).requires_grad_()
    results = []
    for call, layer in ((layers[0], layers[0]), (graph, layers[1])):
        x = call(u)
        x.square().sum().backward()
        results.append([x, *[torch.zeros_like(p) if p.grad is None else p.grad for p in layer.parameters()]])
    same(*results)


@pytest.mark.parametrize("name", OTHERS)
def test_other_layers_compile_to_one_graph(name, rng):
    layer = OTHERS[name]()
    u = normal((2, 3, layer.input_dim), rng, scale=2.0)
    compiled_as_called(layer, u)
    layer.eval()
    with torch.no_grad():
        same(torch.compile(layer, backend="aot_eager", fullgraph=True)(u), layer(u))


@pytest.mark.parametrize("name", ["dc3", "hardnet"])
def test_no_gradient_where_the_uncompiled_layer_has_none(name, rng):
    layer = OTHERS[name]().eval()
    u = normal((4, 6), rng).requires_grad_()
    with pytest.raises(Exception, match="use training mode"):
        torch.compile(layer, backend="aot_eager", fullgraph=True)(u)


def test_penalties_and_programmes_compile(rng):
    soft = OTHERS["soft_penalty"]()
    compiled_as_called(lambda u: soft.penalty(soft(u)), normal((5, 3), rng, scale=2.0))
    programme = sr.QpLayer(torch.eye(3).double(), torch.eye(3).double(), torch.ones(3).double() / 4)
    h = normal((5, 3), rng).square() + 0.1
    compiled_as_called(lambda p, h: programme(p, h=h), normal((5, 3), rng), h)


def test_autocast_compiles(rng):
    model = linear_model(sr.SoftRadial(capped()))
    z = normal((5, 3), rng, torch.float32)

    def cast(z):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return model(z)

    x = cast(z)
    assert x.dtype == torch.float32
    same(torch.compile(cast, backend="aot_eager", fullgraph=True)(z), x, rtol=1e-6, atol=1e-6)


def test_densities_compile(rng):
    layer = sr.SoftRadial(capped())
    loc = normal((5, 6), rng)
    noise = normal((5, 6), rng)

    def log_prob(loc):
        u = loc + 0.3 * (noise - noise.mean(-1, keepdim=True))
        return layer(u).square().sum(-1) - layer.log_abs_det(u)

    compiled_as_called(log_prob, loc, **ROUNDING)


def test_transforms_of_functions_compile(rng):
    layer = sr.SoftRadial(capped())
    u = normal((5, 6), rng)

    def gradient(u):
        return torch.func.grad(lambda v: layer(v).square().sum())(u)

    same(torch.compile(gradient, backend="aot_eager", fullgraph=True)(u), gradient(u), rtol=1e-12, atol=1e-12)


# --- Training, and the compiler that makes code. ---


def trained(model, step, rows):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for z in rows:
        optimizer.zero_grad()
        loss = (step(z) - torch.eye(model[-1].set.dim)[0]).square().sum(-1).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.detach().clone() for p in model.parameters()]


@pytest.mark.parametrize("backend", ["eager", "aot_eager", pytest.param("inductor", marks=needs_compiler)])
def test_training_is_that_of_the_uncompiled_model(backend, rng):
    models = [linear_model(sr.SoftRadial(capped())) for _ in range(2)]
    rows = normal((6, 16, 3), rng, torch.float32)
    graph = torch.compile(models[1], backend=backend, fullgraph=True)
    same(trained(models[0], models[0], rows), trained(models[1], graph, rows), rtol=1e-4, atol=1e-6)


@needs_compiler
@pytest.mark.parametrize("name", ["samples", "orthogonal", "inverse"])
def test_inductor_runs_our_ops(name, rng):
    layer = sr.SoftRadial(capped())
    functions = {
        "samples": lambda u: layer(2 * u, cap=0.3 + 0.1 * torch.sigmoid(u), sum=u.new_tensor(1.1)),
        "orthogonal": OTHERS["orthogonal"](),
        "inverse": lambda u: layer.inverse(torch.softmax(u, -1) / 4 + 1 / 8),
    }
    compiled_as_called(functions[name], normal((5, 6), rng), backend="inductor", rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dynamic", [None, True])
def test_batch_sizes_do_not_recompile_without_end(dynamic, rng):
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    layer = sr.SoftRadial(capped())
    graph = torch.compile(layer, backend=counter, dynamic=dynamic, fullgraph=True)
    for rows in (4, 5, 7, 16, 33):
        u = normal((rows, 6), rng)
        same(graph(u), layer(u))
    assert counter.frame_count <= 2


def test_two_layers_in_one_graph_keep_apart(rng):
    one, other = sr.SoftRadial(capped()), sr.HardRadial(sr.Simplex(6))
    compiled_as_called(lambda u: one(u) + 2 * other(3 * u), normal((5, 6), rng))


# --- What compilation must not lose. ---


def test_status_is_that_of_the_compiled_call(rng):
    layer = sr.SoftRadial(capped())
    graph = torch.compile(layer, backend="aot_eager", fullgraph=True)
    u = normal((4, 6), rng)
    u[2, 1] = torch.nan
    x = graph(u)
    assert x[2].isnan().all() and x[[0, 1, 3]].isfinite().all()
    assert layer.status.tolist() == [0, 0, 1, 0]
    layer(u[:1])
    graph(u, cap=torch.tensor([0.3, 0.3, 0.3, 0.1]).double().unsqueeze(-1).expand(4, 6))
    assert layer.status.tolist() == [0, 0, 1, 2]


def test_check_finite_is_kept(rng):
    layer = sr.SoftRadial(capped(), check_finite=True)
    graph = torch.compile(layer, backend="aot_eager", fullgraph=True)
    u = normal((4, 6), rng)
    same(graph(u), layer(u))
    u[2, 1] = torch.inf
    for data in ({}, {"cap": torch.full((6,), 0.5)}):
        with pytest.raises(RuntimeError, match="row 2 has a NaN or an infinity"):
            graph(u, **data)


def test_a_wrong_shape_is_refused_by_name():
    graph = torch.compile(sr.SoftRadial(capped()), backend="aot_eager")
    with pytest.raises(Exception, match="the last dimension must be 6"):
        graph(torch.zeros(4, 5))


def test_a_loaded_set_replaces_that_of_a_compiled_layer(rng):
    layer, other = sr.SoftRadial(capped(cap=0.4)), sr.SoftRadial(capped(cap=0.25), lambda_=2.0)
    graph = torch.compile(layer, backend="aot_eager", fullgraph=True)
    u = normal((5, 6), rng, scale=5.0)
    assert graph(u).max() > 0.25
    layer.load_state_dict(other.state_dict())
    same(graph(u), other(u))


@pytest.mark.parametrize("way", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))], ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("make", [lambda: sr.SoftRadial(capped()), OTHERS["orthogonal"]], ids=["map", "layer"])
def test_copies_compile_on_their_own(make, way, rng):
    layer = make()
    twin = way(layer)
    u = normal((5, 6), rng)
    graph = torch.compile(twin, backend="aot_eager", fullgraph=True)
    same(graph(u), layer(u))
    if isinstance(layer, sr.SoftRadial):
        layer(u[:2])
        assert twin.status.shape == (5,)


def test_state_dicts_hold_no_description():
    layer = sr.SoftRadial(capped())
    assert list(layer.state_dict()) == ["_extra_state"]
    assert "description" in dict(layer.named_buffers())


# --- Descriptions. ---


def test_a_description_is_read_again_where_it_is_copied(rng):
    layer = sr.SoftRadial(capped())
    u = normal((5, 6), rng)
    twice = torch.cat([layer.description, layer.description])
    for description in (layer.description.clone(), twice[: len(twice) // 2], twice[len(twice) // 2 :]):
        for _ in range(2):
            same(ops.described_project(u, description)[0], layer(u))


def test_bytes_that_change_in_place_are_read_again(rng):
    one, other = sr.SoftRadial(capped(cap=0.4)), sr.SoftRadial(capped(cap=0.3))
    assert one.description.shape == other.description.shape
    description = one.description.clone()
    u = normal((5, 6), rng, scale=5.0)
    same(ops.described_project(u, description)[0], one(u))
    description.data.copy_(other.description)
    same(ops.described_project(u, description)[0], other(u))


@pytest.mark.parametrize("what, words", [
    (lambda d: d[:-1].clone(), "damaged"),
    (lambda d: torch.zeros(40, dtype=torch.uint8), "damaged"),
    (lambda d: d.float(), "expected a description"),
    (lambda d: OTHERS["orthogonal"]().description, "something else"),
], ids=["cut", "zeros", "floats", "layer"])
def test_what_is_no_description_is_refused(what, words):
    with pytest.raises(RuntimeError, match=words):
        ops.described_project(torch.zeros(2, 6), what(sr.SoftRadial(capped()).description))


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="resident memory is read from /proc/self/statm")
def test_maps_die_with_their_descriptions():
    """A map on this polyhedron takes a megabyte: 150 of them would be seen."""
    set = sr.Polyhedron(torch.eye(300), torch.ones(300))
    layer = sr.SoftRadial(set, anchor=torch.zeros(300))
    u = torch.randn(2, 300)

    def read_copies(count):
        for _ in range(count):
            ops.described_project(u, layer.description.clone())
        gc.collect()

    read_copies(10)
    before = resident_bytes()
    read_copies(150)
    assert resident_bytes() - before < 50e6


def test_threads_share_a_description(rng):
    layer = sr.SoftRadial(capped())
    u = normal((64, 6), rng)
    expected, wrong = layer(u), []
    description = layer.description.clone()

    def work():
        for _ in range(50):
            if not torch.equal(ops.described_project(u, description)[0], expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


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


# --- The contract of ops. ---


def op_calls(rng):
    layer, other = sr.SoftRadial(capped()), OTHERS["ray_scalar"]()
    map, bytes_of_other = layer.description, other.description
    u, g = normal((4, 6), rng), normal((4, 6), rng)
    wide = normal((4, 7), rng)
    x, state = ops.described_project(u, map)
    y, other_state = ops.described_layer(wide, bytes_of_other, *other._dims, True)
    caps, total = torch.full((4, 6), 0.5).double(), torch.ones(4).double()
    programme = (caps, torch.empty(4, 0).double(), torch.eye(6).double(), torch.eye(6).double(), torch.empty(0, 6).double())
    solved = ops.qp_solve(u, *programme)[1:]
    wants = lambda tensor: tensor.clone().requires_grad_()
    return {
        "described_project": (wants(u), map),
        "described_project_backward": (g, u, state, map),
        "described_inverse": (wants(x), map),
        "described_inverse_backward": (g, x, map),
        "described_log_abs_det": (wants(u), map),
        "described_log_abs_det_backward": (g[:, :1].clone(), u, map),
        "described_samples": (wants(u), [wants(caps), total], ["upper", "sum"], False, map),
        "described_samples_backward": (g, u, [caps, total], ["upper", "sum"], [0], False, map),
        "described_layer": (wants(wide), bytes_of_other, *other._dims, True),
        "described_layer_backward": (g, wide, y, other_state, bytes_of_other),
        "described_penalty": (wants(wide[:, :6]), bytes_of_other),
        "described_penalty_backward": (g[:, :1].clone(), wide[:, :6].clone(), bytes_of_other),
        "qp_solve": (wants(u), *programme),
        "qp_solve_backward": (g, u, *programme, *solved),
    }


KINDS = ("described_project", "described_inverse", "described_log_abs_det", "described_samples", "described_layer",
         "described_penalty", "qp_solve")
NAMES = [name + suffix for name in KINDS for suffix in ("", "_backward")]


@pytest.mark.skipif(not hasattr(torch.library, "opcheck"), reason="torch.library.opcheck came with torch 2.4")
@pytest.mark.parametrize("name", NAMES)
def test_ops_keep_the_contract(name, rng):
    torch.library.opcheck(getattr(ops, name).default, op_calls(rng)[name])


# --- Tensors without numbers. ---


@pytest.mark.parametrize("where", ["fake", "meta"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_shapes_without_numbers(where, dtype):
    layer, other = sr.SoftRadial(capped()), OTHERS["ray_scalar"]()
    mode = torch._subclasses.FakeTensorMode()

    def tensor(*shape):
        empty = torch.empty(*shape, dtype=dtype, device="meta" if where == "meta" else "cpu")
        return mode.from_tensor(empty) if where == "fake" else empty

    u = tensor(2, 5, 6)
    results = {
        (2, 5, 6): [layer(u), layer.inverse(u), layer(u, cap=tensor(6), sum=tensor(2, 5)), other(tensor(2, 5, 7))],
        (2, 5): [layer.log_abs_det(u)],
    }
    for shape, tensors in results.items():
        for result in tensors:
            assert result.shape == shape and result.dtype == dtype and result.device == u.device and type(result) is type(u)


def test_gradients_without_numbers():
    with torch._subclasses.FakeTensorMode():
        u = torch.empty(4, 6, requires_grad=True)
        sr_layer(u).sum().backward()
        assert u.grad.shape == (4, 6)


sr_layer = sr.SoftRadial(capped())


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


# --- Level sets: Python functions. ---


def test_level_sets_run_beside_the_graph(rng):
    layer = sr.SoftRadial(sr.LevelSet(lambda x: x.pow(4).sum(-1) - 1, 3, [0.0, 0.0, 0.0]))
    model = nn.Sequential(nn.Linear(3, 3), layer).double()
    z = normal((4, 3), rng)
    same(value_and_gradients(torch.compile(model, backend="aot_eager"), z), value_and_gradients(model, z), **ROUNDING)
    torch._dynamo.reset()
    with pytest.raises(Exception, match="level_set"):
        torch.compile(model, backend="aot_eager", fullgraph=True)(z)
