"""./dev verify goes through every type of set that the library has, with every field of it, and says so where it does
not."""

import subprocess
import sys
from pathlib import Path

import pytest

CAMPAIGN = Path(__file__).parents[2] / "tools" / "verify" / "campaign.py"
sys.path.insert(0, str(CAMPAIGN.parent))
from subjects import missing_subjects  # noqa: E402
from surfaces import SURFACES  # noqa: E402

TYPES = SURFACES["c"]().set_types()


def test_no_type_of_the_library_is_without_a_subject():
    assert len(TYPES) > 10 and missing_subjects(TYPES) == []


@pytest.mark.parametrize("row, name", [
    ({"name": "torus", "fields": []}, "torus"),
    ({**TYPES[0], "fields": [*TYPES[0]["fields"], {"name": "twist"}]}, f"{TYPES[0]['name']}.twist"),
])
def test_what_no_subject_has_is_named(row, name):
    assert missing_subjects([*TYPES, row]) == [name]


def test_the_campaign_refuses_to_run_without_it():
    """In one line, and with an exit code."""
    text = f"""
import sys
sys.path.insert(0, {str(CAMPAIGN.parent)!r})
import campaign, surfaces
known = surfaces.CSurface.set_types
surfaces.CSurface.set_types = lambda self: [*known(self), {{"name": "torus", "fields": []}}]
sys.argv = ["verify", "--rows", "1", "--only", "box_1 hard_radial"]
sys.exit(campaign.main())
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode != 0 and done.stdout == ""
    assert done.stderr.splitlines() == ["verify: the library has sets that no subject of tools/verify/families has: torus"]
