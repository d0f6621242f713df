"""Convex sets: immutable values that can be compared, printed, used as keys, and pickled.

    s = softradial.CappedSimplex(50, cap=0.05)
    s.dim, s.anchor, s.violation(x), s.to_json(), s.with_anchor(point)

Data are numbers, lists, arrays or tensors; they are kept in double precision as they were given. A tensor that requires a
gradient stays connected if a layer can pass gradients to it, and is refused otherwise.

The classes are made from the library's table of sets: their arguments are the keys of SET.json (docs/set_json.md), and
help(softradial.Polyhedron) says what each is.
"""

from __future__ import annotations

import copy
import inspect
import json as _json
import os
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

import torch
from torch import Tensor

from ._library import ops
from ._numbers import Numbers, dtype_name, first_line, to_tensor

_HELPERS = ("Numbers", "Set", "load_set", "parse_set")

Script = Any  # an object of TorchScript: torch.classes.softradial.Set


class Set:
    """A closed convex set, kept as it was given.

    There is a class for each type: softradial.Simplex, CappedSimplex, Box, Ball, ... make sets; parse_set and load_set read
    them from SET.json. Sets are immutable: == compares their data, and they may be keys of a dictionary.
    """

    def __init__(self, *data: Any, **named: Any) -> None:
        raise TypeError("Set: make one of its types, softradial.Simplex(3) for example, or read one by load_set")

    @property
    def dim(self) -> int:
        """The number of coordinates of its points."""
        raise NotImplementedError

    @property
    def anchor(self) -> Optional[Tensor]:
        """An interior point (dim), double, if one is known without a search: the one given by with_anchor, or one in closed
        form. None otherwise; a layer then finds one (layer.anchor)."""
        raise NotImplementedError

    def with_anchor(self, anchor: Numbers) -> Set:
        """The same set with the given interior point, (dim)."""
        raise NotImplementedError

    def violation(self, x: Numbers) -> Tensor:
        """How far each row of x (..., dim) lies outside: (...), double; 0 for a feasible row, NaN for one with a NaN."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The text of a SET.json that describes the set."""
        raise NotImplementedError

    def learned(self) -> Dict[str, Tensor]:
        """The tensors among its data that require a gradient, by the names that a layer's call takes."""
        raise NotImplementedError


class LibrarySet(Set):
    """A set of the library's table. TorchScript uses its `script`."""

    _row: Dict[str, Any]  # of the table
    _script: Script

    @property
    def script(self) -> Script:
        """The set as TorchScript knows it: an object of torch.classes.softradial.Set."""
        return self._script

    @property
    def dim(self) -> int:
        """The number of coordinates of its points."""
        return self._script.dim

    @property
    def anchor(self) -> Optional[Tensor]:
        """An interior point (dim), double, if one is known without a search: the one given by with_anchor, or one in closed
        form. None otherwise; a layer then finds one (layer.anchor)."""
        return self._script.anchor

    def with_anchor(self, anchor: Numbers) -> Set:
        """The same set with the given interior point, (dim). The point is checked when a layer is made."""
        return _wrapped(_build(self._script.with_anchor, _constant("anchor", anchor)))

    def violation(self, x: Numbers, **data: Numbers) -> Tensor:
        """How far each row of x (..., dim) lies outside: (...), double; 0 for a feasible row, NaN for one with a NaN.

        `data` holds each sample's data, as a layer's call takes them: set.violation(x, b=b). NaN if a sample's data do not
        describe a set. Inequalities are judged without a tolerance. An equality e.x = f counts only if it is off by more
        than the rounding of x explains: 4 dim ulp (|f| + sum_j |e_j x_j|), with an ulp of 2^-23 for float32 and 2^-52 for
        float64.
        """
        points = to_tensor("x", x)
        if points.is_complex():
            raise TypeError(f"x: expected real numbers, got {dtype_name(points)}")
        if not data:
            return _build(self._script.violation, points)
        tensors = [to_tensor(name, values) for name, values in data.items()]
        return _build(ops.violation_samples, points, tensors, list(data), self._script)

    def to_json(self) -> str:
        """The text of a SET.json that describes the set."""
        return self._script.to_json()

    def learned(self) -> Dict[str, Tensor]:
        """The tensors among its data that require a gradient, by the names that a layer's call takes."""
        return self._script.learned()

    def __repr__(self) -> str:
        return re.sub(r"\w+(?=\()", lambda found: _TITLES.get(found[0], found[0]), str(self._script))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LibrarySet):
            return NotImplemented
        if not self._script.equals(other._script):
            return False
        mine, others = self.learned(), other.learned()
        return mine.keys() == others.keys() and all(mine[name] is others[name] for name in mine)

    def __hash__(self) -> int:
        return hash(self._script.hash())

    def __copy__(self) -> Set:
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> Set:
        learned = self.learned()
        return _wrapped(self._script.with_learned(copy.deepcopy(learned, memo))) if learned else self

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (self.to_json(), self.learned())


