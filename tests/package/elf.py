"""What the loader reads in a program or a library: the names that it needs, and where it looks for them."""

import re
import subprocess
from pathlib import Path

# The C and C++ run-time, which every system with a torch has.
RUN_TIME = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|gomp))\.so.*")


def _dynamic_section(path: Path) -> str:
    return subprocess.run(["readelf", "--dynamic", path], capture_output=True, text=True, check=True).stdout


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path: Path) -> "set[str]":
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", _dynamic_section(path)))


def soname(path: Path) -> str:
    """The name by which others need a library, if it has one."""
    return "".join(re.findall(r"\(SONAME\).*\[(.*)\]", _dynamic_section(path)))


def run_path(path: Path) -> "list[str]":
    """The entries of RUNPATH or RPATH; an empty one is the current directory."""
    return [entry for text in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", _dynamic_section(path)) for entry in text.split(":")]
