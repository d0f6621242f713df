import os
from typing import Any, Callable, Dict, List, Sequence, Union

from torch import Tensor

__all__: List[str]

Numbers = Union[Tensor, Sequence[Any], float, int]

class Set:
    """A closed convex set. Immutable; a class of TorchScript."""

    @property
    def dim(self) -> int: ...
    def violation(self, x: Tensor) -> Tensor:
        """How far each row of x (..., dim) lies outside, 0 for a feasible row: (...), double."""
    def to_json(self) -> str:
        """The text of a SET.json that describes the set."""
    def with_anchor(self, anchor: Tensor) -> Set:
        """The same set with an interior point of the user's."""
    def learned(self) -> Dict[str, Tensor]:
        """Those of the tensors that it was built from that require a gradient."""
    def equals(self, other: Set) -> bool:
        """Whether both were built from the same data."""

# One constructor for each type of the library's table.
def __getattr__(name: str) -> Callable[..., Set]: ...
def parse_set(json: str) -> Set: ...
def load_set(path: Union[str, os.PathLike[str]]) -> Set: ...
def _build(make: Callable[..., Any], *arguments: Any) -> Any: ...
def _constant(name: str, values: Numbers) -> Tensor: ...
def _tensor(values: Numbers) -> Tensor: ...
def first_line(error: BaseException) -> str: ...
