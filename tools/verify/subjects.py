"""The sets of the campaign, as SET.json has them: every type in ordinary and in awkward forms, from families/."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Sequence, Set

import families
from families.arithmetic import Json
from families.table import contents, dim_of, has_exits

TABLE = families.TABLE
# The reference in 60 digits takes its time.
MOST_DIGITS_DIM = 10


def ordinary_subjects() -> Dict[str, Json]:
    """Of ordinary size and condition."""
    return {name: description for kind in TABLE.values() for name, description in kind.ordinary.items()}


def subjects() -> Dict[str, Json]:
    found: Dict[str, Json] = {}
    for kind in TABLE.values():
        found.update({**kind.ordinary, **kind.awkward})
    return found


def unbounded_subjects() -> Set[str]:
    """The ordinary ones that do not end in some direction."""
    return {name for kind in TABLE.values() for name in kind.unbounded}


def subjects_with_reference() -> Set[str]:
    return {name for name, description in ordinary_subjects().items()
            if dim_of(description) <= MOST_DIGITS_DIM and has_exits(description)}


def set_text(description: Json) -> str:
    """As SET.json has it."""
    return json.dumps(description).replace("Infinity", '"inf"')


def missing_subjects(library_types: Sequence[Dict[str, Any]]) -> List[str]:
    """What the library's table of types has and no subject: types, and their fields as type.field."""
    found: Dict[str, Set[str]] = {}
    for description in subjects().values():
        for part in contents(description):
            found.setdefault(part["type"], set()).update(part)
    missing: List[str] = []
    for row in library_types:
        name, fields = row["name"], [field["name"] for field in row["fields"]]
        missing += [f"{name}.{field}" for field in fields if field not in found[name]] if name in found else [name]
    return missing
