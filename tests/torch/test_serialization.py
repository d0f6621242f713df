"""Layers and sets travel: state_dict, pickle, deepcopy, torch.save, TorchScript, SET.json."""

import copy
import io
import json
import pickle
from functools import partial

import pytest
import torch
from torch import nn

import softradial as sr
from support.case import DIM
from support.inputs import normal, uniform
from support.samples import CALLS
from support.sets.rows import BOUNDS, ROWS
from support.zoo import METHODS, ZOO, soft_layer

every_set = pytest.mark.parametrize("case", ZOO, ids=repr)
every_method = pytest.mark.parametrize("method", METHODS)


def _through_memory(thing, save, load):
    buffer = io.BytesIO()
    save(thing, buffer)
    buffer.seek(0)
    return load(buffer)


def saved_and_loaded(thing):
    return _through_memory(thing, torch.save, partial(torch.load, weights_only=False))


def state_saved_and_loaded(module):
    """By the loader that takes nothing but tensors."""
    return _through_memory(module.state_dict(), torch.save, partial(torch.load, weights_only=True))


def scripted_saved_and_loaded(module):
    return _through_memory(torch.jit.script(module), torch.jit.save, torch.jit.load)


COPIES = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "deepcopy": copy.deepcopy,
    "torch.save": saved_and_loaded,
}
every_copy = pytest.mark.parametrize("way", COPIES)


def without_anchor(set):
    """A set's data; the anchor that a layer found may travel in them or beside them."""
    return {key: value for key, value in json.loads(set.to_json()).items() if key != "anchor"}


def same_layer(one, other, u):
    assert torch.equal(one.anchor, other.anchor)
    assert without_anchor(one.set) == without_anchor(other.set)
    assert torch.equal(one(u), other(u))
    assert torch.equal(one.log_abs_det(u), other.log_abs_det(u))


@every_copy
@every_set
def test_copies_of_layers(case, way, rng):
    layer = soft_layer(case)
    twin = COPIES[way](layer)
    same_layer(layer, twin, normal((5, case.dim), rng, scale=3))
    assert repr(twin) == repr(layer)


@every_copy
@every_method
def test_copies_keep_the_method(method, way, rng):
    layer = METHODS[method](sr.Simplex(4), check_finite=True, anchor_gradient=True)
    twin = COPIES[way](layer)
    same_layer(layer, twin, normal((5, 4), rng, scale=3))
    assert twin.check_finite and twin.anchor_gradient


@every_copy
def test_copies_keep_a_given_anchor_and_options(way, rng):
    layer = sr.SoftRadial(sr.Simplex(3), "exponential", lambda_=0.3, epsilon=0.2, anchor=[0.5, 0.3, 0.2])
    same_layer(layer, COPIES[way](layer), normal((5, 3), rng, scale=3))


@every_copy
@every_set
def test_copies_of_sets(case, way):
    twin = COPIES[way](case.set)
    assert twin == case.set and case.set == twin and isinstance(twin, type(case.set)) and hash(twin) == hash(case.set)
    assert twin.to_json() == case.set.to_json() and str(twin) == str(case.set)


@every_method
@every_set
def test_state_dict_restores_set_anchor_and_method(case, method, rng):
    """A checkpoint is the constraint that the model was trained with, whatever the new layer was built for."""
    layer = METHODS[method](case.set)
    restored = METHODS[method](sr.Box([0.0] * case.dim, [1.0] * case.dim))
    restored.load_state_dict(state_saved_and_loaded(layer))
    same_layer(layer, restored, normal((5, case.dim), rng, scale=3))


def test_state_dict_leaves_the_set_as_it_was_given():
    """The anchor that the layer found is the layer's, not the set's."""
    layer, restored = sr.SoftRadial(sr.Simplex(3)), sr.SoftRadial(sr.Box([0.0] * 3, [1.0] * 3))
    restored.load_state_dict(layer.state_dict())
    assert restored.set == sr.Simplex(3)
    assert repr(restored) == repr(layer)


