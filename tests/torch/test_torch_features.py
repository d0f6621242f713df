"""What people do with a module in PyTorch: autocast, inference mode, data loaders, flat parameters, safe loading."""

import copy
import io
import multiprocessing

import pytest
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from torch.utils.data import DataLoader, Dataset

import softradial as sr
from support.inputs import normal
from support.judge import faults
from support.layers import FIRST_ORDER_ONLY, LAYERS, rows_for
from support.levels import level_set
from support.samples import CALLS
from support.zoo import ZOO

try:
    from torch.func import functional_call
except ImportError:
    from torch.nn.utils.stateless import functional_call

every_set = pytest.mark.parametrize("case", ZOO, ids=repr)
every_call = pytest.mark.parametrize("name", CALLS)
every_other = pytest.mark.parametrize("name", FIRST_ORDER_ONLY)

# ------------------------------------------------------------------------------------------------------------- autocast


def autocast():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def coarse(tensor):
    """As a linear layer gives it under autocast."""
    return tensor.to(torch.bfloat16)


@every_set
def test_autocast_keeps_the_guard(case, rng):
    """As torch's softmax: computed in single precision, and left in it."""
    layer = sr.SoftRadial(case.set)
    u = coarse(normal((20, case.dim), rng, torch.float32, scale=30))
    plain = layer(u.float())
    with autocast():
        x = layer(u)
        assert x.dtype == torch.float32 and faults(case.judge, x, layer.anchor) == []
        assert torch.equal(x, plain)
        assert torch.equal(layer.log_abs_det(u), layer.log_abs_det(u.float()))
        assert torch.equal(layer.inverse(x), sr.SoftRadial(case.set).inverse(plain))
        assert layer(u.double()).dtype == torch.float64


@every_set
def test_autocast_of_what_needs_the_composite(case, rng):
    """Second derivatives and forward mode are products of matrices, which autocast would take in bfloat16."""
    u = normal((5, case.dim), rng, torch.float32)
    tangent = normal(u.shape, rng, torch.float32)

    def derivatives(rows):
        layer = sr.SoftRadial(case.set)
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(rows, tangent)
            moved = torch.autograd.forward_ad.unpack_dual(layer(dual)).tangent
        rows = rows.clone().requires_grad_()
        gradient, = torch.autograd.grad(layer(rows).square().sum(), rows, create_graph=True)
        return moved, gradient

    with autocast():
        found = derivatives(u)
    for one, other in zip(found, derivatives(u)):
        assert torch.equal(one, other)


@every_call
def test_autocast_of_samples(name, rng):
    call = CALLS[name]
    layer = sr.SoftRadial(call.set)
    u = coarse(normal((6, call.set.dim), rng, torch.float32, scale=3))
    data = {key: value.float() for key, value in call.draw(6, rng).items()}
    plain = layer(u.float(), **data)
    with autocast():
        x = layer(u, **data)
    assert x.dtype == torch.float32 and torch.equal(x, plain)


@every_other
def test_autocast_of_other_layers(name):
    layer, rows = FIRST_ORDER_ONLY[name]()
    u = coarse(rows.float())
    plain = layer(u.float())
    with autocast():
        x = layer(u)
    assert x.dtype == torch.float32 and torch.equal(x, plain)


def test_autocast_of_a_level_set(rng):
    """The function is not run in bfloat16, in which its judgement would be worth nothing."""
    weight = normal((8, 3), rng, torch.float32)
    layer = sr.SoftRadial(sr.LevelSet(lambda x: (x @ weight.to(x).T).exp().sum(-1) - 20, 3, [0.0, 0.0, 0.0]))
    u = coarse(normal((20, 3), rng, torch.float32, scale=5))
    plain = layer(u.float())
    with autocast():
        x = layer(u)
        again = layer.inverse(x)
    assert x.dtype == torch.float32 and torch.equal(x, plain)
    assert torch.equal(again, layer.inverse(plain)) and not layer.set.violation(x).any()


