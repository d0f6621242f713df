"""A trained policy decides the same wherever it is: in the program, in Python, as TorchScript in Python and C++, as ONNX."""

import json
import math
import os

import numpy
import pytest
import torch

import softradial as sr
from softradial import export
from support import model_files
from support.judge import ulp

CAPPED = {"type": "capped_simplex", "dim": 5, "cap": 0.4}
SECTORS = {
    "type": "intersection",
    "sets": [CAPPED, {"type": "polyhedron", "A": [[1, 1, 0, 0, 0], [0, 0, 0, -1, -1]], "b": [0.5, -0.2]}],
}

# The same network in single precision with other kernels: sums of some dozen terms of size 1 in another order, and other
# expansions of sigmoid and tanh. Weights follow u with slopes below 1. The largest difference of 1,800 decisions was half an
# ulp of 1.
NETWORK = 16 * ulp(torch.float32)

pytestmark = pytest.mark.filterwarnings("ignore")


def saved(folder, model, name="model.safetensors"):
    (folder / name).write_bytes(model_files.model_file(*model))
    return folder / name


@pytest.fixture
def portfolio(tmp_path, rng):
    options = {"method_options": {"lambda": 2.0, "epsilon": 0.02}, "contraction": "exponential"}
    return sr.load_policy(saved(tmp_path, model_files.portfolio(rng, CAPPED, lookback=4, **options)))


@pytest.fixture
def dispatch(tmp_path, rng):
    return sr.load_policy(saved(tmp_path, model_files.dispatch(rng, CAPPED)))


def walk(rng, batch, days, assets):
    """Prices that move by a percent a day."""
    steps = 0.01 * torch.randn(batch, days, assets, generator=rng, dtype=torch.float64)
    return 100 * steps.cumsum(1).exp()


def counts(rng, batch, hours, zones):
    return torch.randint(0, 50, (batch, hours, zones), generator=rng)


# ------------------------------------------------------------------------------------------------------------- features


def slow_features(prices, lookback):
    """(lookback, 3 N) by the definition, one number after the other."""
    returns = prices[1:] / prices[:-1] - 1
    market = returns.mean(1)
    rows = []
    for day in range(len(returns) - lookback, len(returns)):
        window, of_market = returns[day - lookback + 1 : day + 1], market[day - lookback + 1 : day + 1]
        vol, cor = [], []
        for asset in range(prices.shape[1]):
            r = window[:, asset]
            deviation, market_deviation = r.std(), of_market.std()
            vol.append(deviation)
            product = ((r - r.mean()) * (of_market - of_market.mean())).mean()
            flat = deviation * market_deviation <= 1e-12
            cor.append(0.0 if flat else product / (deviation * market_deviation))
        rows.append([*returns[day], *vol, *cor])
    return numpy.array(rows)


@pytest.mark.parametrize("lookback", [1, 2, 7])
def test_features_are_those_of_the_definition(lookback, rng):
    model = sr.policies.PortfolioModel(lookback, 3, 1, 1, 0.0)
    prices = walk(rng, 2, 2 * lookback, 3)
    prices[1, :, 2] = 50.0  # an asset that never moves has no correlation
    expected = numpy.stack([slow_features(sample.numpy(), lookback) for sample in prices])
    assert numpy.allclose(model.features(prices).numpy(), expected, rtol=1e-9, atol=1e-13)


def test_a_decision_depends_on_days_needed_and_no_more(portfolio, rng):
    days = portfolio.days_needed
    assert days == 8
    prices = walk(rng, 1, days + 3, 5)[0]
    decision = portfolio(prices)
    assert torch.equal(portfolio(prices[3:]), decision)
    later = prices.clone()
    later[2] *= 1.1
    assert torch.equal(portfolio(later), decision)
    later[3] *= 1.1
    assert not torch.equal(portfolio(later), decision)
    with pytest.raises(ValueError, match=r"at least 8 rows, got shape \(7, 5\)"):
        portfolio(prices[-7:])


def test_samples_are_independent(portfolio, dispatch, rng):
    prices = walk(rng, 4, 8, 5)
    alone = torch.stack([portfolio(sample) for sample in prices])
    assert torch.allclose(portfolio(prices), alone, rtol=0, atol=NETWORK)
    demand, hour, weekday = counts(rng, 4, 4, 5), torch.tensor([0, 7, 23, 7]), torch.tensor([0, 6, 3, 3])
    alone = torch.stack([dispatch(*sample) for sample in zip(demand, hour, weekday)])
    assert torch.allclose(dispatch(demand, hour, weekday), alone, rtol=0, atol=NETWORK)
    assert torch.equal(dispatch(demand, 7, 3), dispatch(demand, torch.full((4,), 7), torch.full((4,), 3)))


