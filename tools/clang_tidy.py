#!/usr/bin/python3
"""Runs clang-tidy on C++ files, as `./dev lint` does: on all cores, and not again on what has passed before.

    tools/clang_tidy.py [--build FOLDER] [--seconds N] FILE...

A file passes again without a run while its command, the project's files that it includes, .clang-tidy and clang-tidy are
what they were: the cache holds a hash of these for each file that passed (in ~/.cache/softradial/lint, or below
XDG_CACHE_HOME). A header is checked with the source file of its name. With --seconds, no file is begun later than that; the
last line says how many were left out. Exits with 1 if clang-tidy found something.
"""

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Optional, Sequence

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


class Linter:
    def __init__(self, build: Path) -> None:
        entries = json.loads((build / "compile_commands.json").read_text())
        self.commands: Dict[Path, List[str]] = {Path(e["file"]): shlex.split(e["command"]) for e in entries}
        shim = build / "lint" / "vector.hpp"
        shim.parent.mkdir(exist_ok=True)
        shim.write_text(VECTOR)
        # Without OpenMP: clang has no omp.h of its own here.
        self.run = ["clang-tidy", "--quiet", "-p", str(build), "--extra-arg=-fno-openmp", f"--extra-arg=-include{shim}"]
        self.folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "softradial" / "lint"
        self.folder.mkdir(parents=True, exist_ok=True)
        version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
        self.rules = version + (ROOT / ".clang-tidy").read_bytes() + VECTOR.encode()

    def sources(self, files: Sequence[Path]) -> List[Path]:
        """The source files among them and those that have the name of a header among them, in order, each once."""
        named: Dict[str, Path] = {}
        for source in self.commands:
            if not source.is_relative_to(ROOT / "tests"):
                named.setdefault(source.stem, source)
        found = [file if file.suffix == ".cpp" else named.get(file.stem) for file in files]
        return list(dict.fromkeys(file for file in found if file is not None))

    def stamp(self, source: Path) -> Optional[Path]:
        """Where the cache remembers that the file has passed as it is now; None for one that the build does not compile."""
        if source not in self.commands:
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
        # It counts on stderr what it found in the headers of others and does not show.
        errors = [line for line in done.stderr.splitlines(True) if not line.endswith(" generated.\n")]
        sys.stdout.write(done.stdout + "".join(errors))
        sys.stdout.flush()
        if done.returncode == 0 and stamp is not None:
            stamp.touch()
        return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="clang-tidy on C++ files, with a cache and a time limit")
    parser.add_argument("--build", default="build", help="the build folder with compile_commands.json (default: build)")
    parser.add_argument("--seconds", type=float, help="begin no file later than this (default: no limit)")
    parser.add_argument("file", nargs="*")
    arguments = parser.parse_args()

    linter = Linter((ROOT / arguments.build).resolve())
    sources = linter.sources([Path(file).resolve() for file in arguments.file])
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