def test_a_model_trains_under_autocast(rng):
    torch.manual_seed(0)
    set = sr.CappedSimplex(20, cap=0.1)
    model = nn.Sequential(nn.Linear(4, 20), sr.SoftRadial(set))
    z, goal = normal((32, 4), rng, torch.float32), normal((32, 20), rng, torch.float32)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        with autocast():
            w = model(z)
            loss = -(w * goal).sum(-1).mean()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
        assert bool((w > 0).all()) and bool((w < 0.1).all())
    assert losses[-1] < losses[0]


# ------------------------------------------------------------------------------------------------------ inference mode


@every_set
def test_a_layer_that_was_first_called_in_inference_mode_can_be_trained(case, rng):
    layer = sr.SoftRadial(case.set)
    u = normal((3, case.dim), rng)
    with torch.inference_mode():
        x = layer(u)
        traced = layer.log_abs_det(u), layer.inverse(x)
        low = layer(u.to(torch.bfloat16))
    assert x.is_inference() and all(tensor.is_inference() for tensor in (*traced, low))
    u.requires_grad_()
    assert torch.equal(layer(u), x)
    gradient, = torch.autograd.grad(layer(u).sin().sum(), u, create_graph=True)
    torch.autograd.grad(gradient.sum() + layer.log_abs_det(u).sum(), u)


@every_call
def test_samples_in_inference_mode(name, rng):
    call = CALLS[name]
    layer = sr.SoftRadial(call.set)
    u, data = normal((3, call.set.dim), rng), call.draw(3, rng)
    with torch.inference_mode():
        x = layer(u, **data)
    leaves = {key: value.requires_grad_() for key, value in data.items()}
    trained = layer(u.requires_grad_(), **leaves)
    assert torch.equal(trained, x)
    torch.autograd.grad(trained.sum(), [u, *leaves.values()], allow_unused=True)


@every_other
def test_other_layers_in_inference_mode(name):
    layer, u = FIRST_ORDER_ONLY[name]()
    with torch.inference_mode():
        x = layer(u)
    u = u.clone().requires_grad_()
    assert torch.equal(layer(u), x)
    torch.autograd.grad(layer(u).sum(), u)


# ------------------------------------------------------------------------------------------------------- data loaders


class Feasible(Dataset):
    """Rows that a layer made feasible, in the worker."""

    def __init__(self, layer, rows):
        self.layer, self.rows = layer, rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        with torch.no_grad():
            return self.layer(self.rows[i])


def worker_layers():
    capped = sr.CappedSimplex(6, cap=0.3)
    return {
        "fixed": sr.SoftRadial(capped),
        "polyhedron": sr.GaugeMap(sr.Polyhedron([[1.0, 2.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, -1.0]], [1.0] * 3)),
        "learned": sr.SoftRadial(sr.CappedSimplex(6, cap=nn.Parameter(torch.full((6,), 0.3)))),
        "other": sr.Orthogonal(capped),
        "level_set": sr.SoftRadial(level_set("quartic")),
    }


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("name", worker_layers())
def test_data_loader_workers(name, start, rng):
    """A layer goes to its workers by a copy of the process, or pickled."""
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system does not {start} processes")
    layer = worker_layers()[name]
    rows = normal((6, layer.set.dim), rng)
    with torch.no_grad():
        expected = torch.stack([layer(row) for row in rows])
    loader = DataLoader(Feasible(layer, rows), batch_size=3, num_workers=1, multiprocessing_context=start)
    assert torch.equal(torch.cat(list(loader)), expected)


# ---------------------------------------------------------------------------------- parameters that are not where they were


def learned_model():
    torch.manual_seed(1)
    cap = nn.Parameter(torch.full((6,), 0.3))
    return nn.Sequential(nn.Linear(4, 6), sr.SoftRadial(sr.CappedSimplex(6, cap=cap)))