def test_state_dict_holds_tensors_only():
    model = nn.Sequential(nn.Linear(2, 3), sr.SoftRadial(sr.Simplex(3)))
    assert all(isinstance(value, torch.Tensor) for value in model.state_dict().values())


def test_state_dict_of_a_model(rng):
    make = lambda set: nn.Sequential(nn.Linear(2, 3), sr.SoftRadial(set, lambda_=2.0))
    model, restored = make(sr.CappedSimplex(3, 0.5)), make(sr.Simplex(3))
    restored.load_state_dict(state_saved_and_loaded(model))
    z = normal((4, 2), rng, torch.float32)
    assert torch.equal(model(z), restored(z))
    assert "CappedSimplex" in str(restored)


def test_state_dict_of_learned_data(rng):
    make = lambda: sr.SoftRadial(sr.Polyhedron(ROWS, nn.Parameter(BOUNDS.clone())))
    layer, restored = make(), make()
    with torch.no_grad():
        layer.b.mul_(1.3)
    restored.load_state_dict(state_saved_and_loaded(layer))
    u = normal((4, 4), rng)
    assert torch.equal(layer(u), restored(u))
    assert [name for name, _ in restored.named_parameters()] == ["b"]


@every_copy
def test_copies_of_learned_data_are_their_own(way, rng):
    layer = sr.SoftRadial(sr.CappedSimplex(4, nn.Parameter(torch.full((4,), 0.5, dtype=torch.float64))))
    twin = COPIES[way](layer)
    u = normal((4, 4), rng, scale=3)
    assert torch.equal(layer(u), twin(u))
    with torch.no_grad():
        twin.cap.mul_(1.2)
    assert not torch.equal(layer(u), twin(u))


# ---------------------------------------------------------------------------------------------------------- TorchScript


def test_script_before_the_first_call():
    layer = sr.SoftRadial(sr.Simplex(3))
    scripted = torch.jit.script(layer)
    assert torch.equal(scripted(torch.zeros(2, 3)), layer(torch.zeros(2, 3)))


@every_set
def test_script(case, rng):
    layer = sr.SoftRadial(case.set)
    u = normal((5, case.dim), rng, scale=3)
    x = layer(u)
    loaded = scripted_saved_and_loaded(layer)
    assert torch.equal(loaded(u), x)
    assert torch.equal(loaded.log_abs_det(u), layer.log_abs_det(u))
    assert torch.equal(loaded.inverse(x).nan_to_num(), layer.inverse(x).nan_to_num())
    assert torch.equal(loaded.projection.anchor, layer.anchor)


@every_method
def test_script_keeps_the_method(method, rng):
    layer = METHODS[method](sr.Ball([0.0, 1, 2], 1.5))
    u = normal((5, 3), rng, scale=3)
    x = layer(u)
    assert torch.equal(scripted_saved_and_loaded(layer)(u), x)


@pytest.mark.parametrize("which", CALLS)
def test_script_with_data_of_samples(which, rng):
    layer = sr.SoftRadial(CALLS[which].set)
    u, data = normal((5, DIM), rng, scale=3), CALLS[which].draw(5, rng)
    x = layer(u, **data)
    loaded = scripted_saved_and_loaded(layer)
    assert torch.equal(loaded(u, **data), x)
    assert loaded.projection.status().tolist() == [0] * 5


def test_script_knows_the_status():
    layer, u = sr.SoftRadial(sr.CappedSimplex(3, 0.5)), torch.zeros(3, 3)
    layer(u)
    loaded = scripted_saved_and_loaded(layer)
    u[1, 0] = float("nan")
    loaded(u)
    assert loaded.projection.status().tolist() == [0, 1, 0]
    loaded(u, cap=torch.tensor([[0.5], [0.5], [0.1]]).expand(3, 3))
    assert loaded.projection.status().tolist() == [0, 1, 2]


def test_script_checks_finite():
    layer = sr.SoftRadial(sr.Simplex(3), check_finite=True)
    layer(torch.zeros(2, 3))
    loaded = scripted_saved_and_loaded(layer)
    with pytest.raises(Exception, match="row 1 has a NaN or an infinity"):
        loaded(torch.tensor([[0.0, 0, 0], [float("nan"), 0, 0]]))


