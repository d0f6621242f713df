"""What the backward passes keep: through checkpoints and through hooks that pack it, in every kind of node."""

import copy
import gc
import weakref

import pytest
import torch
from torch import nn
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

import softradial as sr
from support.inputs import normal
from support.layers import FIRST_ORDER_ONLY
from support.levels import level_set
from support.samples import CALLS

ROWS = 4


def fixed(set):
    return lambda rng: (sr.SoftRadial(set), [normal((ROWS, set.dim), rng)])


def samples(name):
    """A call with the data of each sample, all of which require a gradient."""

    def make(rng):
        call = CALLS[name]
        layer = sr.SoftRadial(call.set, anchor_gradient=True)
        data = call.draw(ROWS, rng)
        return lambda u, *values: layer(u, **dict(zip(data, values))), [normal((ROWS, call.set.dim), rng), *data.values()]

    return make


def first_order(name):
    def make(rng):
        layer, u = FIRST_ORDER_ONLY[name]()
        return layer, [u]

    return make


def qp_with_all_data(rng):
    layer, p = FIRST_ORDER_ONLY["qp"]()
    return torch.ops.softradial.qp, [p, layer.h, layer.b, layer.Q, layer.G, layer.A]


FUNCTIONS = {
    "coordinates": fixed(sr.CappedSimplex(6, cap=0.3)),
    "ball": fixed(sr.Ball([0.0, 0.1, 0.0], 1.0)),
    "inverse": lambda rng: (
        sr.SoftRadial(sr.Box([-1.0] * 3, [2.0] * 3), lambda_=1.0).inverse, [0.3 * normal((ROWS, 3), rng).sin()]
    ),
    "level_set": lambda rng: (sr.SoftRadial(level_set("quartic")), [normal((ROWS, 3), rng)]),
    **{name: samples(name) for name in CALLS},
    **{name: first_order(name) for name in FIRST_ORDER_ONLY},
    "qp with all data": qp_with_all_data,
}


@pytest.fixture(params=FUNCTIONS)
def function(request, rng):
    """A function, its inputs as leaves that require gradients, and the gradients that a plain call gives."""
    run, inputs = FUNCTIONS[request.param](rng)
    inputs = [tensor.detach().clone().requires_grad_() for tensor in inputs]
    return run, inputs, gradients(run, inputs)


def gradients(run, inputs):
    """Of leaves, and of tensors that are none: what is saved of the two differs."""
    found = []
    for prepare in (lambda t: t, lambda t: 1.0 * t):
        leaves = [tensor.detach().clone().requires_grad_() for tensor in inputs]
        run(*[prepare(tensor) for tensor in leaves]).sin().sum().backward()
        found += [leaf.grad for leaf in leaves]
    return found


def same(found, expected):
    return all(torch.equal(one, other) for one, other in zip(found, expected))


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpoints(function, use_reentrant):
    run, inputs, expected = function
    again = lambda *tensors: checkpoint(run, *tensors, use_reentrant=use_reentrant)
    assert same(gradients(again, inputs), expected)


def test_a_checkpoint_around_a_model(function):
    """The layer in the middle: what comes before it is run again, too."""
    run, inputs, _ = function
    whole = lambda u, *rest: run(u.tanh() + u, *rest).exp().sin()
    again = lambda *tensors: checkpoint(whole, *tensors, use_reentrant=False)
    assert same(gradients(again, inputs), gradients(whole, inputs))


def test_tensors_saved_on_the_cpu(function):
    run, inputs, expected = function

    def packed(*tensors):
        with save_on_cpu():
            return run(*tensors)

    assert same(gradients(packed, inputs), expected)


def test_hooks_see_what_is_saved_and_give_it_back(function):
    run, inputs, expected = function
    seen = []

    def pack(tensor):
        seen.append(tensor.shape)
        return tensor.detach().clone()

    def packed(*tensors):
        with saved_tensors_hooks(pack, lambda kept: kept.clone()):
            return run(*tensors)

    assert same(gradients(packed, inputs), expected)
    assert any(shape == inputs[0].shape for shape in seen)


def test_a_graph_can_be_used_twice_and_then_is_gone(function):
    run, inputs, _ = function
    loss = run(*inputs).sin().sum()
    first = torch.autograd.grad(loss, inputs, retain_graph=True)
    assert same(torch.autograd.grad(loss, inputs), first)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch.autograd.grad(loss, inputs)


def test_a_graph_keeps_no_cycle(function):
    """A node that owned its own result would keep both, and the model, until the collector runs."""
    run, inputs, _ = function
    gc.disable()
    try:
        x = run(*inputs)
        gone = weakref.ref(x)
        del x
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_checkpointed_model_trains_alike(use_reentrant, rng):
    torch.manual_seed(0)
    capped, simplex = sr.CappedSimplex(6, cap=0.3), sr.Simplex(3)
    plain = nn.Sequential(nn.Linear(5, 6), sr.SoftRadial(capped), nn.Linear(6, 3), sr.Softmax(simplex))
    copied = copy.deepcopy(plain)
    z = normal((8, 5), rng, torch.float32).requires_grad_()
    for model, call in ((plain, plain), (copied, lambda z: checkpoint(copied, z, use_reentrant=use_reentrant))):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            call(z).square().sum().backward()
            optimizer.step()
    for one, other in zip(plain.parameters(), copied.parameters()):
        assert torch.equal(one, other)