def _wrapped(script: Script) -> LibrarySet:
    """A set of the library in the class of its type."""
    made = object.__new__(_CLASSES[_TITLES[script.type]])
    made._script = script
    return made


def _restored(json: str, learned: Dict[str, Tensor]) -> Set:
    script = ops.read_set(json)
    return _wrapped(script.with_learned(learned) if learned else script)


def script_of(set: Any) -> Script:
    """The TorchScript object behind a set; TypeError for anything else. Also accepts such an object itself, which old
    pickles contain, from before the class."""
    if isinstance(set, LibrarySet):
        return set.script
    if isinstance(set, torch.ScriptObject) and hasattr(set, "with_anchor"):
        return set
    raise TypeError(f"set: expected a softradial.Set, got {type(set).__name__}")


def set_of(set: Any) -> Set:
    """A Set, made from a TorchScript object if necessary."""
    return set if isinstance(set, Set) else _wrapped(script_of(set))


def _constant(name: str, values: Numbers) -> Tensor:
    """Data without gradients. A tensor that requires one is refused, because its gradient would get lost in silence."""
    tensor = to_tensor(name, values)
    if tensor.requires_grad:
        raise ValueError(f"{name}: gradients to it are not available; detach it, or give it sample by sample where that is")
    return tensor


def _build(make: Callable[..., Any], *arguments: Any) -> Any:
    """Calls `make`. Turns the library's errors about bad data into a ValueError with the same one-line message."""
    try:
        return make(*arguments)
    except RuntimeError as error:
        raise ValueError(first_line(error)) from None


# --------------------------------------------------------------------------------------------- a class for each type


def _parts(sets: Sequence[Any]) -> List[Script]:
    for part in sets:
        if isinstance(part, Set) and not isinstance(part, LibrarySet):
            raise ValueError(f"{part}: cannot be part of a combined set; functions are combined before, by their maximum")
    return [script_of(part) for part in sets]


def _signature(fields: Sequence[Dict[str, Any]]) -> inspect.Signature:
    """The signature of a set: its fields in the table's order. A field has a default if it and all after it are optional."""
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


def _arguments(
    row: Dict[str, Any], signature: inspect.Signature, given: Tuple[Any, ...], named: Dict[str, Any]
) -> Dict[str, Any]:
    """The arguments by name. TypeError, in one line, for arguments that are unknown, missing or too many."""
    title, names = row["title"], list(signature.parameters)
    for name in named:
        if name not in names:
            raise TypeError(f"{title}: unknown argument '{name}'; there are {', '.join(names)}")
    if row["fields"][0]["kind"] == "sets":
        # Intersection(a, b), Intersection([a, b]), Intersection(sets=[a, b])
        sets = named.get(names[0], given) if not (given and named) else None
        if sets is None:
            raise TypeError(f"{title}: argument '{names[0]}' is given twice")
        alone = len(sets) == 1 and isinstance(sets[0], (list, tuple))
        return {names[0]: sets[0] if alone else sets}
    try:
        bound = signature.bind(*given, **named)
    except TypeError as error:
        raise TypeError(f"{title}: {error}") from None
    bound.apply_defaults()
    return bound.arguments


