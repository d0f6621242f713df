"""What the tests know of a set. The families' modules in support/sets fill these in; the tests run over all of them."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from torch import Tensor

from support.inputs import uniform
from support.judge import Judge


@dataclass(frozen=True, eq=False)
class Case:
    """A set, small and named, with its judge."""

    name: str
    set: Any
    judge: Judge
    # A row has the same bits alone and in a batch. Not promised where a product with a matrix is inside, which may sum
    # in another order.
    bitwise: bool = True
    # Standard ONNX operators suffice.
    onnx: bool = True
    # All equalities are declared: samples see those alone.
    declared: bool = True
    # Directions in which the set never ends.
    rays: Sequence[Sequence[float]] = ()

    @property
    def dim(self) -> int:
        return self.set.dim

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Twin:
    """A Python function, the set of the library that it describes, and an interior point."""

    function: Callable[[Tensor], Tensor]
    set: Any
    anchor: Any
    # Twice differentiable wherever tests look.
    smooth: bool = False


Draw = Callable[[int, torch.Generator], Tensor]


def around(values: Any, spread: float) -> Draw:
    """Data (rows, width) within `spread` of the values given."""
    values = torch.as_tensor(values, dtype=torch.float64)
    return lambda rows, rng: values + spread * uniform((rows, *values.shape), rng, -1, 1)


# All sets of samples are in R^4.
DIM = 4


@dataclass(frozen=True)
class Kind:
    """A set in R^DIM, each piece of data that a sample may bring, and the set of one sample."""

    set: Any
    data: Dict[str, Draw]
    fixed: Callable[..., Any]
    # Without an anchor in the call, one is searched for.
    searched: bool = False
    # The number of threads changes no bit.
    bitwise: bool = True


@dataclass
class Samples:
    """A set, the data of each sample, and a judge for each sample."""

    set: Any
    data: Dict[str, Tensor]
    judges: List[Judge]
    # Whether the samples are anchored at the layer's own anchor; else the layer finds their anchors.
    anchored: bool = False
    # The anchors, where equalities are measured against them.
    anchors: Optional[Tensor] = None


def each(make: Callable[..., Judge], *tensors: Tensor) -> List[Judge]:
    """A judge for each sample's data."""
    return [make(*data) for data in zip(*tensors)]


@dataclass
class Family:
    """A family of sets. A dictionary's keys are the names of tests."""

    cases: List[Case]
    # A construction that must fail, and what its message must name.
    bad: Dict[str, Tuple[Callable[[], Any], str]]
    twins: Dict[str, Twin] = field(default_factory=dict)
    # Sets made of a set in R^3.
    combines: Dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    # Random sets of any dimension: (dim, rng) -> (set, judge).
    random: Dict[str, Callable[..., Tuple[Any, Judge]]] = field(default_factory=dict)
    # Data that change from sample to sample: kinds in R^DIM, and random ones: (count, dim, dtype, rng) -> Samples.
    kinds: Dict[str, Kind] = field(default_factory=dict)
    samples: Dict[str, Callable[..., Samples]] = field(default_factory=dict)
    # Curved inequalities in R^n with the origin inside, and data of samples that a call takes as others=: (draws, n) ->
    # sets, and (draws, n, count) -> the data and, as a function of one sample's, its set. draws(*shape, seed=...) are
    # normal numbers.
    curved: Dict[str, Callable[..., List[Any]]] = field(default_factory=dict)
    others: Dict[str, Callable[..., Tuple[Dict[str, Tensor], Callable[..., Any]]]] = field(default_factory=dict)
    # A call's data that must be refused: kind, data, what the message begins with.
    wrong_data: Dict[str, Tuple[str, Dict[str, Tensor], str]] = field(default_factory=dict)
    # "name.datum": the set as a function of that datum, and where it starts. Data that layers learn, and data that no
    # layer's call takes from a sample.
    learned: Dict[str, Tuple[Callable[[Any], Any], Any]] = field(default_factory=dict)
    not_learned: Dict[str, Tuple[Callable[[Any], Any], Any]] = field(default_factory=dict)
    # A set of dimension 2 or 3 and the half-width around its anchor of a cube, in coordinates of the hull, that holds it.
    densities: Dict[str, Tuple[Any, float]] = field(default_factory=dict)


def matrix(rows: int, columns: int, seed: int) -> Tensor:
    """Standard normal numbers; the seed makes each matrix a constant."""
    return torch.randn(rows, columns, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
