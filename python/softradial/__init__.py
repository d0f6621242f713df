"""Hard convex constraints for any model's output: layers that map all of R^n one-to-one onto the interior of a set.

softradial.numpy has the layers for numpy arrays and needs no torch; everything else needs torch.
"""

import importlib
from typing import Any, List, Optional

from . import _build

_torch_error: Optional[Exception] = None
try:
    from . import _library  # noqa: F401 (imported first: its error says which torch fits)
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
        Mirror,
        Orthogonal,
        QpLayer,
        RayScalar,
        Rayen,
        SoftOrthogonal,
        SoftPenalty,
        Softmax,
    )
    from .policies import DispatchPolicy, Policy, PortfolioPolicy, load_policy
    from .sets import *  # noqa: F401, F403 (one class for each type of the library's table)
except (ImportError, OSError) as error:  # no torch, or the wrong one: reported at the first use of what needs it
    _torch_error = error


def __getattr__(name: str) -> Any:
    if name == "numpy":
        return importlib.import_module(".numpy", __name__)
    if _torch_error is None or name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    raise ImportError(f"softradial.{name} needs torch: {_torch_error}; softradial.numpy does not") from _torch_error


__version__ = _build.version

__all__ = [
    "ConstraintLayer",
    "Dc3",
    "DispatchPolicy",
    "GaugeMap",
    "HardNet",
    "HardNetAff",
    "HardNetCvx",
    "HardRadial",
    "Hop",
    "Hp",
    "LevelSet",
    "Mirror",
    "Orthogonal",
    "Policy",
    "PortfolioPolicy",
    "QpLayer",
    "RayScalar",
    "Rayen",
    "SoftOrthogonal",
    "SoftPenalty",
    "SoftRadial",
    "Softmax",
    "analytic_center",
    "distributions",
    "functional",
    "load_policy",
]
if _torch_error is None:
    __all__ += sets.__all__
else:
    __all__.clear()


def __dir__() -> List[str]:
    return sorted([*__all__, "__version__", "numpy"])
