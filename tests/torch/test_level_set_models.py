"""Level sets in models: networks as functions, learned parameters, densities, copies, traces; text and errors."""

import copy
import io
import pickle
import re

import pytest
import torch
from torch import nn
from torch.distributions import Independent, Normal

import softradial as sr
from softradial.distributions import ConstrainedNormal, Pushforward
from support.inputs import at_scales, normal
from support.levels import level_set, quartic
from support.sets import gather
from support.sets.quadratics import CENTER

NAN, INF = float("nan"), float("inf")
COMBINES = gather("combines")
two_precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])


# ------------------------------------------------------------------------------------- modules, models, copies, traces


class ConvexNet(nn.Module):
    """softplus(W x + b).w + x.x / 10 - level with w >= 0: convex in x."""

    def __init__(self, dim=3, width=8):
        super().__init__()
        self.inner = nn.Linear(dim, width)
        self.outer = nn.Parameter(torch.linspace(0.1, 0.5, width))
        self.level = nn.Parameter(torch.tensor(3.0))
        with torch.no_grad():
            self.inner.weight.copy_(torch.sin(torch.arange(width * dim).float()).reshape(width, dim))
            self.inner.bias.zero_()

    def forward(self, x):
        hidden = nn.functional.softplus(self.inner(x))
        return (hidden * self.outer.exp()).sum(-1) / 4 + x.square().sum(-1) / 10 - self.level


def net_layer(make=sr.SoftRadial):
    return make(sr.LevelSet(ConvexNet(), 3, [0.0, 0.0, 0.0]))


@two_precisions
def test_a_network_of_single_precision(dtype, rng):
    """It takes float32 alone: rows of either precision are strictly inside by its own judgement."""
    layer = net_layer()
    assert [name for name, _ in layer.named_parameters()] == [f"function.{n}" for n, _ in ConvexNet().named_parameters()]
    u = at_scales(20, 3, [1.0, 1e3, 1e10, 1e30], rng, dtype).requires_grad_()
    x = layer(u)
    assert x.dtype == dtype and bool((layer.function(x.float()) < 0).all())
    x.sum().backward()
    assert all(bool(p.grad.isfinite().all()) and float(p.grad.abs().sum()) > 0 for p in layer.parameters())
    wide = copy.deepcopy(layer).double()
    u = normal((20, 3), rng, scale=2)
    assert torch.allclose(wide(u), layer(u), rtol=0, atol=1e-5)
    assert bool((wide.function(wide(u)) < 0).all())


def test_the_functions_own_parameter_is_learned(rng):
    """Points of a ball of radius 2 reach as far as they can: the level set learns to hold them, and no more."""
    class Disc(nn.Module):
        def __init__(self):
            super().__init__()
            self.radius = nn.Parameter(torch.tensor(0.5))

        def forward(self, x):
            return x.square().sum(-1) - self.radius.square()

    layer = sr.HardRadial(sr.LevelSet(Disc(), 2, [0.0, 0.0]))
    target = normal((64, 2), rng, torch.float32)
    target = 2 * target / target.norm(dim=-1, keepdim=True)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
    for _ in range(100):
        optimizer.zero_grad()
        loss = (layer(3 * target) - target).square().sum(-1).mean()
        loss.backward()
        optimizer.step()
    assert float(loss) < 1e-3 and float(layer.function.radius) == pytest.approx(2, abs=0.02)


def test_a_model_starts_at_a_decision_and_trains(rng):
    layer = sr.SoftRadial(level_set("quartic"))
    model = nn.Sequential(nn.Linear(2, 3), layer)
    layer.start_at([0.1, 0.4, -0.6], model[0])
    z = normal((16, 2), rng, torch.float32)
    assert torch.allclose(model(z), torch.tensor([0.1, 0.4, -0.6]).expand(16, 3), atol=1e-5)
    before = model(z)[:, 0].mean()
    before.backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    assert model(z)[:, 0].mean() < before
    with pytest.raises(ValueError, match="x is not inside the set"):
        layer.start_at([2.0, 0, 0], model[0])


def test_a_density_on_a_level_set(rng):
    """It integrates to 1."""
    layer = sr.GaugeMap(sr.LevelSet(lambda x: x.pow(4).sum(-1) - 1, 2, [0.1, 0.2]))
    zero = torch.zeros(2, dtype=torch.float64)
    policy = Pushforward(Independent(Normal(zero, 0.8 * torch.ones_like(zero)), 1), layer)
    side = torch.linspace(-1, 1, 401, dtype=torch.float64)
    grid = torch.stack(torch.meshgrid(side, side, indexing="ij"), -1)
    density = policy.log_prob(grid).exp()
    assert float(density.sum()) * (2 / 400) ** 2 == pytest.approx(1, abs=0.01)
    assert bool((density[grid.pow(4).sum(-1) > 1] == 0).all())
    x, log_prob = ConstrainedNormal(layer, zero.expand(5, 2), 0.3).rsample_with_log_prob()
    assert torch.allclose(ConstrainedNormal(layer, zero.expand(5, 2), 0.3).log_prob(x), log_prob, atol=1e-8)


