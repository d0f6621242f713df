"""The layers for numpy arrays, without torch, for deployed models.

    import softradial.numpy as srn

    layer = srn.SoftRadial(srn.CappedSimplex(50, cap=0.05))
    x = layer(u)                                          # (..., 50); float32 and float64 are kept
    layer.vjp(u, grad_x), layer.inverse(x), layer.log_abs_det(u), layer.set.violation(x)

    layer = srn.layer_from_state(weights["2._extra_state"])   # as the PyTorch layer saved it

Sets and layers have the same names and arguments as in PyTorch, and give the same numbers, bit for bit. The library computes
everything behind its C interface (softradial/softradial.h); this module contains no formula. The classes are made from the
library's own tables of sets and methods. Sets and layers are immutable and may be used by several threads.
"""

from __future__ import annotations

if __name__ == "numpy":  # Python found this file in place of numpy itself
    raise ImportError(
        f"{__file__} is softradial.numpy, not numpy: its folder is on Python's path; run Python from another folder"
    )

import ctypes
import inspect
import json as _json
import keyword
import math
import os
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np

# ------------------------------------------------------------------------------------------- the library's C interface

_ABI_VERSION = 1  # of softradial.h, whose structs are repeated below
_OUT_OF_MEMORY, _INTERNAL = 10, 11

_PATH = Path(__file__).parent / "lib" / "libsoftradial_c.so"


class _Rows(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("dim", ctypes.c_size_t),
        ("stride", ctypes.c_ssize_t),
    ]


class _Field(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("name_length", ctypes.c_size_t),
        ("numbers", ctypes.c_void_p),
        ("rank", ctypes.c_size_t),
        ("shape", ctypes.c_size_t * 3),
        ("entry_rows", ctypes.c_void_p),
        ("entry_columns", ctypes.c_void_p),
        ("num_entries", ctypes.c_size_t),
        ("sets", ctypes.c_void_p),
        ("num_sets", ctypes.c_size_t),
    ]


def _load() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(_PATH))
    except OSError as error:
        raise ImportError(f"softradial.numpy: the library cannot be loaded: {error}") from None
    if library.sr_abi_version() != _ABI_VERSION:
        raise ImportError(
            f"softradial.numpy: {_PATH} has interface {library.sr_abi_version()}, this module is for {_ABI_VERSION}"
        )
    text, size, pointer, handle = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
    written = (pointer, size, ctypes.POINTER(size))
    numbers = (pointer, size)
    arguments: Dict[str, Tuple[Any, ...]] = {
        "set_parse": (text, size, handle),
        "set_load": (text, size, handle),
        "set_make": (text, size, ctypes.POINTER(_Field), size, handle),
        "set_with_anchor": (pointer, *numbers, handle),
        "set_dim": (pointer, ctypes.POINTER(size)),
        "set_to_json": (pointer, *written),
        "set_to_text": (pointer, *written),
        "set_find_anchor": (pointer, text, size, *numbers, pointer, ctypes.POINTER(size)),
        "set_types": written,
        "layer_make": (pointer, text, size, handle),
        "layer_dim": (pointer, ctypes.POINTER(size)),
        "layer_input_dim": (pointer, ctypes.POINTER(size)),
        "layer_hull_dim": (pointer, ctypes.POINTER(size)),
        "layer_to_json": (pointer, *written),
        "layer_anchor": (pointer, *numbers),
        "methods": written,
    }
    for precision in ("f32", "f64"):
        arguments[f"set_violation_{precision}"] = (pointer, _Rows, *numbers)
        for name in ("project", "evaluate", "inverse"):
            arguments[f"{name}_{precision}"] = (pointer, _Rows, _Rows)
        for name in ("project_vjp", "project_jvp"):
            arguments[f"{name}_{precision}"] = (pointer, _Rows, _Rows, _Rows)
        for name in ("log_abs_det", "slack"):
            arguments[f"{name}_{precision}"] = (pointer, _Rows, *numbers)
    for name, types in arguments.items():
        function = getattr(library, f"sr_{name}")
        function.argtypes, function.restype = types, ctypes.c_int32
    for name in ("set_free", "layer_free"):
        function = getattr(library, f"sr_{name}")
        function.argtypes, function.restype = (pointer,), None
    library.sr_error_text.argtypes, library.sr_error_text.restype = (ctypes.POINTER(size),), pointer
    library.sr_version.argtypes, library.sr_version.restype = (), text
    return library


_C = _load()


