"""Nothing that is built or installed by CMake looks for libraries in the current directory."""

import os
import subprocess
from pathlib import Path

import pytest

from elf import is_elf, run_path

BUILD = Path(os.environ["SOFTRADIAL_BUILD_DIR"])


def programs_and_libraries(folder: Path) -> "list[Path]":
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink() and is_elf(path)]


@pytest.mark.parametrize("folder", ["bin", "python"])
def test_no_run_path_has_an_empty_entry(folder: str):
    found = programs_and_libraries(BUILD / folder)
    assert found
    assert [path for path in found if "" in run_path(path)] == []


def test_what_is_installed_has_relative_run_paths_only(tmp_path: Path):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path], check=True, capture_output=True)
    found = programs_and_libraries(tmp_path)
    assert "libsoftradial_torch.so" in {path.name for path in found}
    assert [path for path in found if any(not entry.startswith("$ORIGIN") for entry in run_path(path))] == []
