"""Policies from `softradial train` as modules. They map raw prices or demand to decisions that obey their set.

    policy = softradial.load_policy("runs/mine")
    weights = policy(prices)                      # a table of at least policy.days_needed rows -> one weight per asset

A policy contains everything: the features, their standardisation with the statistics of the training, the network, the
constraint layer. No code from a model file is ever run.
"""

import functools
import json
import math
import os
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor, nn

from ._compiled import compiling
from ._model_file import ModelFile, parse_json, read_bytes, read_model_file, shown
from ._numbers import Numbers, first_line, to_tensor
from .layers import GaugeMap, HardRadial, SoftRadial
from .methods import ConstraintLayer
from .sets import Set, parse_set

_SCHEMA = "softradial.run/1"


def _taking_numbers(scripted: Callable[..., Tensor]) -> Callable[..., Any]:
    """Wraps a method so that it also takes numbers, lists and arrays. TorchScript compiles the wrapped method."""
    names = scripted.__code__.co_varnames[1 : scripted.__code__.co_argcount]

    def call(self: Any, *given: Numbers, **named: Numbers) -> Tensor:
        tensors = [to_tensor(name, value) for name, value in zip(names, given)]
        more = {name: to_tensor(name, value) for name, value in named.items()}
        return scripted(self, *tensors, *given[len(names) :], **more)

    return functools.wraps(scripted)(call)


# ---------------------------------------------------------------------------------------------------------------- models


