"""Layers in compiled models: torch.compile; torch 2.1 and later."""

import copy
import pickle

import pytest
import torch
from torch import nn

import softradial as sr
from support.compiled import (  # noqa: F401  (a fixture is used by its name)
    OTHERS, capped, compiled_as_called, fresh_compiler, linear_model, needs_compiler, same, value_and_gradients,
    with_compiler_of_graphs,
)
from support.inputs import normal
from support.samples import CALLS
from support.sets import gather
from support.zoo import METHODS, ZOO

pytestmark = with_compiler_of_graphs
GRAPHS = ("eager", "aot_eager")
LEARNED = gather("learned")
# Uncompiled, values whose gradient is wanted come from the composite.
ROUNDING = dict(rtol=1e-12, atol=1e-12)


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


# --- Level sets: Python functions. ---


def test_level_sets_run_beside_the_graph(rng):
    layer = sr.SoftRadial(sr.LevelSet(lambda x: x.pow(4).sum(-1) - 1, 3, [0.0, 0.0, 0.0]))
    model = nn.Sequential(nn.Linear(3, 3), layer).double()
    z = normal((4, 3), rng)
    same(value_and_gradients(torch.compile(model, backend="aot_eager"), z), value_and_gradients(model, z), **ROUNDING)
    torch._dynamo.reset()
    with pytest.raises(Exception, match="level_set"):
        torch.compile(model, backend="aot_eager", fullgraph=True)(z)
