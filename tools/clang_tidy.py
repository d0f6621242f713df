#!/usr/bin/python3
"""Runs clang-tidy on C++ files, as `./dev lint` does: on all cores, and not again on files that have passed before.

    tools/clang_tidy.py [--build FOLDER] [--seconds N] [--only-named] FILE...

A file that passed is not checked again until its compile command, a file of the project that it includes, .clang-tidy or
clang-tidy itself changes: the cache holds a hash of these for each file that passed (in ~/.cache/softradial/lint, or below
XDG_CACHE_HOME). A header is checked with the nearest source file of its name, or else with one that includes it. With
--seconds, no file is begun after that time; the last line says how many were left out. With --only-named, findings in other
files than those named (headers that they include) are shown but do not count.

Exits with 1 if there are findings. A file that clang cannot parse is named and does not count: g++ is the compiler here.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Set

ROOT = Path(__file__).resolve().parent.parent

# LibTorch 1.13 names std::vector<c10::IValue> while IValue is incomplete. In C++20 vector's members are constexpr, and
# clang, from 14 to 19, instantiates these at once where g++ waits: an error. So clang-tidy reads <vector> before anything
# else, and without constexpr. <memory> and <string> keep it; one function that they declare as constexpr and <vector>
# defines gets another name meanwhile.
VECTOR = """\
#pragma once
#include <memory>
#include <string>
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 __fill_a1_of_bits
#include <vector>
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
"""


COMMANDS = "compile_commands.json"
FOLDERS = ("include", "src", "program", "study")

# FILE:LINE:COLUMN: error: TEXT [NAMES OF RULES]
FINDING = re.compile(r"^(/[^:]*):\d+:\d+: (?:warning|error): .*\[([^\]]*)\]$", re.MULTILINE)


def apart(entry: Dict[str, str]) -> List[Dict[str, str]]:
    """The compile command of each source file, where the build compiles several at a time."""
    unity = Path(entry["file"])
    if unity.parent.name != "Unity":
        return [entry]
    sources = re.findall(r'^#include "([^"]+)"', unity.read_text(), re.MULTILINE)
    return [{**entry, "file": file, "command": entry["command"].replace(entry["file"], file)} for file in sources]


class Linter:
    """Checks source files; findings count in the files `counted`, or in all if it is None."""

    def __init__(self, build: Path, counted: Optional[Set[Path]]) -> None:
        self.counted = counted
        entries = [one for entry in json.loads((build / COMMANDS).read_text()) for one in apart(entry)]
        self.commands: Dict[Path, List[str]] = {Path(e["file"]): shlex.split(e["command"]) for e in entries}
        shim = build / "lint" / "vector.hpp"
        shim.parent.mkdir(exist_ok=True)
        shim.write_text(VECTOR)
        (shim.parent / COMMANDS).write_text(json.dumps(entries))
        # Without OpenMP: clang has no omp.h of its own here.
        # The compile commands are those of GCC, which has warnings that clang does not know.
        self.run = ["clang-tidy", "--quiet", "-p", str(shim.parent), "--extra-arg=-fno-openmp",
                    "--extra-arg=-Wno-unknown-warning-option"]
        self.run.append(f"--extra-arg=-include{shim}")
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.folder: Optional[Path] = cache / "softradial" / "lint"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            print(f"clang-tidy: no cache: {error}", file=sys.stderr)
            self.folder = None
        version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
        self.rules = version + (ROOT / ".clang-tidy").read_bytes() + VECTOR.encode()

    def sources(self, files: Sequence[Path]) -> List[Path]:
        """The source files to check for these files, in order, each once."""
        found = [file if file.suffix == ".cpp" else self.source_of(file) for file in files]
        return list(dict.fromkeys(file for file in found if file is not None))

    def source_of(self, header: Path) -> Optional[Path]:
        """The nearest source file of its name, or else the nearest that includes it, itself or by other headers."""
        sources = [source for source in self.commands if not source.is_relative_to(ROOT / "tests")]
        found = [source for source in sources if source.stem == header.stem]
        headers = [header]
        for file in headers:
            if found:
                break
            line = re.compile(rf'^#include "(?:[^"]*/)?{re.escape(file.name)}"', re.MULTILINE)
            found = [source for source in sources if line.search(source.read_text())]
            others = (other for folder in FOLDERS for other in (ROOT / folder).rglob("*.hpp"))
            headers += [other for other in others if other not in headers and line.search(other.read_text())]
        return max(found, key=lambda source: len(os.path.commonpath([str(source), str(header)])), default=None)

    def stamp(self, source: Path) -> Optional[Path]:
        """The cache's entry for the file as it is now; it exists if the file has passed. None: it is not compiled."""
        if self.folder is None or source not in self.commands:
            return None
        command = self.commands[source]
        output = command.index("-o")
        listing = subprocess.run([*command[:output], "-MM", str(source)], capture_output=True, text=True)
        if listing.returncode != 0:
            return None
        digest = hashlib.sha256(self.rules)
        digest.update(" ".join(command).replace(str(ROOT), "").encode())
        for name in listing.stdout.replace("\\\n", " ").split()[1:]:
            file = Path(name).resolve()
            if file.is_relative_to(ROOT):
                digest.update(f"\n{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
        return self.folder / digest.hexdigest()

    def check(self, source: Path) -> bool:
        stamp = self.stamp(source)
        if stamp is not None and stamp.exists():
            return True
        done = subprocess.run([*self.run, str(source)], capture_output=True, text=True)
        # On stderr it counts what it found in headers of others and does not show.
        errors = [line for line in done.stderr.splitlines(True) if not line.endswith(" generated.\n")]
        findings = {(Path(file).resolve(), rules) for file, rules in FINDING.findall(done.stdout)}
        count = [file for file, _ in findings if self.counted is None or file in self.counted]
        note = ""
        if any("clang-diagnostic-error" in rules for _, rules in findings) or (done.returncode != 0 and not findings):
            note = f"clang-tidy: {source}: not checked, clang cannot parse it\n"
            count = []
        elif findings and not count:
            note = f"clang-tidy: {source}: what was found is not in the files named and does not count\n"
        sys.stdout.write(done.stdout + "".join(errors) + note)
        sys.stdout.flush()
        if done.returncode == 0 and stamp is not None:
            stamp.touch()
        return not count


def main() -> int:
    parser = argparse.ArgumentParser(description="clang-tidy on C++ files, with a cache and a time limit")
    parser.add_argument("--build", default="build", help="the build folder with compile_commands.json (default: build)")
    parser.add_argument("--seconds", type=float, help="begin no file later than this (default: no limit)")
    parser.add_argument("--only-named", action="store_true", help="findings in other files do not count")
    parser.add_argument("file", nargs="*")
    arguments = parser.parse_args()

    files = [Path(file).resolve() for file in arguments.file]
    linter = Linter((ROOT / arguments.build).resolve(), set(files) if arguments.only_named else None)
    sources = linter.sources(files)
    end = None if arguments.seconds is None else time.monotonic() + arguments.seconds

    def check(source: Path) -> Optional[bool]:
        return None if end is not None and time.monotonic() > end else linter.check(source)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, sources))
    if None in results:
        print(
            f"clang-tidy: {results.count(None)} of {len(results)} files were not checked: no time left after "
            f"{arguments.seconds:g} seconds; ./dev lint checks all",
            file=sys.stderr,
        )
    return 1 if False in results else 0


if __name__ == "__main__":
    sys.exit(main())