def test_decisions_obey_the_set(portfolio, dispatch, rng):
    x = portfolio(walk(rng, 200, 8, 5) ** 20)
    assert portfolio.set.violation(x).max() == 0 and x.std() > 0.01
    x = dispatch(counts(rng, 200, 4, 5) * 1000, 3, 4)
    assert dispatch.set.violation(x).max() == 0 and x.std() > 0.01


def test_numbers_lists_and_arrays(portfolio, dispatch, rng):
    prices = walk(rng, 1, 8, 5)[0]
    assert torch.equal(portfolio(prices.tolist()), portfolio(prices))
    assert torch.equal(portfolio(prices=prices.numpy()), portfolio(prices))
    demand = counts(rng, 1, 4, 5)[0]
    assert torch.equal(dispatch(demand.tolist(), hour=3, weekday=4.0), dispatch(demand, 3, 4))


def test_hours_and_weekdays_go_round(dispatch):
    """Points of a circle: an hour is as far from the next one wherever the day begins, Monday is 0."""
    model = dispatch.model
    for table, period in ((model.hours, 24), (model.weekdays, 7)):
        steps = (table.roll(-1, 0) - table).norm(dim=1)
        assert torch.allclose(steps, torch.full((period,), 2 * math.sin(math.pi / period), dtype=torch.float64))
        assert table[0].tolist() == [0.0, 1.0]


def test_the_supply_is_the_total_of_the_last_hour(dispatch):
    demand = torch.zeros(4, 5)
    assert dispatch.supply(demand) == 1
    demand[-1] = 3
    assert dispatch.supply(demand) == 15
    assert torch.allclose(dispatch.allocation(demand, 1, 2), 15 * dispatch(demand, 1, 2))


def test_equal_weight(tmp_path, rng):
    for set, total in ((CAPPED, 1.0), ({"type": "simplex", "dim": 5, "sum": 3}, 3.0)):
        policy = sr.load_policy(saved(tmp_path, model_files.portfolio(rng, set, method="equal_weight")))
        assert torch.equal(policy(walk(rng, 2, 6, 5)), torch.full((2, 5), total / 5))


@pytest.mark.parametrize(
    "key, value, plain", [("smoothing", 0.9, 0), ("anchor", "drifted", "fixed"), ("model", "shared", "lstm")]
)
def test_what_only_the_program_applies_is_refused(key, value, plain, tmp_path, rng):
    with pytest.raises(ValueError, match=f"config: {key} is .*softradial backtest and predict"):
        sr.load_policy(saved(tmp_path, model_files.portfolio(rng, CAPPED, **{key: value})))
    sr.load_policy(saved(tmp_path, model_files.portfolio(rng, CAPPED, **{key: plain})))


def test_bad_numbers_are_named(portfolio, dispatch, rng):
    prices = walk(rng, 2, 8, 5)
    for bad in (0.0, -3.0, float("nan"), float("inf")):
        prices[1, 6, 3] = bad
        with pytest.raises(ValueError, match=rf"not {bad} of A3, 2 rows from the end of sample 1"):
            portfolio(prices)
    demand = counts(rng, 1, 4, 5)[0].double()
    for hour, weekday in ((24, 0), (-1, 0), (2.5, 0), (0, 7), (0, -1), ([1, 2], 0)):
        with pytest.raises(ValueError, match="hour|weekday"):
            dispatch(demand, hour, weekday)
    demand[0, 0] = -1
    with pytest.raises(ValueError, match="demand: must be finite and not negative, not -1.0 of Z0, 4 rows from the end"):
        dispatch(demand, 0, 0)


@pytest.mark.parametrize("shape", [(5,), (8, 4), (7, 5), (2, 8, 6), (1, 2, 8, 5)], ids=str)
def test_wrong_shapes_are_named(shape, portfolio, dispatch):
    with pytest.raises(ValueError, match=r"prices: expected \(rows, 5\) or \(batch, rows, 5\) with at least 8 rows, got"):
        portfolio(torch.ones(shape))
    if shape[-2:] != (7, 5):
        with pytest.raises(ValueError, match="demand: expected"):
            dispatch(torch.ones(shape)[..., :3, :] if len(shape) > 1 else torch.ones(shape), 0, 0)