def _made(row: Dict[str, Any], arguments: Dict[str, Any]) -> Script:
    data: Dict[str, Tensor] = {}
    sets: List[Script] = []
    for field in row["fields"]:
        name, value = field["name"], arguments[field["name"]]
        if field["kind"] == "sets":
            sets = _parts(value)
        elif field["kind"] == "set":
            sets = _parts([value])
        elif value is not None:
            data[name] = to_tensor(name, value)
    try:
        return _build(ops.make_set, row["name"], data, sets)
    except ValueError as error:
        message = str(error)
        raise ValueError(message if message.startswith(row["name"]) else f"{row['name']}: {message}") from None


def _example(data: Any) -> str:
    """The Python expression for the contents of a SET.json."""
    if isinstance(data, dict):
        fields = {key: value for key, value in data.items() if key != "type"}
        if "sets" in fields:
            arguments = [_example(part) for part in fields["sets"]]
        else:
            arguments = [f"{key}={_example(value)}" for key, value in fields.items()]
        return f"softradial.{_TITLES[data['type']]}({', '.join(arguments)})"
    if isinstance(data, list):
        return f"[{', '.join(_example(value) for value in data)}]"
    return "float('inf')" if data is None else repr(data)


def _help(row: Dict[str, Any]) -> str:
    fields = row["fields"]
    width = max(len(field["name"]) for field in fields)
    lines = [row["formula"], ""]
    for field in fields:
        default = f", {field['otherwise']:g} if left out" if "otherwise" in field else ""
        optional = "" if field["required"] or default else " (may be left out)"
        lines.append(f"    {field['name']:{width}}   {field['meaning']}{default}{optional}")
    lines += [
        "",
        f"A layer's call takes {', '.join([*row['sample_data'], 'scale', 'anchor'])} for each sample.",
        "",
        ">>> import softradial, torch",
        f">>> set = {_example(row['example'])}",
        ">>> layer = softradial.SoftRadial(set)",
        ">>> x = layer(torch.randn(8, set.dim))",
        ">>> set.violation(x).max().item()",
        "0.0",
        "",
    ]
    return "\n".join(lines)


def _class(row: Dict[str, Any]) -> Type[LibrarySet]:
    signature = _signature(row["fields"])

    def __init__(self: LibrarySet, *data: Any, **named: Any) -> None:
        self._script = _made(row, _arguments(row, signature, data, named))

    __init__.__doc__ = "The arguments are those of the class."

    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([this, *signature.parameters.values()])  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{row['title']}.__init__"
    body = {"__init__": __init__, "__doc__": _help(row), "__module__": __name__, "_row": row}
    return type(row["title"], (LibrarySet,), body)


_TABLE: List[Dict[str, Any]] = _json.loads(ops.set_types())
_TITLES: Dict[str, str] = {row["name"]: row["title"] for row in _TABLE}
_CLASSES: Dict[str, Type[LibrarySet]] = {row["title"]: _class(row) for row in _TABLE}
globals().update(_CLASSES)

__all__ = sorted([*_HELPERS, *_CLASSES])

if TYPE_CHECKING:
    # The classes of the table. Type checkers see sets without the names of their arguments, because a stub with these would
    # state every field twice. Consoles, notebooks and help() show the signatures.
    def __getattr__(name: str) -> Type[LibrarySet]: ...


def parse_set(json: str) -> Set:
    """a set from the text of a SET.json"""
    if not isinstance(json, str):
        raise TypeError(f"parse_set: expected text, got {type(json).__name__}")
    return _wrapped(_build(ops.read_set, json))


def load_set(path: Union[str, os.PathLike[str]]) -> Set:
    """a set from a SET.json file"""
    return _wrapped(_build(ops.read_set_file, os.fspath(path)))
