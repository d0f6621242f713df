"""The families of sets, as the library has them: each module has all that the campaign knows of its types."""
from __future__ import annotations

from families import combinators, cones, coordinates, levels, lmis, quadratics, rows
from families.table import TABLE

for module in (coordinates, rows, quadratics, cones, lmis, levels, combinators):
    TABLE.update({kind.name: kind for kind in module.TYPES})
