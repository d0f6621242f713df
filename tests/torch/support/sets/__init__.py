"""The families of sets: each module has the cases of its sets and their judges, side by side."""

from typing import Any, Dict, List

from support.case import Family
from support.sets import combinations, cones, coordinates, levels, quadratics, rows

FAMILIES: List[Family] = [module.FAMILY for module in (coordinates, rows, quadratics, cones, levels, combinations)]


def gather(field: str) -> Dict[str, Any]:
    """One dictionary of all families."""
    return {name: entry for family in FAMILIES for name, entry in getattr(family, field).items()}
