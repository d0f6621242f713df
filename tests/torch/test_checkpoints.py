"""One law for every layer: its state_dict carries the set, and restores the constraint that a model was trained with."""

import copy
import io
import pickle
from functools import partial

import pytest
import torch
from torch import nn

import softradial as sr
from support.inputs import normal
from support.zoo import METHODS, ZOO

SIMPLEX, CAPPED, OTHER = sr.Simplex(4), sr.CappedSimplex(4, 0.4), sr.CappedSimplex(4, [0.5, 0.6, 0.7, 0.8], sum=1.1)
EYE = torch.eye(4, dtype=torch.float64)
POLYHEDRON = sr.Polyhedron(torch.cat([EYE, -EYE]), torch.full((8,), 0.7, dtype=torch.float64))

# Every layer, as a function of its set, and two sets that it takes.
LAYERS = {
    **{name: (make, CAPPED, OTHER) for name, make in METHODS.items()},
    "soft_orthogonal": (
        partial(sr.SoftOrthogonal, kappa=0.05, anchor=[0.3, 0.3, 0.2, 0.2]), CAPPED, sr.CappedSimplex(4, 0.6)
    ),
    "mirror": (partial(sr.Mirror, temperature=0.5), CAPPED, OTHER),
    "softmax": (partial(sr.Softmax, temperature=0.5), SIMPLEX, sr.Simplex(4, sum=3)),
    "orthogonal": (sr.Orthogonal, CAPPED, POLYHEDRON),
    "dc3": (partial(sr.Dc3, steps=3, learning_rate=0.05), CAPPED, OTHER),
    "hardnet": (sr.HardNet, CAPPED, OTHER),
    "hardnet_aff": (sr.HardNetAff, sr.Box([0.0] * 4, [1.0] * 4), sr.Box([-1.0] * 4, [0.5] * 4)),
    "hardnet_cvx": (sr.HardNetCvx, CAPPED, POLYHEDRON),
    "rayen": (partial(sr.Rayen, anchor=[0.3, 0.3, 0.2, 0.2]), CAPPED, sr.CappedSimplex(4, 0.6)),
    "ray_scalar": (sr.RayScalar, CAPPED, OTHER),
    "hop": (sr.Hop, CAPPED, OTHER),
    "hp": (partial(sr.Hp, hidden=4, training_steps=3), CAPPED, OTHER),
    "soft_penalty": (sr.SoftPenalty, CAPPED, POLYHEDRON),
    "by name": (lambda set: sr.ConstraintLayer(set, "gauge_map", contraction="hyperbolic", lambda_=2), CAPPED, OTHER),
}
every_layer = pytest.mark.parametrize("which", LAYERS)


def through_a_file(state):
    """By the loader that takes nothing but tensors."""
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def rows(layer, rng):
    return normal((6, getattr(layer, "input_dim", 4)), rng, scale=2)


@every_layer
def test_a_checkpoint_restores_the_set(which, rng):
    make, set, other = LAYERS[which]
    layer, restored = make(set), make(other)
    u = rows(layer, rng)
    assert not torch.equal(layer(u), restored(u)) or which == "soft_penalty"
    restored.load_state_dict(through_a_file(layer.state_dict()))
    assert torch.equal(restored(u), layer(u)) and restored.set == set and repr(restored) == repr(layer)


@every_layer
def test_state_dicts_are_one_tensor(which):
    make, set, _ = LAYERS[which]
    (key, value), = make(set).state_dict().items()
    assert key == "_extra_state" and value.dtype == torch.uint8


@every_layer
def test_a_restored_layer_is_scripted_and_copied_as_it_is(which, rng):
    make, set, other = LAYERS[which]
    layer, restored = make(set), make(other)
    restored.load_state_dict(layer.state_dict())
    u = rows(layer, rng)
    for twin in (torch.jit.script(restored), copy.deepcopy(restored), pickle.loads(pickle.dumps(restored))):
        assert torch.equal(twin(u), layer(u))


@every_layer
def test_strict_loading(which):
    make, set, _ = LAYERS[which]
    layer, model = make(set), nn.Sequential(nn.Linear(2, 4), make(set))
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "_extra_state"'):
        state = layer.state_dict()
        del state["_extra_state"]
        layer.load_state_dict(state)
    assert layer.load_state_dict(state, strict=False).missing_keys == ["_extra_state"]
    with pytest.raises(RuntimeError, match="Unexpected key"):
        layer.load_state_dict({**layer.state_dict(), "weight": torch.zeros(1)})
    assert list(model.state_dict()) == ["0.weight", "0.bias", "1._extra_state"]


KINDS = ("soft_rational", "gauge_rational", "hard", "orthogonal")
OTHER_KINDS = [(into, loaded) for into in (*KINDS, "rayen") for loaded in (*KINDS, "by name") if into != loaded]


@pytest.mark.parametrize("into, loaded", OTHER_KINDS)
def test_a_layer_of_another_kind_is_refused(into, loaded, rng):
    (make, set, _), (other, other_set, _) = LAYERS[into], LAYERS[loaded]
    layer = make(set)
    u = normal((3, 4), rng)
    x = layer(u)
    with pytest.raises(ValueError, match=f"^{type(layer).__name__}: the state_dict is that of another layer, "):
        layer.load_state_dict(other(other_set).state_dict())
    assert torch.equal(layer(u), x) and layer.set is set


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_loading_what_a_layer_is_changes_nothing(case):
    """No new search, no other object."""
    layer = sr.SoftRadial(case.set)
    projection = layer.projection
    layer.load_state_dict(through_a_file(layer.state_dict()))
    assert layer.set is case.set and layer.projection is projection


