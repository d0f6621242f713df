"""Hard convex constraints for any model's output: layers that map all of R^n one-to-one onto the interior of a set."""

from typing import TYPE_CHECKING, Any

from . import _build, _library, distributions, sets  # noqa: F401 (_library before all others: it says which torch fits)
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
from .sets import *  # noqa: F401, F403 (one constructor for each type of the library's table)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


__version__ = _build.version

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
    *sets.__all__,
]