def _check(status: int) -> None:
    """Raises the library's error, in one line: ValueError for a mistake of the caller."""
    if status == 0:
        return
    length = ctypes.c_size_t()
    message = ctypes.string_at(_C.sr_error_text(ctypes.byref(length)), length.value).decode(errors="replace")
    raise {_OUT_OF_MEMORY: MemoryError, _INTERNAL: RuntimeError}.get(status, ValueError)(message)


def _text(function: Callable[..., int], *arguments: Any) -> str:
    length = ctypes.c_size_t()
    _check(function(*arguments, None, 0, ctypes.byref(length)))
    buffer = ctypes.create_string_buffer(length.value)
    _check(function(*arguments, buffer, length.value, ctypes.byref(length)))
    return buffer.raw.decode()


def _size(function: Callable[..., int], handle: Any) -> int:
    size = ctypes.c_size_t()
    _check(function(handle, ctypes.byref(size)))
    return size.value


def _made(function: Callable[..., int], *arguments: Any) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    _check(function(*arguments, ctypes.byref(handle)))
    return handle


# ------------------------------------------------------------------------------------------------------------- arrays

Numbers = Union[np.ndarray, Sequence[Any], float, int]

_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_PRECISION = {_F32: "f32", _F64: "f64"}


def _numbers(values: Any, name: str) -> np.ndarray:
    """The values as a contiguous array in double precision."""
    try:
        return np.ascontiguousarray(values, dtype=np.float64).reshape(np.shape(values))
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers, got {values!r:.60}") from None


def _rows_of(values: Any, name: str, width: int, like: Optional[np.dtype] = None) -> np.ndarray:
    """The values (..., width) as rows in float32 or float64 that the library can read in place."""
    if not isinstance(values, np.ndarray):
        values = np.asarray(values)
        if values.dtype.kind in "iuf":  # Python's own numbers, not an array with a type of its own
            values = values.astype(like or _F64)
    if values.ndim < 1 or values.shape[-1] != width:
        raise ValueError(f"{name}: expected (..., {width}), got {values.shape}")
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype not in _PRECISION or (like is not None and values.dtype != like):
        wanted = "float32 or float64" if like is None else f"{like}, as u has"
        raise ValueError(f"{name}: expected {wanted}, got {values.dtype}")
    if values.ndim != 2:
        values = values.reshape(-1, width)
    apart, inner = values.strides
    if (inner != values.itemsize and width > 1) or apart % values.itemsize or not values.flags.aligned:
        values = np.require(values, requirements=["C", "A"])
    return values


