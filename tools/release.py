#!/usr/bin/env python3
"""The release checklist, one line a point: release.py [POINT...]. `./dev release` installs what it needs and runs it.

Every point writes a log, build-package/release/POINT.log; a point that fails names it.
"""

import argparse
import filecmp
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict, List, TextIO

SOURCE = Path(__file__).resolve().parents[1]
BUILD = SOURCE / "build-package"
PACKAGES = BUILD / "packages"
LIBRARY = BUILD / "lib" / "libsoftradial_c.so"
HEADER = SOURCE / "include" / "softradial" / "softradial.h"
BASELINE = SOURCE / "abi" / "libsoftradial_c.abi"
PRIVATE = SOURCE / "abi" / "private.abignore"
# Bits of abidiff's exit code: a change, and one that surely breaks programs. A change in place has the first alone.
ABI_CHANGED, ABI_BROKEN = 4, 8


class Failed(Exception):
    """A point does not hold; the text says why."""


class Point:
    """Where a point runs its commands and writes its log."""

    def __init__(self, log: TextIO):
        self.log = log

    def run(self, *words: object, folder: Path = SOURCE, codes: int = 0, **environment: str) -> str:
        """Output of a command; an exit code with other bits than those of `codes` is a failure."""
        command = [str(word) for word in words]
        self.log.write("$ " + shlex.join(command) + "\n")
        self.log.flush()
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, **environment})
        self.log.write(done.stdout)
        self.log.flush()
        if done.returncode & ~codes or done.returncode < 0:
            raise Failed(f"{command[0]} {command[1] if len(command) > 1 else ''} ended with {done.returncode}")
        return done.stdout