def test_learned_data_go_on_learning(rng):
    """The parameters stay those of the layer, and of its set."""
    make = lambda cap: sr.SoftRadial(sr.CappedSimplex(4, nn.Parameter(torch.tensor(cap, dtype=torch.float64))))
    layer, restored = make([0.5, 0.6, 0.7, 0.8]), make([0.9, 0.9, 0.9, 0.9])
    parameter = restored.cap
    restored.load_state_dict(through_a_file(layer.state_dict()))
    u = normal((5, 4), rng, scale=3)
    assert restored.cap is parameter and torch.equal(restored(u), layer(u))
    assert restored.set.learned()["cap"] is parameter


def test_data_of_a_quadratic_programme(rng):
    """They are tensors of the module, and always were part of its state_dict."""
    make = lambda size: sr.QpLayer(EYE, size * EYE, torch.ones(4))
    layer, restored = make(2.0), make(1.0)
    restored.load_state_dict(through_a_file(layer.state_dict()))
    p = normal((3, 4), rng)
    assert torch.equal(restored(p), layer(p))


# ---------------------------------------------------------------------------------------------- what was written before


def written_before(layer):
    """A state_dict of the first version: only radial layers had their set in it, and a learned cap was called `upper`."""
    state = layer.state_dict()
    for metadata in state._metadata.values():
        metadata["version"] = 1
    if not isinstance(layer, (sr.SoftRadial, sr.HardRadial, sr.GaugeMap)):
        del state["_extra_state"]
    if "cap" in state:
        state["upper"] = state.pop("cap")
    return state


@every_layer
def test_checkpoints_of_the_first_version(which, rng):
    """A layer whose set is not in one keeps its own."""
    make, set, other = LAYERS[which]
    layer, restored = make(set), make(set)
    restored.load_state_dict(written_before(layer))
    u = rows(layer, rng)
    assert torch.equal(restored(u), layer(u))


def test_learned_caps_of_the_first_version(rng):
    make = lambda cap: sr.SoftRadial(sr.CappedSimplex(4, nn.Parameter(torch.tensor(cap, dtype=torch.float64))))
    layer, restored = make([0.5, 0.6, 0.7, 0.8]), make([0.9, 0.9, 0.9, 0.9])
    state = written_before(layer)
    restored.load_state_dict(state)
    assert torch.equal(restored.cap, layer.cap) and "upper" in state
    model, copied = nn.Sequential(layer), nn.Sequential(make([0.9] * 4))
    nested = {f"0.{key}": value for key, value in written_before(layer).items()}
    copied.load_state_dict(nested)
    assert torch.equal(copied[0].cap, model[0].cap)


@every_layer
def test_pickles_of_the_first_version(which, rng):
    """A layer had the library's object and not the set."""
    make, set, _ = LAYERS[which]
    layer = make(set)
    old = {name: value for name, value in layer.__getstate__().items() if name not in ("_set", "_no_upper", "_arguments")}
    old["_parameters"] = {name: value for name, value in old["_parameters"].items() if name != "cap"}
    twin = type(layer).__new__(type(layer))
    twin.__setstate__(old)
    u = rows(layer, rng)
    assert torch.equal(twin(u), layer(u)) and twin.set == set
    assert torch.equal(torch.jit.script(twin)(u), layer(u))
    if which in METHODS:
        assert torch.equal(twin(u, cap=0.5), layer(u, cap=0.5))


def test_pickles_of_learned_caps_of_the_first_version(rng):
    layer = sr.SoftRadial(sr.CappedSimplex(4, nn.Parameter(torch.full((4,), 0.5, dtype=torch.float64))))
    old = {name: value for name, value in layer.__getstate__().items() if name not in ("_set", "_no_upper")}
    old["_parameters"] = {**old["_parameters"], "upper": layer.cap}
    del old["_parameters"]["cap"]
    twin = sr.SoftRadial.__new__(sr.SoftRadial)
    twin.__setstate__(old)
    u = normal((5, 4), rng, scale=3)
    assert twin.cap is layer.cap and twin.upper is None and torch.equal(twin(u), layer(u))


class Scripted(nn.Module):
    """What TorchScript kept of a layer when a call's cap was called `upper`."""

    def __init__(self, layer):
        super().__init__()
        self.projection = layer.projection

    def forward(self, u: torch.Tensor, caps: torch.Tensor) -> torch.Tensor:
        return self.projection.project_samples(u, {"upper": caps}, False)


@pytest.mark.parametrize("set", [SIMPLEX, CAPPED], ids=str)
def test_scripted_models_of_the_first_version(set, rng):
    layer = sr.SoftRadial(set)
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(Scripted(layer)), file)
    file.seek(0)
    u, caps = normal((5, 4), rng, scale=3), torch.full((5, 4), 0.5, dtype=torch.float64)
    assert torch.equal(torch.jit.load(file)(u, caps), layer(u, cap=caps))