def _saved_and_loaded(thing):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=False)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing)), _saved_and_loaded])
@pytest.mark.parametrize("make", [lambda: sr.GaugeMap(level_set("quartic"), "exponential"), net_layer])
def test_copies(make, way, rng):
    layer = make()
    twin = way(layer)
    u = normal((5, 3), rng, torch.float32, scale=3)
    assert torch.equal(twin(u), layer(u)) and torch.equal(twin.anchor, layer.anchor) and repr(twin) == repr(layer)
    if hasattr(twin, "function"):
        assert twin.function is twin.set.function and twin.function is not layer.function


def test_state_dict_holds_all_but_the_function(rng):
    layer = sr.SoftRadial(sr.LevelSet(ConvexNet(), 3, [0.1, 0.0, 0.0]), "exponential", lambda_=0.3, epsilon=0.2)
    with torch.no_grad():
        layer.function.level.fill_(2.5)
    state = _saved_and_loaded(layer.state_dict())
    assert all(isinstance(value, torch.Tensor) for value in state.values())
    restored = net_layer()
    function = restored.function
    restored.load_state_dict(state)
    u = normal((5, 3), rng, torch.float32, scale=3)
    assert torch.equal(restored(u), layer(u)) and torch.equal(restored.anchor, layer.anchor)
    assert restored.function is function and restored.set.function is function and repr(restored) == repr(layer)
    plain = sr.SoftRadial(level_set("quartic"))
    with pytest.raises(ValueError, match="a state_dict does not hold the function"):
        sr.SoftRadial(sr.Simplex(3)).load_state_dict(plain.state_dict())
    with pytest.raises(ValueError, match="dimension 3, the layer's set of 4"):
        sr.SoftRadial(level_set("ball")).load_state_dict(plain.state_dict())


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("make", [
    net_layer,
    lambda: sr.GaugeMap(level_set("ball_norm")),
    lambda: sr.HardRadial(level_set("cone")),
], ids=["net", "ball", "cone"])
def test_traces_hold_plain_operations(make, rng):
    """Of a call, with parameters that are constants; the number of rows may change."""
    layer = make().requires_grad_(False)
    u = normal((6, layer.set.dim), rng, torch.float32, scale=3)
    with torch.jit.optimized_execution(False):
        buffer = io.BytesIO()
        torch.jit.save(torch.jit.trace(lambda u: layer(u), u, check_trace=False), buffer)
        buffer.seek(0)
        traced = torch.jit.load(buffer)
        assert "softradial::" not in str(traced.inlined_graph)
        u = normal((9, layer.set.dim), rng, torch.float32, scale=3).requires_grad_()
        grad_x = normal(u.shape, rng, torch.float32)
        x, expected = traced(u), layer(u)
        assert torch.allclose(x, expected, rtol=0, atol=1e-5)
        assert bool((layer.set.violation(x) == 0).all())
        found, = torch.autograd.grad(x, u, grad_x)
        assert torch.allclose(found, torch.autograd.grad(expected, u, grad_x)[0], rtol=1e-3, atol=1e-3)


def test_a_trace_of_the_module_is_refused():
    layer = sr.SoftRadial(level_set("quartic"))
    with pytest.raises(RuntimeError, match="LevelProjection"):
        torch.jit.trace(layer, torch.zeros(2, 3))


# ----------------------------------------------------------------------------------------------------- text and errors


def test_text():
    layer = sr.SoftRadial(level_set("quartic"), lambda_=1)
    assert str(layer.set) == "LevelSet(function=quartic, dim=3)"
    assert repr(layer) == (
        "SoftRadial(LevelSet(function=quartic, dim=3), contraction=rational, lambda_=1, epsilon=0.01)"
    )
    assert str(sr.LevelSet(ConvexNet(), 3, [0.0] * 3)) == "LevelSet(function=ConvexNet, dim=3)"


def test_anchors():
    set = level_set("ball")
    assert sr.SoftRadial(set).anchor.tolist() == (CENTER + 0.2).tolist()
    other = CENTER - 0.1
    assert torch.equal(sr.SoftRadial(set, anchor=other).anchor, other)
    assert torch.equal(sr.SoftRadial(set.with_anchor(other)).anchor, other)
    assert set == level_set("ball") and set != set.with_anchor(other) and set != sr.Simplex(4)
    assert isinstance(set, sr.Set) and hash(set) == hash(level_set("ball"))


