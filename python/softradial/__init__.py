"""Hard convex constraints for any model's output: layers that map all of R^n one-to-one onto the interior of a set."""

from . import distributions
from .anchors import analytic_center
from .layers import GaugeMap, HardRadial, SoftRadial
from .sets import (
    AffinePreimage,
    Ball,
    Box,
    CappedSimplex,
    Ellipsoid,
    Intersection,
    KlBall,
    Lmi,
    LogSumExp,
    LpBall,
    Polyhedron,
    Product,
    Quadratic,
    Scaled,
    SecondOrderCone,
    Set,
    Simplex,
    load_set,
    parse_set,
)

__version__ = "0.1.0"

__all__ = [
    "AffinePreimage",
    "Ball",
    "Box",
    "CappedSimplex",
    "Ellipsoid",
    "GaugeMap",
    "HardRadial",
    "Intersection",
    "KlBall",
    "Lmi",
    "LogSumExp",
    "LpBall",
    "Polyhedron",
    "Product",
    "Quadratic",
    "Scaled",
    "SecondOrderCone",
    "Set",
    "Simplex",
    "SoftRadial",
    "analytic_center",
    "distributions",
    "load_set",
    "parse_set",
]
