"""Converts numbers, lists and arrays to the tensors that the library takes."""

from typing import Any, Sequence, Union

import torch
from torch import Tensor

Numbers = Union[Tensor, Sequence[Any], float, int, Any]


def to_tensor(name: str, values: Numbers) -> Tensor:
    """Converts values to a tensor. A tensor is returned unchanged; an array is copied and keeps its type; Python's numbers
    and lists become double precision, as in Python; a list of tensors is stacked."""
    if isinstance(values, Tensor):
        return values
    try:
        if hasattr(values, "__array__"):
            return _from_array(values)
        if isinstance(values, (list, tuple)):
            if any(isinstance(part, Tensor) for part in values):
                return torch.stack([to_tensor(name, part) for part in values])
            if any(hasattr(part, "__array__") for part in values):
                return _from_array(values)
        return torch.as_tensor(values, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):
        if _all_numbers(values):
            raise ValueError(f"{name}: expected rows of one length") from None
        raise TypeError(f"{name}: expected numbers, got {type(values).__name__}") from None


def _all_numbers(values: Any) -> bool:
    if isinstance(values, (list, tuple)):
        return all(_all_numbers(part) for part in values)
    return isinstance(values, (int, float, Tensor)) or hasattr(values, "__array__")


def _from_array(values: Any) -> Tensor:
    import numpy  # whoever has an array has numpy

    return torch.from_numpy(numpy.array(values))


def first_line(error: BaseException) -> str:
    return str(error).split("\n", 1)[0]


def without_stack(error: BaseException) -> str:
    """The message without the C++ stack that torch appends to its own."""
    return str(error).split("\nException raised from", 1)[0]


def dtype_name(tensor: Tensor) -> str:
    """float32, int64, ..."""
    return str(tensor.dtype).split(".")[-1]


def shape_text(tensor: Tensor) -> str:
    """(2, 3), as the library writes it."""
    return f"({', '.join(map(str, tensor.shape))})"
