"""Convex sets. Each function returns a ``Set``: an immutable object that TorchScript knows, too.

    s = softradial.CappedSimplex(50, cap=0.05)
    s.dim, s.violation(x), s.to_json(), s.with_anchor(point)

Data are numbers, sequences or tensors; they are kept in double precision as they were given. A tensor that requires a
gradient stays connected where a layer can pass gradients to it, and is refused where it cannot.

The functions are made from the library's table of sets: their arguments are the keys of SET.json (docs/set_json.md).
"""

from __future__ import annotations

import inspect
import json as _json
import os
from typing import Any, Callable, Dict, List, Sequence, Union

import torch
from torch import Tensor

from ._library import ops

Set = torch.ScriptObject
Numbers = Union[Tensor, Sequence[Any], float, int]

_HELPERS = ("Numbers", "Set", "load_set", "parse_set")


def _tensor(values: Numbers) -> Tensor:
    """Numbers in double; a tensor as it is; a list of tensors stacked."""
    if isinstance(values, Tensor):
        return values
    if isinstance(values, (list, tuple)) and any(isinstance(part, Tensor) for part in values):
        return torch.stack([_tensor(part) for part in values])
    return torch.as_tensor(values, dtype=torch.float64)


def _constant(name: str, values: Numbers) -> Tensor:
    """Data that take no gradient: one that is asked for must not get lost in silence."""
    tensor = _tensor(values)
    if tensor.requires_grad:
        raise ValueError(f"{name}: gradients to it are not available; detach it, or give it sample by sample where that is")
    return tensor


def _parts(sets: Sequence[Set]) -> List[Set]:
    for part in sets:
        if not isinstance(part, Set):
            raise ValueError(f"{part}: cannot be part of a combined set; functions are combined before, by their maximum")
    return list(sets)


def _build(make: Callable[..., Set], *arguments: Any) -> Set:
    """Bad data are the caller's error: ValueError, in the library's one-line words."""
    try:
        return make(*arguments)
    except RuntimeError as error:
        raise ValueError(first_line(error)) from None


def first_line(error: BaseException) -> str:
    return str(error).split("\n", 1)[0]


def _signature(fields: Sequence[Dict[str, Any]]) -> inspect.Signature:
    """Fields in the table's order; one may be left out where it is not required and no required one follows."""
    parameters = []
    optional = True
    for field in reversed(fields):
        optional = optional and not field["required"]
        default = field.get("otherwise") if optional else inspect.Parameter.empty
        if field["kind"] == "sets":
            parameters.append(inspect.Parameter(field["name"], inspect.Parameter.VAR_POSITIONAL))
        else:
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(inspect.Parameter(field["name"], kind, default=default))
    return inspect.Signature(parameters[::-1])


def _constructor(row: Dict[str, Any]) -> Callable[..., Set]:
    fields = row["fields"]
    signature = _signature(fields)

    def construct(*arguments: Any, **keywords: Any) -> Set:
        unknown = [name for name in keywords if name not in signature.parameters]
        if unknown:
            raise TypeError(f"{row['title']}() got an unexpected keyword argument '{unknown[0]}'")
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        data: Dict[str, Tensor] = {}
        sets: List[Set] = []
        for field in fields:
            value = bound.arguments[field["name"]]
            if field["kind"] == "sets":
                sets = _parts(value)
            elif field["kind"] == "set":
                sets = _parts([value])
            elif value is not None:
                data[field["name"]] = _tensor(value)
        try:
            return _build(ops.make_set, row["name"], data, sets)
        except ValueError as error:
            message = str(error)
            raise ValueError(message if message.startswith(row["name"]) else f"{row['name']}: {message}") from None

    construct.__name__ = construct.__qualname__ = row["title"]
    construct.__doc__ = row["formula"]
    construct.__module__ = __name__
    construct.__signature__ = signature  # type: ignore[attr-defined]
    return construct


_CONSTRUCTORS: Dict[str, Callable[..., Set]] = {row["title"]: _constructor(row) for row in _json.loads(ops.set_types())}
globals().update(_CONSTRUCTORS)

__all__ = sorted([*_HELPERS, *_CONSTRUCTORS])


def parse_set(json: str) -> Set:
    """a set from the text of a SET.json"""
    return _build(ops.read_set, json)


def load_set(path: Union[str, "os.PathLike[str]"]) -> Set:
    """a set from a SET.json file"""
    return _build(ops.read_set_file, os.fspath(path))
