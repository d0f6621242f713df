"""Hard convex constraints for any model's output: layers that map all of R^n one-to-one onto the interior of a set."""

from . import distributions
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
from . import sets
from .sets import *  # noqa: F403 (one constructor for each type of the library's table)

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
    *sets.__all__,
]