def test_a_policy_is_trained_further(portfolio, rng):
    assert not any(parameter.requires_grad for parameter in portfolio.parameters())
    portfolio.train().requires_grad_()
    portfolio(walk(rng, 3, 8, 5)).square().sum().backward()
    assert all(parameter.grad.abs().max() > 0 for parameter in portfolio.parameters())
    with pytest.raises(ValueError, match="training mode"):
        export.export_policy(portfolio, "policy.pt", "torchscript")


# ---------------------------------------------------------------------------------------------------------- TorchScript


def test_torchscript_is_the_policy(portfolio, dispatch, tmp_path, rng):
    export.export_policy(portfolio, tmp_path / "policy.pt", "torchscript")
    texts = {"names": "", "set": "", "config": ""}
    scripted = torch.jit.load(str(tmp_path / "policy.pt"), _extra_files=texts)
    assert scripted.names == portfolio.names and scripted.days_needed == 8
    assert json.loads(texts["config"]) == portfolio.config and json.loads(texts["set"]) == CAPPED | {"sum": 1}
    prices = walk(rng, 3, 11, 5)
    assert torch.equal(scripted(prices), portfolio(prices))
    assert torch.equal(scripted(prices[0]), portfolio(prices[0]))
    prices[1, 9, 2] = -1
    with pytest.raises(torch.jit.Error, match="not -1. of A2, 2 rows from the end of sample 1"):
        scripted(prices)
    export.export_policy(dispatch, tmp_path / "policy.pt", "torchscript")
    scripted = torch.jit.load(str(tmp_path / "policy.pt"))
    inputs = counts(rng, 3, 4, 5), torch.tensor(4), torch.tensor([0, 3, 6])
    assert torch.equal(scripted(*inputs), dispatch(*inputs))
    assert torch.equal(scripted.allocation(*inputs), dispatch.allocation(*inputs))


class OtherWhenScripted(sr.PortfolioPolicy):
    """Its TorchScript is another policy."""

    def forward(self, prices: torch.Tensor) -> torch.Tensor:
        weights = self.layer(self.model(prices))
        if torch.jit.is_scripting():
            weights = weights.flip(-1)
        return weights


class OtherInATrace(sr.PortfolioPolicy):
    def forward(self, prices: torch.Tensor) -> torch.Tensor:
        weights = self.layer(self.model(prices))
        return weights.flip(-1) if torch.jit.is_tracing() else weights


@pytest.mark.parametrize("kind, format", [(OtherWhenScripted, "torchscript"), (OtherInATrace, "onnx")])
def test_an_export_that_decides_otherwise_is_refused(kind, format, portfolio, tmp_path):
    policy = kind(portfolio.names, portfolio.set, portfolio.config, portfolio.model, portfolio.layer)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(export.ExportFailure, match="does not give the policy's decisions"):
        export.export_policy(policy, tmp_path / "policy", format)
    assert sorted(tmp_path.iterdir()) == before


def test_an_export_replaces_a_file_or_leaves_it(portfolio, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "policy.onnx").write_text("old")
    (out / "taken").mkdir()
    with pytest.raises(OSError):
        export.export_policy(portfolio, out / "taken", "onnx")
    with pytest.raises(ValueError, match="there are onnx, torchscript"):
        export.export_policy(portfolio, out / "policy.onnx", "pickle")
    assert (out / "policy.onnx").read_text() == "old"
    export.export_policy(portfolio, out / "policy.onnx", "onnx")
    assert sorted(path.name for path in out.iterdir()) == ["policy.onnx", "taken"]
    assert (out / "policy.onnx").stat().st_mode & 0o777 == 0o666 & ~_mask()


def _mask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ----------------------------------------------------------------------------------------------------------------- ONNX


@pytest.mark.parametrize("method", ["soft_radial", "hard_radial", "gauge_map", "equal_weight"])
@pytest.mark.parametrize("set", [CAPPED, SECTORS], ids=["capped", "sectors"])
def test_onnx_is_the_policy(set, method, tmp_path, rng, onnx_runtime):
    policy = sr.load_policy(saved(tmp_path, model_files.portfolio(rng, set, method=method, dim=5)))
    export.export_policy(policy, tmp_path / "policy.onnx", "onnx")
    for batch in (1, 2, 7):
        prices = walk(rng, batch, policy.days_needed, 5)
        weights = onnx_runtime(tmp_path / "policy.onnx", {"prices": prices})["weights"]
        assert torch.allclose(weights, policy(prices), rtol=0, atol=NETWORK)
        assert policy.set.violation(weights).max() == 0
    with pytest.raises(RuntimeError, match="OrtRun"):
        onnx_runtime(tmp_path / "policy.onnx", {"prices": walk(rng, 1, policy.days_needed + 1, 5)})


