"""Hard convex constraints for any model's output: layers that map all of R^n one-to-one onto the interior of a set."""

from typing import TYPE_CHECKING, List, Type

from . import distributions, functional, sets
from .anchors import analytic_center
from .layers import GaugeMap, HardRadial, SoftRadial
from .level_sets import LevelSet
from .methods import (
    ConstraintLayer,
    Dc3,
    HardNet,
    HardNetAff,
    HardNetCvx,
    Hop,
    Hp,
    Orthogonal,
    QpLayer,
    RayScalar,
    Rayen,
    SoftPenalty,
    Softmax,
)
from .sets import *  # noqa: F401, F403 (one class for each type of the library's table)

if TYPE_CHECKING:
    # The classes of the table: softradial/sets.py.
    def __getattr__(name: str) -> Type[sets.LibrarySet]: ...


__version__ = "0.1.0"

__all__ = [
    "ConstraintLayer",
    "Dc3",
    "GaugeMap",
    "HardNet",
    "HardNetAff",
    "HardNetCvx",
    "HardRadial",
    "Hop",
    "Hp",
    "LevelSet",
    "Orthogonal",
    "QpLayer",
    "RayScalar",
    "Rayen",
    "SoftPenalty",
    "SoftRadial",
    "Softmax",
    "analytic_center",
    "distributions",
    "functional",
    *sets.__all__,
]


def __dir__() -> List[str]:
    return sorted([*__all__, "__version__"])