class PortfolioModel(nn.Module):
    """Prices (batch, 2 lookback, N) -> features, standardised -> LSTM, last state -> u (batch, outputs)."""

    mean: Tensor
    scale: Tensor

    def __init__(self, lookback: int, assets: int, hidden: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.lookback = lookback
        self.lstm = nn.LSTM(3 * assets, hidden, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(hidden, outputs)
        self.register_buffer("mean", torch.zeros(3 * assets, dtype=torch.float64))
        self.register_buffer("scale", torch.ones(3 * assets, dtype=torch.float64))

    @staticmethod
    def shapes(lookback: int, assets: int, hidden: int, outputs: int) -> Dict[str, List[int]]:
        """The arrays of a model file, with their shapes."""
        return {
            "lstm.weight_ih": [4 * hidden, 3 * assets],
            "lstm.weight_hh": [4 * hidden, hidden],
            "lstm.bias_ih": [4 * hidden],
            "lstm.bias_hh": [4 * hidden],
            "linear.weight": [outputs, hidden],
            "linear.bias": [outputs],
            "features.mean": [3 * assets],
            "features.scale": [3 * assets],
        }

    @torch.jit.unused
    def place_of(self, name: str) -> Tensor:
        """The tensor into which an array of a model file is copied."""
        if name.startswith("lstm."):
            return getattr(self.lstm, name[len("lstm.") :] + "_l0")
        return {"linear.weight": self.linear.weight, "linear.bias": self.linear.bias,
                "features.mean": self.mean, "features.scale": self.scale}[name]

    def features(self, prices: Tensor) -> Tensor:
        """The features of the last `lookback` days, (batch, lookback, 3 N), as study/features/features.hpp defines them:

            r      the day's return
            vol    the standard deviation of r over the `lookback` days up to the day
            cor    the correlation of r with the mean return of all assets over these days; 0 if one of them is constant

        The program computes them with running moments on whole tables: tests/torch/test_policy.py compares both.
        """
        returns = prices[:, 1:] / prices[:, :-1] - 1
        windows = returns.unfold(1, self.lookback, 1)  # (batch, lookback, N, days of the window)
        market = returns.mean(-1, keepdim=True).unfold(1, self.lookback, 1)
        deviations = windows - windows.mean(-1, keepdim=True)
        market_deviations = market - market.mean(-1, keepdim=True)
        vol = deviations.square().mean(-1).sqrt()
        both = vol * market_deviations.square().mean(-1).sqrt()
        least = 1e-12
        cor = (deviations * market_deviations).mean(-1) / both.clamp(min=least)
        # Not by `cat`: with it, the compiler that torch 2.6 uses for scripted models never ends.
        known = torch.where(both > least, cor, torch.zeros_like(cor))
        return torch.stack([returns[:, -self.lookback :], vol, known], -2).flatten(-2)

    def forward(self, prices: Tensor) -> Tensor:
        features = (self.features(prices.to(self.mean.dtype)) - self.mean) / self.scale
        states = self.lstm(features.to(self.linear.weight.dtype))[0]
        return self.linear(self.dropout(states[:, -1]))


class DispatchModel(nn.Module):
    """Demand (batch, history, zones), standardised, and the hour of the week -> MLP -> u (batch, outputs)."""

    mean: Tensor
    scale: Tensor
    hours: Tensor
    weekdays: Tensor

    def __init__(self, history: int, zones: int, hidden: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.linear0 = nn.Linear(history * zones + 4, hidden)
        self.linear1 = nn.Linear(hidden, hidden)
        self.linear2 = nn.Linear(hidden, outputs)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mean", torch.zeros(zones, dtype=torch.float64))
        self.register_buffer("scale", torch.ones(zones, dtype=torch.float64))
        self.register_buffer("hours", self._circle(24), persistent=False)
        self.register_buffer("weekdays", self._circle(7), persistent=False)

    @staticmethod
    def shapes(history: int, zones: int, hidden: int, outputs: int) -> Dict[str, List[int]]:
        """The arrays of a model file, with their shapes."""
        return {
            "linear0.weight": [hidden, history * zones + 4],
            "linear0.bias": [hidden],
            "linear1.weight": [hidden, hidden],
            "linear1.bias": [hidden],
            "linear2.weight": [outputs, hidden],
            "linear2.bias": [outputs],
            "features.mean": [zones],
            "features.scale": [zones],
        }

    @torch.jit.unused
    def place_of(self, name: str) -> Tensor:
        """The tensor into which an array of a model file is copied."""
        owner, _, part = name.partition(".")
        return getattr(self, part) if owner == "features" else getattr(getattr(self, owner), part)

    @staticmethod
    def _circle(period: int) -> Tensor:
        """sin and cos of each point of a period, (period, 2), as study/features/features.hpp defines the calendar."""
        angles = [2 * math.pi * place / period for place in range(period)]
        return torch.tensor([[math.sin(angle), math.cos(angle)] for angle in angles], dtype=torch.float64)

    def forward(self, demand: Tensor, hour: Tensor, weekday: Tensor) -> Tensor:
        history = ((demand.to(self.mean.dtype) - self.mean) / self.scale).flatten(1)
        z = torch.cat([history, self.hours[hour], self.weekdays[weekday]], -1).to(self.linear0.weight.dtype)
        z = self.dropout(torch.relu(self.linear0(z)))
        z = self.dropout(torch.relu(self.linear1(z)))
        return self.linear2(z)


Model = Union[PortfolioModel, DispatchModel]


class EqualWeight(nn.Module):
    """The same share for each asset or zone, whatever u is."""

    def __init__(self, set: Set) -> None:
        super().__init__()
        self.input_dim = set.dim
        self.share: float = json.loads(set.to_json()).get("sum", 1.0) / set.dim

    def forward(self, u: Tensor) -> Tensor:
        return u * 0 + self.share


# -------------------------------------------------------------------------------------------------------------- policies


class Policy(nn.Module):
    """A trained policy, in eval mode and without gradients; policy.train().requires_grad_() trains it further.

    names    the assets or zones, in the order of the columns of its input and of its decisions
    set      the set that every decision obeys
    config   the configuration of its training
    """

    def __init__(self, names: List[str], set: Set, config: Dict[str, Any], model: Model, layer: nn.Module) -> None:
        super().__init__()
        self.names = names
        self.set = set
        self.config = config
        self.model = model
        self.layer = layer
        self.eval().requires_grad_(False)

    @torch.jit.unused
    def extra_repr(self) -> str:
        return f"{self.config['method']} on {self.set}"

    @torch.jit.unused
    def _recorded(self) -> bool:
        """Whether this call is being recorded as a graph, in which no step can depend on the numbers."""
        return torch.jit.is_tracing() or compiling()

    def _rows(self, table: Tensor, rows: int, what: str) -> Tensor:
        """The last `rows` rows, (batch, rows, columns)."""
        checked = True
        if not torch.jit.is_scripting():
            checked = not self._recorded()
        columns = len(self.names)
        if checked:
            if table.dim() < 2 or table.dim() > 3 or table.size(-1) != columns or table.size(-2) < rows:
                raise ValueError(
                    f"{what}: expected (rows, {columns}) or (batch, rows, {columns}) with at least {rows} rows, got shape "
                    f"({', '.join([str(size) for size in table.shape])})"
                )
        table = table[..., -rows:, :]
        return table.unsqueeze(0) if table.dim() == 2 else table

    def _refuse(self, table: Tensor, good: Tensor, what: str) -> None:
        """Raises an error for bad numbers that names the first of them. In a graph, _marked handles them instead."""
        if not torch.jit.is_scripting():
            if self._recorded():
                return
        if not bool(good.all()):
            place = good.logical_not().nonzero()[0]
            sample, row, column = int(place[0]), int(place[1]), int(place[2])
            raise ValueError(
                f"{what} {table[sample, row, column].item()} of {self.names[column]}, {table.size(1) - row} rows from the "
                f"end of sample {sample}"
            )

    def _marked(self, decision: Tensor, good: Tensor) -> Tensor:
        """In a graph, sets decisions for samples with bad numbers to NaN. A NaN among the inputs is not enough: the sigmoid
        and the relu of some runtimes turn it into a number."""
        if not torch.jit.is_scripting():
            if self._recorded():
                marks = torch.where(good, 0.0, float("nan")).sum((1, 2))
                return decision + marks.unsqueeze(-1).to(decision.dtype)
        return decision


class PortfolioPolicy(Policy):
    """Prices -> weights.

    days_needed   rows of prices that a decision depends on: 2 lookback. The network sees the features of `lookback` days;
                  the volatility of the first day needs `lookback` returns, and the first return one more price
    """

    def __init__(self, names: List[str], set: Set, config: Dict[str, Any], model: Model, layer: nn.Module) -> None:
        super().__init__(names, set, config, model, layer)
        self.days_needed: int = 2 * config["lookback"]

    @_taking_numbers
    def forward(self, prices: Tensor) -> Tensor:
        """Weights, decided when the last day of the prices is known: (batch, N) for (batch, days, N), (N) for (days, N).

        days is at least days_needed; earlier days have no effect. The columns are in the order of `names`.
        """
        rows = self._rows(prices, self.days_needed, "prices")
        good = (rows > 0) & (rows < float("inf"))
        self._refuse(rows, good, "prices: a price must be positive and finite, not")
        weights = self._marked(self.layer(self.model(rows)), good)
        return weights.squeeze(0) if prices.dim() == 2 else weights


class DispatchPolicy(Policy):
    """The demand of the last hours -> shares of the supply for the next hour.

    hours_needed   rows of demand that a decision depends on
    """

    def __init__(self, names: List[str], set: Set, config: Dict[str, Any], model: Model, layer: nn.Module) -> None:
        super().__init__(names, set, config, model, layer)
        self.hours_needed: int = config["history"]

    def _calendar(self, place: Tensor, batch: int, period: int, what: str) -> Tensor:
        """Whole numbers below the period, (batch)."""
        whole = place.to(torch.int64)
        if not torch.jit.is_scripting():
            if self._recorded():
                # A negative number would count from the end: it becomes an index out of range, which is an error.
                return torch.where(whole < 0, torch.full_like(whole, period), whole)
        if not bool(((whole == place) & (whole >= 0) & (whole < period)).all()):
            raise ValueError(f"{what}: expected whole numbers from 0 to {period - 1}")
        if whole.dim() > 1 or (whole.dim() == 1 and whole.size(0) != batch):
            raise ValueError(f"{what}: expected one number for each of {batch} samples")
        return whole.expand(batch)

    def _shares(self, demand: Tensor, hour: Tensor, weekday: Tensor) -> Tensor:
        rows = self._rows(demand, self.hours_needed, "demand")
        good = (rows >= 0) & (rows < float("inf"))
        self._refuse(rows, good, "demand: must be finite and not negative, not")
        hours = self._calendar(hour, rows.size(0), 24, "hour")
        weekdays = self._calendar(weekday, rows.size(0), 7, "weekday")
        shares = self._marked(self.layer(self.model(rows, hours, weekdays)), good)
        return shares.squeeze(0) if demand.dim() == 2 else shares

    @_taking_numbers
    def forward(self, demand: Tensor, hour: Tensor, weekday: Tensor) -> Tensor:
        """Shares of the supply: (batch, zones) for demand (batch, hours, zones), (zones) for (hours, zones).

        demand has the hours before the decision in order of time, at least hours_needed of them. hour (0 to 23) and weekday
        (0 to 6, Monday is 0) are those of the hour to decide: one number, or one for each sample.
        """
        return self._shares(demand, hour, weekday)

    @_taking_numbers
    @torch.jit.export
    def supply(self, demand: Tensor) -> Tensor:
        """The supply to share out, (batch) or (): the total demand of the last hour, at least 1."""
        return demand[..., -1, :].sum(-1).clamp(min=1)

    @_taking_numbers
    @torch.jit.export
    def allocation(self, demand: Tensor, hour: Tensor, weekday: Tensor) -> Tensor:
        """supply * shares, in the shape of the shares."""
        shares = self._shares(demand, hour, weekday)
        return self.supply(demand).unsqueeze(-1).to(shares.dtype) * shares


# --------------------------------------------------------------------------------------------------------------- loading


def load_policy(path: Union[str, "os.PathLike[str]"], seed: Optional[int] = None) -> Policy:
    """A policy of `softradial train`: PortfolioPolicy or DispatchPolicy.

    path   the folder of a run, or one of its files model.safetensors
    seed   which model of a folder; by default the best one on validation

    A file that has changed since it was written raises a ValueError: its checksum is verified. No code in it is ever run.
    """
    place = Path(path)
    if place.is_dir():
        return _policy_of_run(place, seed)
    if seed is not None:
        raise ValueError(f"seed: chooses a model of a folder, and {place} is a file")
    return _policy(str(place), read_model_file(str(place)))


def _policy_of_run(folder: Path, seed: Optional[int]) -> Policy:
    file = folder / "manifest.json"
    if not file.exists():
        raise ValueError(f"{folder}: has no manifest.json: not the folder of a run")
    try:
        manifest = parse_json(read_bytes(str(file)))
        if not isinstance(manifest, dict) or manifest.get("schema") != _SCHEMA:
            raise ValueError(f"is no manifest of the schema {_SCHEMA}")
        seeds, chosen = manifest.get("seeds"), manifest.get("best_seed") if seed is None else seed
        if chosen is None:
            raise ValueError("no training has ended in this run; seed= takes a model whose training was interrupted")
        if not isinstance(seeds, list) or type(chosen) is not int or chosen not in seeds:
            raise ValueError(f"has no seed {shown(chosen)}; there are {shown(seeds)}")
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    model = folder / f"seed-{chosen}" / "model.safetensors"
    if not model.exists():
        raise ValueError(f"{model}: does not exist: this seed has not been trained yet")
    policy = _policy(str(model), read_model_file(str(model)))
    stated = [manifest.get("names"), manifest.get("set")]
    if stated != [policy.names, policy.config["set"]]:
        raise ValueError(f"{model}: its names or its set are not those of {file}")
    return policy


_POLICIES: Dict[str, Tuple[Any, Any, str]] = {
    "portfolio": (PortfolioPolicy, PortfolioModel, "lookback"),
    "dispatch": (DispatchPolicy, DispatchModel, "history"),
}


def _policy(path: str, file: ModelFile) -> Policy:
    try:
        if file.task not in _POLICIES or file.config.get("task") != file.task:
            raise ValueError(f"the task is {shown(file.task)}, not portfolio or dispatch")
        policy_type, model_type, length = _POLICIES[file.task]
        _refuse_what_python_lacks(file.config)
        names = _names(file.config)
        set = _set(file.config, len(names))
        layer = _layer(file.config, set)
        outputs = getattr(layer, "input_dim", set.dim)
        sizes = [_count(file.config, length), len(names), _count(file.config, "hidden"), outputs]
        _check_arrays(file.tensors, model_type.shapes(*sizes))
        model = model_type(*sizes, _number(file.config, "dropout"))
        with torch.no_grad():
            for name, values in file.tensors.items():
                model.place_of(name).copy_(values)
        if not file.finished:
            warnings.warn(f"{path}: its training was interrupted", stacklevel=4)
        return policy_type(names, set, file.config, model, layer)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {first_line(error)}") from None


def _refuse_what_python_lacks(config: Dict[str, Any]) -> None:
    """Only the program supports decisions that depend on earlier ones, and the model that all assets share."""
    for key, plain in (("smoothing", 0), ("anchor", "fixed"), ("model", "lstm")):
        if config.get(key, plain) != plain:
            raise ValueError(f"config: {key} is {shown(config[key])}; softradial backtest and predict apply such a policy")


def _count(config: Dict[str, Any], key: str) -> int:
    value = config.get(key)
    if type(value) is not int or not 1 <= value < 2**31:
        raise ValueError(f"config: {key} is {shown(value)}, not a positive whole number of 32 bits")
    return value


def _number(config: Dict[str, Any], key: str) -> float:
    value = config.get(key)
    if type(value) not in (int, float):
        raise ValueError(f"config: {key} is {shown(value)}, not a number")
    return float(value)  # type: ignore[arg-type]


def _names(config: Dict[str, Any]) -> List[str]:
    names = config.get("names")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"config: names is {shown(names)}, not a list of names")
    if len({*names}) < len(names):
        raise ValueError(f"config: a name stands twice in {shown(names)}")
    return names


def _set(config: Dict[str, Any], dim: int) -> Set:
    if not isinstance(config.get("set"), dict):
        raise ValueError(f"config: set is {shown(config.get('set'))}, not a set")
    set = parse_set(json.dumps(config["set"]))
    if set.dim != dim:
        raise ValueError(f"config: the set has dimension {set.dim}, and there are {dim} names")
    return set


# Arguments of layers that are not numbers of a method.
_ARGUMENTS = {"set", "method", "contraction", "anchor", "check_finite", "anchor_gradient"}
_RADIAL: Dict[str, Any] = {"soft_radial": SoftRadial, "hard_radial": HardRadial, "gauge_map": GaugeMap}


def _layer(config: Dict[str, Any], set: Set) -> nn.Module:
    """The layer that the policy was trained with, as decision_layer in study/runs/run_config.hpp makes it."""
    method = config.get("method")
    if method == "equal_weight":
        return EqualWeight(set)
    given = config.get("method_options")
    if not isinstance(method, str) or not isinstance(given, dict):
        raise ValueError(f"config: the method is {shown(method)} with the options {shown(given)}")
    options: Dict[str, Any] = {name: _number(given, name) for name in given}
    if not _ARGUMENTS.isdisjoint(options):
        raise ValueError(f"config: {method} has no such options: {shown(given)}")
    if "contraction" in config:
        options["contraction"] = str(config["contraction"])
    if method == "soft_radial":
        options.setdefault("lambda", 1.0)  # the study's default, as in the paper
    if method in _RADIAL:
        return _RADIAL[method](set, **{"lambda_" if name == "lambda" else name: options[name] for name in options})
    given_set = json.loads(set.to_json())
    if method == "softmax" and given_set["type"] == "capped_simplex":
        # Softmax only knows simplices and was trained on one.
        set = parse_set(json.dumps({"type": "simplex", "dim": set.dim, "sum": given_set["sum"]}))
    return ConstraintLayer(set, method, **options)


def _check_arrays(tensors: Dict[str, Tensor], shapes: Dict[str, List[int]]) -> None:
    for name in sorted({*tensors, *shapes}):
        if name not in shapes:
            raise ValueError(f"the array {shown(name)} is none of this policy's")
        if name not in tensors:
            raise ValueError(f"has no array {name}")
        dtype = torch.float64 if name.startswith("features.") else torch.float32
        if list(tensors[name].shape) != shapes[name] or tensors[name].dtype != dtype:
            raise ValueError(
                f"{name} is {tensors[name].dtype} {list(tensors[name].shape)}, expected {dtype} {shapes[name]}"
            )
    if not bool((tensors["features.scale"] > 0).all()):
        raise ValueError("features.scale: a scale is not positive")