def test_onnx_of_a_dispatch_policy(dispatch, tmp_path, rng, onnx_runtime):
    file = tmp_path / "policy.onnx"
    export.export_policy(dispatch, file, "onnx")
    inputs = {"demand": counts(rng, 3, 4, 5).double(), "hour": torch.tensor([0, 12, 23]), "weekday": torch.tensor([0, 3, 6])}
    outputs = onnx_runtime(file, inputs)
    assert torch.allclose(outputs["shares"], dispatch(**inputs), rtol=0, atol=NETWORK)
    assert torch.allclose(outputs["allocation"], dispatch.allocation(**inputs), rtol=NETWORK, atol=0)
    for name, bad in (("hour", 24), ("hour", -1), ("weekday", 7), ("weekday", -7)):
        with pytest.raises(RuntimeError):
            onnx_runtime(file, {**inputs, name: torch.tensor([1, bad, 1])})


def test_bad_numbers_are_nan_in_their_sample_alone(portfolio, dispatch, tmp_path, rng, onnx_runtime):
    """Where nothing can be raised."""
    export.export_policy(portfolio, tmp_path / "policy.onnx", "onnx")
    prices = walk(rng, 5, 8, 5)
    good = onnx_runtime(tmp_path / "policy.onnx", {"prices": prices})["weights"]
    for sample, bad in ((1, -5.0), (3, 0.0)):
        prices[sample, 0, 4] = bad
    weights = onnx_runtime(tmp_path / "policy.onnx", {"prices": prices})["weights"]
    assert weights.isnan().all(-1).tolist() == [False, True, False, True, False]
    assert torch.equal(weights[::2], good[::2])
    export.export_policy(dispatch, tmp_path / "policy.onnx", "onnx")
    demand = counts(rng, 3, 4, 5).double()
    demand[1, 2, 3] = -1
    outputs = onnx_runtime(tmp_path / "policy.onnx", {"demand": demand, "hour": torch.arange(3), "weekday": torch.arange(3)})
    for output in outputs.values():
        assert output.isnan().all(-1).tolist() == [False, True, False]


def varint(data, place):
    number = shift = 0
    while True:
        number |= (data[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if data[place - 1] < 128:
            return number, place


def fields(data):
    """The fields of a message of protobuf that are texts or messages, as (number, bytes)."""
    place, found = 0, []
    while place < len(data):
        key, place = varint(data, place)
        if key & 7 == 2:
            size, place = varint(data, place)
            found.append((key >> 3, data[place : place + size]))
            place += size
        else:
            assert key & 7 == 0
            _, place = varint(data, place)
    return found


def test_an_onnx_file_says_what_it_is(portfolio, tmp_path):
    export.export_policy(portfolio, tmp_path / "policy.onnx", "onnx")
    model = fields((tmp_path / "policy.onnx").read_bytes())
    entries = [dict(fields(content)) for number, content in model if number == 14]
    texts = {entry[1].decode(): entry[2].decode() for entry in entries}
    assert json.loads(texts["names"]) == portfolio.names
    assert sr.parse_set(texts["set"]) == portfolio.set
    assert json.loads(texts["config"]) == portfolio.config
    (graph,) = [content for number, content in model if number == 7]
    nodes = [fields(content) for number, content in fields(graph) if number == 1]
    assert len(nodes) > 20 and not [node for node in nodes if any(number == 7 and domain for number, domain in node)]


@pytest.mark.parametrize("method, options", [("softmax", {"temperature": 1.0}), ("orthogonal", {})])
def test_what_has_no_plain_form_is_refused_for_onnx_alone(method, options, tmp_path, rng):
    policy = sr.load_policy(saved(tmp_path, model_files.portfolio(rng, CAPPED, method=method, method_options=options)))
    with pytest.raises(ValueError, match=f"{method} has no form in plain operators: export it as torchscript"):
        export.export_policy(policy, tmp_path / "policy.onnx", "onnx")
    export.export_policy(policy, tmp_path / "policy.pt", "torchscript")