ZEROS = [0.0, 0.0, 0.0]
BAD = {
    "dim 0": (lambda: sr.LevelSet(quartic, 0, []), "dim is 0"),
    "dim 2.5": (lambda: sr.LevelSet(quartic, 2.5, ZEROS), "dim is 2.5"),
    "no function": (lambda: sr.LevelSet("quartic", 3, ZEROS), "function is a str"),
    "anchor of another length": (lambda: sr.LevelSet(quartic, 3, [0.0, 0.0]), r"anchor has shape \(2,\), must be \(3,\)"),
    "anchor nan": (lambda: sr.LevelSet(quartic, 3, [0.0, NAN, 0.0]), r"anchor\[1\] is nan"),
    "anchor outside": (lambda: sr.LevelSet(quartic, 3, [2.0, 0.0, 0.0]), r"function\(anchor\) is 17, must be negative"),
    "anchor on the boundary": (lambda: sr.LevelSet(lambda x: x.sum(-1), 3, ZEROS), r"function\(anchor\) is 0, must"),
    "anchor that learns": (lambda: sr.LevelSet(quartic, 3, torch.zeros(3, requires_grad=True)), "anchor: gradients"),
    "value nan": (lambda: sr.LevelSet(lambda x: x.sum(-1) * NAN, 3, ZEROS), r"function\(anchor\) is nan"),
    "value -inf": (lambda: sr.LevelSet(lambda x: x.sum(-1) - INF, 3, ZEROS), r"function\(anchor\) is -inf"),
    "one value for all": (lambda: sr.LevelSet(lambda x: x.sum() - 1, 3, ZEROS), r"shape \(\) for points \(2, 3\)"),
    "a value too many": (lambda: sr.LevelSet(lambda x: x - 1, 3, ZEROS), r"shape \(2, 3\) for points \(2, 3\)"),
    "keepdim": (lambda: sr.LevelSet(lambda x: x.sum(-1, True) - 1, 3, ZEROS), r"shape \(2, 1\).* must be \(2,\)"),
    "no tensor": (lambda: sr.LevelSet(lambda x: -1.0, 3, ZEROS), "returned a float"),
    "no graph": (lambda: sr.LevelSet(lambda x: x.detach().sum(-1) - 1, 3, ZEROS), "not differentiable"),
    "a function that fails": (lambda: sr.LevelSet(lambda x: x @ torch.ones(4) - 1, 3, ZEROS), "function fails"),
    "search": (lambda: sr.SoftRadial(level_set("quartic"), anchor="chebyshev"), "'chebyshev' is not available"),
    "layer anchor outside": (lambda: sr.SoftRadial(level_set("quartic"), anchor=[2.0, 0, 0]), "is 17, must be negative"),
    "contraction": (lambda: sr.SoftRadial(level_set("quartic"), "cubic"), "'cubic' is unknown"),
    "lambda": (lambda: sr.GaugeMap(level_set("quartic"), lambda_=0), "lambda is 0"),
    "epsilon": (lambda: sr.SoftRadial(level_set("quartic"), epsilon=1), "epsilon is 1"),
    "json": (lambda: sr.parse_set(level_set("quartic").to_json()), "level_set"),
}


@pytest.mark.parametrize("which", BAD)
def test_errors(which):
    make, named = BAD[which]
    with pytest.raises(ValueError, match=named) as error:
        make()
    assert "\n" not in str(error.value) and len(str(error.value)) < 400


@pytest.mark.parametrize("which", COMBINES)
def test_no_part_of_a_combined_set(which):
    with pytest.raises(ValueError, match="LevelSet.*cannot be part of a combined set; .*by their maximum"):
        COMBINES[which](level_set("quartic"))


@pytest.mark.parametrize("operation", ["__call__", "inverse", "log_abs_det"])
@pytest.mark.parametrize("u, message", [
    (torch.zeros(2, 4), "the last dimension must be 3, got shape (2, 4)"),
    (torch.zeros(()), "the last dimension must be 3, got shape ()"),
    (torch.zeros(2, 3, dtype=torch.int64), "expected floating-point numbers, got"),
], ids=["width", "scalar", "integers"])
def test_bad_rows(operation, u, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        getattr(sr.SoftRadial(level_set("quartic")), operation)(u)


@pytest.mark.parametrize("data", ["scale", "anchor", "cap", "b"])
def test_no_data_of_samples(data):
    layer = sr.SoftRadial(level_set("quartic"))
    with pytest.raises(NotImplementedError, match="not available in a call; what changes belongs into the function"):
        layer(torch.zeros(2, 3), **{data: torch.ones(3)})


def test_no_script():
    model = nn.Sequential(nn.Linear(2, 3), sr.SoftRadial(level_set("quartic")))
    with pytest.raises(NotImplementedError, match="torch.jit.script cannot compile a Python function; trace a call of it"):
        torch.jit.script(model)


def test_other_methods_do_not_take_it():
    with pytest.raises(TypeError, match="LevelSet"):
        sr.Orthogonal(level_set("quartic"))