def version() -> str:
    found = re.search(r"^project\(softradial VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)
    if not found:
        raise Failed("CMakeLists.txt states no version")
    return found[1]


def epoch(point: Point) -> str:
    """The date of everything that a release holds: that of its commit."""
    return point.run("git", "log", "-1", "--format=%ct").strip()


def check_version(point: Point) -> str:
    """One version: what is built says the same as project(), and the changelog has a heading for it."""
    number = version()
    if not re.fullmatch(r"\d+\.\d+\.\d+", number):
        raise Failed(f"{number} is no semantic version")
    if f"\n## {number}" not in (SOURCE / "CHANGELOG.md").read_text():
        raise Failed(f"CHANGELOG.md has no heading ## {number}")
    said = point.run("git", "grep", "-nF", f'"{number}"', "--", "*.py", "*.toml", "*.hpp", "*.cpp", "*.h", "*.in", codes=1)
    if said:
        raise Failed(f"the version is stated in a second place: {said.splitlines()[0]}")
    return number


def check_tests(point: Point) -> str:
    return last_match(r"(\d+% tests passed.*)", point.run("./dev", "test"))


def check_docs(point: Point) -> str:
    return last_match(r"(\d+ pages in .*)", point.run("./dev", "docs"))


def check_packages(point: Point) -> str:
    point.run("cmake", "--preset", "package")
    point.run("cmake", "--build", "--preset", "package")
    shutil.rmtree(PACKAGES, ignore_errors=True)
    point.run("cpack", "--config", BUILD / "CPackConfig.cmake", SOURCE_DATE_EPOCH=epoch(point))
    debs = sorted(PACKAGES.glob("*.deb"))
    if len(debs) != 5:
        raise Failed(f"{len(debs)} packages instead of 5")
    return f"{len(debs)} packages, {sum(deb.stat().st_size for deb in debs) / 1e6:.1f} MB"


def check_exports(point: Point) -> str:
    """The C library lets out the functions of its header and nothing else."""
    build_c_library(point)
    names = set(re.findall(r"\b(sr_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)))
    lines = point.run("nm", "-D", "--defined-only", LIBRARY).splitlines()
    exported = {line.split()[-1].split("@")[0] for line in lines}
    if exported != names:
        raise Failed("exported and not declared, or the other way: " + " ".join(sorted(exported ^ names)))
    return f"{len(exported)} functions of the C interface, and nothing else"


def check_abi(point: Point) -> str:
    """Programs that were built against the recorded interface go on working; abi/README.md."""
    build_c_library(point)
    done = point.run("abidiff", "--suppressions", PRIVATE, "--exported-interfaces-only", BASELINE, LIBRARY,
                     codes=ABI_CHANGED | ABI_BROKEN)
    broken = [f"{count} {what}" for count, what in re.findall(r"(\d+) (Removed|Changed)", done) if int(count)]
    if broken:
        raise Failed(f"functions or variables of the interface: {', '.join(broken)}")
    return "as recorded" if not done.strip() else "grown, compatible: record it (./dev release record-abi)"


def record_abi(point: Point) -> str:
    build_c_library(point)
    BASELINE.parent.mkdir(exist_ok=True)
    point.run("abidw", "--suppressions", PRIVATE, "--exported-interfaces-only", "--no-corpus-path", "--no-comp-dir-path",
              "--no-show-locs", "--no-elf-needed", "--no-parameter-names", "--out-file", BASELINE, LIBRARY)
    return f"{BASELINE.relative_to(SOURCE)}: {BASELINE.stat().st_size / 1e3:.0f} kB"


def build_c_library(point: Point) -> None:
    point.run("cmake", "--preset", "package")
    point.run("cmake", "--build", "--preset", "package", "--target", "softradial_c")


def check_same_bytes(point: Point) -> str:
    """The library, built again from a copy in another folder, has the same bytes."""
    build_c_library(point)
    libraries = ["src/core/libsoftradial.a", "src/layers/libsoftradial_baselines.a", "lib/libsoftradial_c.so"]
    with tempfile.TemporaryDirectory(prefix="softradial-") as folder:
        copy = Path(folder) / "copy" / "of" / "another" / "depth"
        for name in point.run("git", "ls-files", "--cached", "--others", "--exclude-standard").splitlines():
            if (SOURCE / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(SOURCE / name, copy / name)
        again = copy / "build-package"
        point.run("cmake", "--preset", "package", folder=copy)
        point.run("cmake", "--build", again, "--target", "softradial_c", folder=copy)
        for library in libraries:
            if not filecmp.cmp(BUILD / library, again / library, shallow=False):
                raise Failed(f"{library} has other bytes")
    return f"{len(libraries)} libraries, built in two folders"


def check_sbom(point: Point) -> str:
    built_with = os.environ.get("SOFTRADIAL_BUILT_WITH", "").split()
    out = PACKAGES / f"softradial-{version()}.spdx.json"
    return point.run(SOURCE / "tools" / "sbom.py", PACKAGES, out, "--built-with", *built_with,
                     SOURCE_DATE_EPOCH=epoch(point)).strip()


def check_clean_system(point: Point) -> str:
    """The packages, installed and used in a Debian that has nothing else."""
    root = SOURCE / "tools" / "debian_root.sh"
    packages = Path(os.environ.get("SOFTRADIAL_PACKAGES", PACKAGES))
    if not list(packages.glob("*.deb")):
        raise Failed(f"{packages} has no packages")
    point.run(root, "make", "bookworm")
    steps = point.run(root, "try", "bookworm", SOURCE, "tests/package/deb_user.sh", SOURCE, packages)
    return f"{len(re.findall(r'^deb_user: ', steps, re.MULTILINE))} steps of a user"


def last_match(pattern: str, text: str) -> str:
    found = re.findall(pattern, text)
    return found[-1] if found else "done"


POINTS: Dict[str, Callable[[Point], str]] = {
    "version": check_version,
    "tests": check_tests,
    "docs": check_docs,
    "packages": check_packages,
    "exports": check_exports,
    "abi": check_abi,
    "same-bytes": check_same_bytes,
    "sbom": check_sbom,
    "clean-system": check_clean_system,
}
ON_REQUEST = {"record-abi": record_abi}


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev release", description=(__doc__ or "").split(":")[0])
    names: List[str] = [*POINTS, *ON_REQUEST]
    parser.add_argument("points", nargs="*", metavar="POINT", help=f"{', '.join(names)}; all but the last by default")
    chosen = parser.parse_args().points or list(POINTS)
    for name in chosen:
        if name not in names:
            parser.error(f"unknown point '{name}': {', '.join(names)}")
    logs = BUILD / "release"
    logs.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in chosen:
        start = time.monotonic()
        path = logs / f"{name}.log"
        with path.open("w") as log:
            try:
                ok, result = True, {**POINTS, **ON_REQUEST}[name](Point(log))
            except Failed as error:
                ok, result = False, f"{error}; see {path.relative_to(SOURCE)}"
        failed += not ok
        print(f"{'ok    ' if ok else 'FAILED'}  {name:13} {result} ({time.monotonic() - start:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