def test_script_of_a_model_trains(rng):
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4), sr.SoftRadial(sr.CappedSimplex(4, 0.5)))
    z, target = normal((16, 3), rng, torch.float32), torch.tensor([0.4, 0.3, 0.2, 0.1])
    grads = []
    for script in (lambda module: module, torch.jit.script):
        model.zero_grad()
        (script(model)(z) - target).square().sum().backward()
        grads.append([parameter.grad.clone() for parameter in model.parameters()])
    assert all(torch.allclose(a, b, rtol=1e-5, atol=1e-7) for a, b in zip(*grads))


def test_script_of_learned_data(rng):
    layer = sr.SoftRadial(sr.CappedSimplex(4, nn.Parameter(torch.full((4,), 0.5, dtype=torch.float64))))
    u = normal((5, 4), rng, scale=3)
    x = layer(u)
    loaded = scripted_saved_and_loaded(layer)
    assert torch.equal(loaded(u), x)
    assert [name for name, _ in loaded.named_parameters()] == ["cap"]


class Policy(nn.Module):
    """A module of a user's own that passes a sample's data on."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 4)
        self.layer = sr.SoftRadial(sr.CappedSimplex(4, 0.5))

    def forward(self, z: torch.Tensor, caps: torch.Tensor) -> torch.Tensor:
        return self.layer(self.linear(z), cap=caps)


def test_script_inside_a_module(rng):
    policy = Policy()
    z, caps = normal((5, 3), rng, torch.float32), uniform((5, 4), rng, 0.4, 0.8, torch.float32)
    x = policy(z, caps)
    assert torch.equal(scripted_saved_and_loaded(policy)(z, caps), x)


# -------------------------------------------------------------------------------------------------------- text and JSON


@every_set
def test_json_round_trip(case, tmp_path):
    text = case.set.to_json()
    assert json.loads(text)["type"].replace("_", "") == str(case.set).split("(")[0].lower()
    assert sr.parse_set(text) == case.set
    path = tmp_path / "set.json"
    path.write_text(text)
    assert sr.load_set(path) == case.set == sr.load_set(str(path))


def test_json_keeps_every_digit(rng):
    center = normal((5,), rng, scale=1e-7)
    set = sr.Ball(center, 1 / 3)
    data = json.loads(set.to_json())
    assert data == {"type": "ball", "center": center.tolist(), "radius": 1 / 3}


def test_json_keeps_the_anchor():
    set = sr.Simplex(3).with_anchor(torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64))
    assert json.loads(set.to_json())["anchor"] == [0.5, 0.3, 0.2]
    assert set != sr.Simplex(3)
    assert sr.SoftRadial(sr.parse_set(set.to_json())).anchor.tolist() == [0.5, 0.3, 0.2]


@pytest.mark.parametrize("thing, text", [
    (sr.Simplex(50), "Simplex(dim=50, sum=1)"),
    (sr.CappedSimplex(50, 0.05), "CappedSimplex(dim=50, cap=0.05, sum=1)"),
    (sr.Ball([0.0, 0.5], 2.0), "Ball(center=[0, 0.5], radius=2)"),
    (
        sr.SoftRadial(sr.CappedSimplex(3, 0.5), lambda_=1),
        "SoftRadial(CappedSimplex(dim=3, cap=0.5, sum=1), contraction=rational, lambda_=1, epsilon=0.01)",
    ),
    (
        sr.GaugeMap(sr.Simplex(3), "hyperbolic", lambda_=2.5),
        "GaugeMap(Simplex(dim=3, sum=1), contraction=hyperbolic, lambda_=2.5)",
    ),
    (sr.HardRadial(sr.Simplex(3)), "HardRadial(Simplex(dim=3, sum=1))"),
], ids=str)
def test_text(thing, text):
    assert str(thing) == text


@every_set
def test_text_is_one_short_line(case):
    text = str(case.set)
    assert "\n" not in text and len(text) < 200
