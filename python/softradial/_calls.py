"""Handles failed calls of a layer: turns numbers, lists and arrays into tensors, and errors into one clear line.

A correct call pays nothing for it: the library's ops check shapes and types, and only refused calls come here.
"""

import functools
import inspect
import re
import types
from typing import Any, Callable, Dict, NoReturn, Optional, Sequence, TypeVar

import torch

from ._compiled import compiling
from ._numbers import dtype_name, to_tensor, without_stack

Method = TypeVar("Method", bound=Callable[..., Any])

# The library's messages about wrong arguments: one line that begins with the name of the argument, as "u: ...", or with an
# option and its value, as "lambda is 1e+39, too large for single precision".
_NOT_FINITE = re.compile(r"row \d+ has a NaN or an infinity")
_REFUSAL = re.compile(rf"([\w.]+|quadratic programme): .*|\w+ is [^ ,]+, .*|{_NOT_FINITE.pattern}")


def plain_errors(method: Method, eager: Optional[Callable[..., Any]] = None) -> Method:
    """Wraps a layer's method, whose first argument is rows of numbers, so that it also takes numbers, lists and arrays.
    `eager` is a faster way to the same result, in Python.

    TorchScript compiles the method itself: it reads the source of the wrapped method, and looks up names in the globals of
    the wrapper. Therefore the wrapper has the globals of the method.
    """
    again, first = call_again, eager or method
    in_graph = compiling

    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if in_graph():
            return method(self, *arguments, **named)
        try:
            return first(self, *arguments, **named)
        except Exception as error:
            return again(method, self, arguments, named, error)

    wrapper = types.FunctionType(call.__code__, method.__globals__, method.__name__, None, call.__closure__)
    return functools.wraps(method)(wrapper)  # type: ignore[return-value]


def call_again(
    method: Callable[..., Any], owner: Any, arguments: Sequence[Any], named: Dict[str, Any], error: Exception
) -> Any:
    """Repeats a failed call with its arguments converted to tensors. If they already were tensors, raises a one-line error.

    TypeError for an argument that the method does not have and for numbers of a wrong kind, ValueError for arguments that
    the library refuses. Errors that do not come from the library are raised unchanged.
    """
    given = _by_name(method, owner, arguments, named)
    tensors = {name: _as_tensors(name, value) for name, value in given.items()}
    rows = next(iter(tensors))
    first = tensors[rows]
    if first is None:
        raise TypeError(f"{rows}: expected numbers, got None")
    if not first.is_floating_point():
        raise TypeError(f"{rows}: expected floating-point numbers, got {dtype_name(first)}")
    if all(tensors[name] is given[name] or isinstance(given[name], dict) for name in given):
        _raise_plainly(error, owner)
    try:
        return method(owner, **tensors)
    except Exception as second:
        _raise_plainly(second, owner)


def _as_tensors(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: to_tensor(key, part) for key, part in value.items()}
    return None if value is None else to_tensor(name, value)


def _by_name(
    method: Callable[..., Any], owner: Any, arguments: Sequence[Any], named: Dict[str, Any]
) -> Dict[str, Any]:
    names = list(inspect.signature(method).parameters)[1:]
    title = f"{type(owner).__name__}: " if method.__name__ == "forward" else f"{type(owner).__name__}.{method.__name__}: "
    for name in named:
        if name not in names:
            known = owner.data_of_calls() if "others" in names else names[1:]
            raise TypeError(f"{title}unknown argument '{name}'; there are {', '.join([names[0], *known])}")
    if len(arguments) > len(names):
        raise TypeError(f"{title}takes at most {len(names)} arguments, got {len(arguments)}")
    given = dict(zip(names, arguments))
    for name, value in named.items():
        if name in given:
            raise TypeError(f"{title}argument '{name}' is given twice")
        given[name] = value
    if names[0] not in given:
        raise TypeError(f"{title}{names[0]} is missing")
    return {name: given[name] for name in names if name in given}


def _raise_plainly(error: Exception, owner: Any) -> NoReturn:
    if type(error) is RuntimeError:
        text = without_stack(error)
        # A level set runs the user's function, whose errors do not come from the library. The library only checks the rows.
        own = isinstance(getattr(owner, "projection", None), (torch.ScriptObject, type(None)))
        if (_REFUSAL if own else _NOT_FINITE).fullmatch(text):
            raise ValueError(text) from None
        if own and text != str(error):
            raise RuntimeError(text) from None
    raise error