def _view(rows: np.ndarray) -> _Rows:
    count, dim = rows.shape
    return _Rows(rows.__array_interface__["data"][0], count, dim, rows.strides[0] // rows.itemsize)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


# --------------------------------------------------------------------------------------------------------------- sets


class Set:
    """A closed convex set, kept as it was given. softradial.numpy.Simplex, CappedSimplex, Box, ... make one; parse_set and
    load_set read one from SET.json. Sets are immutable: == compares their data, and they may be keys of a dictionary."""

    _row: Dict[str, Any]  # of the library's table
    _handle: ctypes.c_void_p

    def __init__(self, *arguments: Any, **named: Any) -> None:
        if type(self) is Set:
            raise TypeError("Set: make one of its types, Simplex(...) for example, or read one by parse_set or load_set")
        keep: List[Any] = []
        given = _bound(self._row["title"], _set_signature(self._row), arguments, named)
        fields = [_field(field, given[field["name"]], keep) for field in self._row["fields"]]
        present = [field for field in fields if field is not None]
        name = self._row["name"].encode()
        self._own(_made(_C.sr_set_make, name, len(name), (_Field * len(present))(*present), len(present)))

    def _own(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        weakref.finalize(self, _C.sr_set_free, handle)

    @property
    def dim(self) -> int:
        """The number of coordinates of its points."""
        return _size(_C.sr_set_dim, self._handle)

    def find_anchor(self, search: str = "auto") -> np.ndarray:
        """An interior point (dim): the set's own or a closed form, the "chebyshev" or the "analytic" centre."""
        point, word = np.empty(self.dim), search.encode()
        _check(_C.sr_set_find_anchor(self._handle, word, len(word), _address(point), point.size, None, None))
        return point

    def with_anchor(self, anchor: Numbers) -> Set:
        """The same set with the given interior point, (dim). The point is checked when a layer is made."""
        point = _numbers(anchor, "anchor").ravel()
        return _wrapped(_made(_C.sr_set_with_anchor, self._handle, _address(point), point.size))

    def violation(self, x: Numbers) -> np.ndarray:
        """How far each row of x (..., dim) lies outside: (...), float64; 0 for a feasible row, NaN for one with a NaN.
        An equality counts only if it is off by more than the rounding of x."""
        rows = _rows_of(x, "x", self.dim)
        out = np.empty(np.shape(x)[:-1])
        call = getattr(_C, f"sr_set_violation_{_PRECISION[rows.dtype]}")
        _check(call(self._handle, _view(rows), _address(out), out.size))
        return out

    def to_json(self) -> str:
        """The text of a SET.json that describes the set."""
        return _text(_C.sr_set_to_json, self._handle)

    def __repr__(self) -> str:
        return _text(_C.sr_set_to_text, self._handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> Tuple[Any, ...]:
        return parse_set, (self.to_json(),)


def _field(field: Dict[str, Any], value: Any, keep: List[Any]) -> Optional[_Field]:
    """One argument of a constructor in the form that the library takes; `keep` keeps its memory alive."""
    name = field["name"].encode()
    out = _Field(name=name, name_length=len(name))
    if field["kind"] in ("set", "sets"):
        sets = list(value) if field["kind"] == "sets" else [value]
        for part in sets:
            if not isinstance(part, Set):
                raise ValueError(f"{field['name']}: expected a set, got {part!r:.60}")
        handles = (ctypes.c_void_p * len(sets))(*[part._handle for part in sets])
        keep.append(handles)
        out.sets, out.num_sets = ctypes.addressof(handles), len(sets)
        return out
    if value is None:
        return None
    if hasattr(value, "tocoo"):  # a sparse matrix of scipy
        entries = value.tocoo()
        places = [np.ascontiguousarray(index, np.uintp) for index in (entries.row, entries.col)]
        arrays = [_numbers(entries.data, field["name"]), *places]
        keep.extend(arrays)
        out.entry_rows, out.entry_columns, out.num_entries = _address(arrays[1]), _address(arrays[2]), arrays[0].size
        shape = entries.shape
    else:
        arrays = [_numbers(value, field["name"])]
        keep.extend(arrays)
        shape = arrays[0].shape
        if len(shape) > 3:
            raise ValueError(f"{field['name']}: expected at most 3 dimensions, got {len(shape)}")
    out.numbers, out.rank = _address(arrays[0]), len(shape)
    out.shape[: len(shape)] = shape
    return out


def _set_signature(row: Dict[str, Any]) -> inspect.Signature:
    """The signature of a set: its fields in the table's order. A field has a default if it and all after it are optional."""
    parameters, optional = [], True
    for field in reversed(row["fields"]):
        optional = optional and not field["required"]
        if field["kind"] == "sets":
            parameters.append(inspect.Parameter(field["name"], inspect.Parameter.VAR_POSITIONAL))
        else:
            default = field.get("otherwise") if optional else inspect.Parameter.empty
            parameters.append(inspect.Parameter(field["name"], inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
    return inspect.Signature(parameters[::-1])


def _bound(title: str, signature: inspect.Signature, arguments: Tuple[Any, ...], named: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments by name. The parts of a combined set may be given as one list."""
    if len(arguments) == 1 and isinstance(arguments[0], (list, tuple)):
        if [p.kind for p in signature.parameters.values()] == [inspect.Parameter.VAR_POSITIONAL]:
            arguments = tuple(arguments[0])
    try:
        bound = signature.bind(*arguments, **named)
    except TypeError as error:
        raise TypeError(f"{title}: {error}") from None
    bound.apply_defaults()
    return bound.arguments


def _wrapped(handle: ctypes.c_void_p) -> Set:
    """A set of the library in the class of its type."""
    name = _text(_C.sr_set_to_text, handle).split("(", 1)[0]
    made = object.__new__(_SETS[name])
    made._own(handle)
    return made


def parse_set(json: str) -> Set:
    """a set from the text of a SET.json"""
    text = json.encode()
    return _wrapped(_made(_C.sr_set_parse, text, len(text)))


def load_set(path: Union[str, "os.PathLike[str]"]) -> Set:
    """a set from a SET.json file"""
    text = os.fsencode(path)
    return _wrapped(_made(_C.sr_set_load, text, len(text)))


# ------------------------------------------------------------------------------------------------------------- layers


class ConstraintLayer:
    """A layer by the name of its method: ConstraintLayer(set, "dc3", steps=5). The methods have classes, too: Dc3(set, 5).

    Every call takes u (..., input_dim) and gives arrays (..., dim) of the same dtype, float32 or float64.
    """

    options: Tuple[str, ...] = ()  # in a method's class: the names of its options
    _handle: ctypes.c_void_p

    def __init__(
        self,
        set: Set,
        method: str,
        contraction: str = "",
        anchor: Any = "auto",
        check_finite: bool = False,
        **options: Union[float, str],
    ) -> None:
        given: Dict[str, Any] = {"method": method}
        if contraction:
            given["contraction"] = contraction
        if check_finite:
            given["check_finite"] = True
        given["anchor"] = anchor if isinstance(anchor, str) else "auto" if anchor is None else _finite_list("anchor", anchor)
        for name, value in options.items():
            given[name.rstrip("_")] = value if value == "auto" else _finite_list(name, value)
        self._make(set, given)

    def _make(self, set: Set, options: Dict[str, Any]) -> None:
        if not isinstance(set, Set):
            raise TypeError(f"set: expected a softradial.numpy.Set, got {type(set).__name__}")
        text = _json.dumps(options).encode()
        self._handle = _made(_C.sr_layer_make, set._handle, text, len(text))
        weakref.finalize(self, _C.sr_layer_free, self._handle)
        self.set = set
        self.dim = _size(_C.sr_layer_dim, self._handle)
        self.input_dim = _size(_C.sr_layer_input_dim, self._handle)

    def __call__(self, u: Numbers, training: bool = False) -> np.ndarray:
        """x (..., dim) for u (..., input_dim), as in deployment. `training`: as in training, which differs only for Dc3 and
        HardNet."""
        return self._map("project" if training else "evaluate", (u, "u", self.input_dim), self.dim)

    def vjp(self, u: Numbers, grad_x: Numbers) -> np.ndarray:
        """J' grad_x, (..., input_dim), where J is the Jacobian of the layer at u, as in training."""
        return self._map("project_vjp", (u, "u", self.input_dim), self.input_dim, (grad_x, "grad_x", self.dim))

    def jvp(self, u: Numbers, tangent_u: Numbers) -> np.ndarray:
        """J tangent_u, (..., dim). This method and the next ones are for layers with an inverse: SoftRadial, HardRadial,
        GaugeMap, SoftOrthogonal, Mirror."""
        return self._map("project_jvp", (u, "u", self.dim), self.dim, (tangent_u, "tangent_u", self.dim))

    def inverse(self, x: Numbers) -> np.ndarray:
        """The u on the set's affine hull with layer(u) = x; NaN in rows outside the set."""
        return self._map("inverse", (x, "x", self.dim), self.dim)

    def log_abs_det(self, u: Numbers) -> np.ndarray:
        """log |det J(u)| on the directions of the set's affine hull, (...)."""
        return self._number("log_abs_det", u)

    def slack(self, u: Numbers) -> np.ndarray:
        """1 - the gauge of layer(u), (...): 1 at the anchor, towards 0 at the boundary, never 0. For SoftRadial, HardRadial
        and GaugeMap."""
        return self._number("slack", u)

    def _map(
        self, name: str, first: Tuple[Any, str, int], width: int, second: Optional[Tuple[Any, str, int]] = None
    ) -> np.ndarray:
        rows = _rows_of(*first)
        out = np.empty((rows.shape[0], width), rows.dtype)
        views = [_view(rows)]
        if second is not None:
            # The array must live until the call is over: the view does not keep it alive.
            others = _rows_of(*second, like=rows.dtype)
            views.append(_view(others))
        _check(getattr(_C, f"sr_{name}_{_PRECISION[rows.dtype]}")(self._handle, *views, _view(out)))
        shape = np.shape(first[0])
        return out if len(shape) == 2 else out.reshape(shape[:-1] + (width,))

    def _number(self, name: str, u: Numbers) -> np.ndarray:
        rows = _rows_of(u, "u", self.dim)
        out = np.empty(np.shape(u)[:-1], rows.dtype)
        _check(getattr(_C, f"sr_{name}_{_PRECISION[rows.dtype]}")(self._handle, _view(rows), _address(out), out.size))
        return out

    @property
    def anchor(self) -> np.ndarray:
        """The interior point that the layer keeps fixed, (dim) in double precision."""
        point = np.empty(self.dim)
        _check(_C.sr_layer_anchor(self._handle, _address(point), point.size))
        return point

    @property
    def hull_dim(self) -> int:
        """The dimension of the set's affine hull."""
        return _size(_C.sr_layer_hull_dim, self._handle)

    def to_json(self) -> str:
        """A text from which layer_from_json makes the same layer. It contains the anchor that was found."""
        return _json.dumps({"set": _json.loads(self.set.to_json()), **_json.loads(_text(_C.sr_layer_to_json, self._handle))})

    def __repr__(self) -> str:
        options = _json.loads(_text(_C.sr_layer_to_json, self._handle))
        shown = "".join(f", {name}={value:g}" for name, value in options.items() if isinstance(value, float))
        contraction = f", {options['contraction']}" if "contraction" in options else ""
        return f"{type(self).__name__}({self.set}{contraction}{shown})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return layer_from_json, (self.to_json(),)


def _finite_list(name: str, value: Any) -> Any:
    """A number or a list of numbers for JSON, which has no infinity."""
    array = _numbers(value, name)
    for number in array.ravel():
        if not math.isfinite(number):
            raise ValueError(f"{name} is {number:g}, not a finite number")
    return array.tolist()


def layer_from_json(json: str) -> ConstraintLayer:
    """the layer that `to_json` described"""
    options = _json.loads(json)
    made = object.__new__(_LAYERS.get(options.get("method", "soft_radial"), ConstraintLayer))
    made._make(parse_set(_json.dumps(options.pop("set"))), options)
    return made


def layer_from_state(state: Any) -> ConstraintLayer:
    """The layer that a PyTorch layer saved, or that `to_json` described. `state` is the value of the key "..._extra_state"
    in a state_dict (bytes, or an array or a tensor of them), or a state_dict with exactly one such key."""
    if isinstance(state, Mapping):
        keys = [key for key in state if key.endswith("_extra_state")]
        if len(keys) != 1:
            raise ValueError(f"state: expected one key that ends with _extra_state, got {len(keys)}")
        state = state[keys[0]]
    text = state if isinstance(state, (str, bytes)) else np.asarray(state, dtype=np.uint8).tobytes()
    saved = _json.loads(text)
    if "map" in saved:  # from SoftRadial, HardRadial, GaugeMap: always four words, even if the method has fewer
        method, contraction, lambda_, epsilon = saved.pop("map")
        own = _LAYERS[method].options
        numbers = {"contraction": contraction, "lambda": lambda_, "epsilon": epsilon}
        saved.update(method=method, **{name: value for name, value in numbers.items() if name in own})
    if "layer" in saved:  # from the other layers
        words = saved.pop("layer")
        saved.update(words.pop("options"), **{name: value for name, value in words.items() if value != ""})
    return layer_from_json(_json.dumps(saved))


def _layer_signature(row: Dict[str, Any]) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    defaults: Dict[str, Any] = {"contraction": row["contraction"]} if "contraction" in row else {}
    for option in row["options"]:
        name, value = option["name"], option["otherwise"]
        whole = not isinstance(value, str) and value.is_integer()
        defaults[name + "_" * keyword.iskeyword(name)] = int(value) if whole else value
    if row["anchor"]:
        defaults["anchor"] = "auto"
    defaults["check_finite"] = False
    parameters = [inspect.Parameter(name, kind, default=value) for name, value in defaults.items()]
    return inspect.Signature([inspect.Parameter("set", kind), *parameters])


# -------------------------------------------------------------------------------- a class for each set and each method


def _set_class(row: Dict[str, Any]) -> Type[Set]:
    names = {"_row": row, "__doc__": row["formula"], "__module__": __name__, "__signature__": _set_signature(row)}
    return type(row["title"], (Set,), names)


def _layer_class(row: Dict[str, Any]) -> Type[ConstraintLayer]:
    signature = _layer_signature(row)

    def __init__(self: ConstraintLayer, *arguments: Any, **named: Any) -> None:
        given = _bound(row["title"], signature, arguments, named)
        ConstraintLayer.__init__(self, given.pop("set"), row["name"], **given)

    doc = f"The method {row['name']}: docs/methods says what it guarantees."
    options = ("contraction",) * ("contraction" in row) + tuple(option["name"] for option in row["options"])
    names = {"__init__": __init__, "__doc__": doc, "__module__": __name__, "__signature__": signature, "options": options}
    return type(row["title"], (ConstraintLayer,), names)


_SETS = {row["name"]: _set_class(row) for row in _json.loads(_text(_C.sr_set_types))}
_LAYERS = {row["name"]: _layer_class(row) for row in _json.loads(_text(_C.sr_methods))}
_CLASSES: Dict[str, type] = {made.__name__: made for made in (*_SETS.values(), *_LAYERS.values())}
globals().update(_CLASSES)

__version__: str = _C.sr_version().decode()
__all__ = sorted(
    ["ConstraintLayer", "Numbers", "Set", "layer_from_json", "layer_from_state", "load_set", "parse_set", *_CLASSES]
)


def __dir__() -> List[str]:
    return [*__all__, "__version__"]


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