def test_flat_parameters(rng):
    """All parameters as views of one tensor, and back: those of the set among them."""
    model, z = learned_model(), normal((5, 4), rng, torch.float32)
    before = model(z)
    flat = parameters_to_vector(model.parameters())
    assert flat.numel() == 6 * 4 + 6 + 6
    other = learned_model()
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.mul_(0.9)
    assert not torch.equal(other(z), before)
    vector_to_parameters(flat, other.parameters())
    assert torch.equal(other(z), before)


def test_flattening_as_fsdp_does_it(rng):
    """The parameters are deleted; views of a flat one take their places as plain attributes, anew in every call."""
    model, z = learned_model(), normal((5, 4), rng, torch.float32)
    expected = model(z)
    loss = expected.square().sum()
    wanted = torch.autograd.grad(loss, list(model.parameters()))
    places = [(module, name) for module in model.modules() for name, p in module.named_parameters(recurse=False)]
    flat = nn.Parameter(parameters_to_vector(model.parameters()).detach())
    shapes = [getattr(module, name).shape for module, name in places]
    for module, name in places:
        delattr(module, name)
    for _ in range(2):
        views = torch.split(flat, [shape.numel() for shape in shapes])
        for (module, name), view, shape in zip(places, views, shapes):
            setattr(module, name, view.view(shape))
        x = model(z)
        assert torch.equal(x, expected)
        gradient, = torch.autograd.grad(x.square().sum(), flat)
        assert torch.allclose(gradient, torch.cat([g.reshape(-1) for g in wanted]), rtol=1e-5, atol=1e-6)


def test_functional_calls(rng):
    model, z = learned_model(), normal((5, 4), rng, torch.float32)
    named = {name: 0.9 * value.detach() for name, value in model.named_parameters()}
    scaled = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in scaled.parameters():
            parameter.mul_(0.9)
    before = model(z)
    assert torch.equal(functional_call(model, named, (z,)), scaled(z))
    assert torch.equal(model(z), before)


def test_per_sample_gradients(rng):
    """grad inside vmap over a model with our layers, as differential privacy does it."""
    from support.transforms import func

    model, z = learned_model(), normal((5, 4), rng, torch.float32)
    named = dict(model.named_parameters())
    loss = lambda parameters, row: functional_call(model, parameters, (row.unsqueeze(0),)).square().sum()
    found = func.vmap(func.grad(loss), in_dims=(None, 0))(named, z)
    for i, row in enumerate(z):
        wanted = torch.autograd.grad(loss(named, row), list(named.values()))
        for name, gradient in zip(named, wanted):
            assert torch.allclose(found[name][i], gradient, rtol=1e-4, atol=1e-6)


def test_a_module_that_was_moved(rng):
    """double(), and a state that is assigned."""
    model, z = learned_model(), normal((5, 4), rng, torch.float64)
    x = model.double()(z)
    assert x.dtype == torch.float64
    other = learned_model().double()
    other.load_state_dict(model.state_dict())
    assert torch.equal(other(z), x)


# --------------------------------------------------------------------------------------------------------- safe loading


def safely_loaded(thing):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=True)


@every_set
def test_a_state_dict_loads_with_weights_only(case, rng):
    u = normal((4, case.dim), rng)
    layer = sr.SoftRadial(case.set, contraction="exponential", lambda_=2.0)
    other = sr.SoftRadial(sr.Box([0.0] * case.dim, [1.0] * case.dim))
    other.load_state_dict(safely_loaded(layer.state_dict()))
    assert torch.equal(other(u), layer(u))


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_a_whole_module_is_code_and_is_refused_with_weights_only(name):
    """A pickle may run anything: state_dicts are what travels safely."""
    layer = LAYERS[name]()
    u = rows_for(layer)
    with pytest.raises(Exception, match="(?i)weights.only"):
        safely_loaded(layer)
    buffer = io.BytesIO()
    torch.save(layer, buffer)
    buffer.seek(0)
    assert torch.equal(torch.load(buffer, weights_only=False)(u), layer(u))
