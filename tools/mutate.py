#!/usr/bin/env python3
"""./dev mutate: changes a sign, a constant or a comparison of the formulas, and asks whether the tests notice.

The tree is copied to build-mutate/, built there without LibTorch, and changed in one place at a time: the places are drawn
with --seed from all lines of code of the files below. What is rebuilt are the library and the tests of the core. A mutant
that no test notices has survived: it is printed, and the exit code is 1. Mutants that change nothing that can be observed
are listed with a reason in tools/equivalent_mutants.json and are not tried.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build-mutate"
TREE = FOLDER / "tree"
EQUIVALENT = ROOT / "tools/equivalent_mutants.json"

# Where formulas stand. Descriptions, JSON and error texts are not formulas.
FORMULAS = ["src/core/*.hpp", "src/core/*.inc", "src/core/ray_block.cpp", "src/core/hull_projector.cpp",
            "src/core/kernels/*.?pp", "src/core/sets/*/*.?pp", "src/core/sets/margin.?pp"]
# The quick ones first. A mutant that does not end has been noticed.
TESTS = ["sets_test", "softradial_samples_test", "softradial_projection_test"]
TEST_SECONDS = 1200

NUMBER = re.compile(r"(?<![\w.'])(\d+(?:\.\d*)?(?:e-?\d+)?)(?![\w.'])")
OPERATORS = {" + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " < ": " <= ", " <= ": " < ", " > ": " >= ",
             " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && "}
CALLS = {"Add": "Sub", "Sub": "Add", "Mul": "Add", "Div": "Mul", "Min": "Max", "Max": "Min", "MulAdd": "NegMulAdd",
         "NegMulAdd": "MulAdd", "MulSub": "MulAdd", "min": "max", "max": "min", "Lt": "Le", "Le": "Lt", "Gt": "Ge",
         "Ge": "Gt"}
# Heads of loops and declarations: their mutants read out of bounds or do not compile. What works on tensors alone is tested
# with LibTorch.
NOT_FORMULAS = re.compile(
    r"^\s*(//|#|template|using|static_assert|for \(|case |namespace|class |struct |enum |friend |throw |.*\bTensor\b)")


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """The same wherever the line stands in its file."""
        text = f"{self.file}\n{self.before.strip()}\n{self.after.strip()}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def changes(line: str) -> Iterator[str]:
    """All that one change makes of a line of code."""
    code = re.sub(r'"(\\.|[^"\\])*"', lambda text: " " * len(text.group()), line).split("//")[0]
    if NOT_FORMULAS.match(line) or not code.strip():
        return
    for old, new in OPERATORS.items():
        for found in re.finditer(re.escape(old), code):
            yield line[:found.start()] + new + line[found.end():]
    for found in re.finditer(r"(?:return |[=(,?:] )-(?=[\w(])", code):
        yield line[:found.end() - 1] + line[found.end():]
    for found in re.finditer(r"\b(" + "|".join(CALLS) + r")(?=\()", code):
        yield line[:found.start()] + CALLS[found.group()] + line[found.end():]
    for found in NUMBER.finditer(code):
        # Sizes, shifts and template arguments are no constants of formulas.
        if code[:found.start()].rstrip()[-1:] in ("[", "<") or re.search(r"<<\s*$|get<$", code[:found.start()]):
            continue
        value = found.group()
        # The argument that keeps a side harmless which is not taken (profile.hpp); results there are 0.
        if re.search(r"where_else\(.*, $", code[:found.start()]) and code[found.end():][:1] == ")" and float(value) != 0:
            continue
        new = "1" if float(value) == 0 else ("2" if value == "1" else f"(2 * {value})")
        yield line[:found.start()] + new + line[found.end():]


def code_of(text: str) -> Iterator[Tuple[int, str]]:
    """The lines with their numbers, without functions whose heads say that they work on tensors."""
    on_tensors = False
    for number, line in enumerate(text.splitlines(), 1):
        if line[:1].strip():
            on_tensors = "Tensor" in line
        if not on_tensors:
            yield number, line


def mutants() -> List[Mutant]:
    files = sorted({path for pattern in FORMULAS for path in ROOT.glob(pattern)})
    return [Mutant(str(path.relative_to(ROOT)), number, line, after)
            for path in files for number, line in code_of(path.read_text()) for after in changes(line)]


def equivalents() -> Dict[str, str]:
    """Reasons by key."""
    if not EQUIVALENT.exists():
        return {}
    entries: List[Dict[str, Any]] = json.loads(EQUIVALENT.read_text())
    return {Mutant(each["file"], 0, each["before"], each["after"]).key: each["reason"] for each in entries}


def copy_tree() -> None:
    """The files of the tree, tracked or new; what has not changed keeps its time, so that nothing is built for it."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    wanted = {name for name in listed if (ROOT / name).is_file()}
    for name in wanted:
        source, target = ROOT / name, TREE / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)


def build(jobs: int) -> Tuple[bool, str]:
    if not (TREE / "build/build.ninja").exists():
        # A mutant may warn: it is the tests that must notice.
        off = ["WARNINGS_AS_ERRORS", "BUILD_CLI", "BUILD_C", "BUILD_BENCHMARKS", "BUILD_EXAMPLES"]
        subprocess.run(["cmake", "--preset", "core", "-B", "build", *(f"-DSOFTRADIAL_{name}=OFF" for name in off)], cwd=TREE,
                       check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["cmake", "--build", "build", "-j", str(jobs), "--target", *TESTS], cwd=TREE, capture_output=True,
                          text=True)
    return done.returncode == 0, done.stdout + done.stderr


def noticed_by() -> Optional[str]:
    """The first test program that fails; nothing if all pass."""
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    for test in TESTS:
        try:
            done = subprocess.run([TREE / "build/bin" / test, "--gtest_brief=1", "--gtest_fail_fast"], capture_output=True,
                                  text=True, timeout=TEST_SECONDS, env=environment)
        except subprocess.TimeoutExpired:
            return f"{test} (did not end)"
        if done.returncode != 0:
            failed = re.search(r"\[  FAILED  \] ([\w./]+)", done.stdout)
            return failed.group(1) if failed else f"{test} (exit code {done.returncode})"
    return None


def fate_of(mutant: Mutant, jobs: int) -> str:
    file = TREE / mutant.file
    original = file.read_text()
    lines = original.split("\n")
    assert lines[mutant.line - 1] == mutant.before, f"{mutant.file} has changed: run again"
    lines[mutant.line - 1] = mutant.after
    try:
        file.write_text("\n".join(lines))
        built, _ = build(jobs)
        return "does not compile" if not built else noticed_by() or "survived"
    finally:
        file.write_text(original)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev mutate", description="Changes the formulas: do the tests notice?")
    parser.add_argument("--count", type=int, default=100, help="mutants to try (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the places (default 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="the files whose name contains it, for example profile")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at a time (default: the cores)")
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    arguments = parser.parse_args()

    known = equivalents()
    everything = [mutant for mutant in mutants() if arguments.only in mutant.file and mutant.key not in known]
    if not everything:
        parser.error(f"no file's name contains '{arguments.only}'")
    chosen = random.Random(arguments.seed).sample(everything, min(arguments.count, len(everything)))
    if arguments.list:
        for mutant in chosen:
            print(f"{mutant.file}:{mutant.line}: {mutant.before.strip()}\n  -> {mutant.after.strip()}")
        return 0

    copy_tree()
    report_file = FOLDER / "report.json"
    report: Dict[str, Any] = json.loads(report_file.read_text()) if report_file.exists() else {}
    built, log = build(arguments.jobs)
    if not built:
        print(log[-3000:], file=sys.stderr)
        raise SystemExit("mutate: the tree does not build")
    if (failed := noticed_by()) is not None:
        raise SystemExit(f"mutate: {failed} fails without a change")
    fates: Dict[str, str] = {}
    for number, mutant in enumerate(chosen, 1):
        begin = time.monotonic()
        # A report of the same mutant from an earlier run is good as long as it was noticed.
        fate = report.get(mutant.key, {}).get("fate", "survived")
        if fate == "survived":
            fate = fate_of(mutant, arguments.jobs)
        fates[mutant.key] = fate
        report[mutant.key] = {**asdict(mutant), "fate": fate}
        report_file.write_text(json.dumps(report, indent=1) + "\n")
        print(f"{number} of {len(chosen)}, {time.monotonic() - begin:.0f} s: {mutant.file}:{mutant.line}: {fate}",
              file=sys.stderr, flush=True)
    survivors = [mutant for mutant in chosen if fates[mutant.key] == "survived"]
    for mutant in survivors:
        print(f"{mutant.file}:{mutant.line}: no test notices\n  {mutant.before.strip()}\n  {mutant.after.strip()}")
    broken = sum(fate == "does not compile" for fate in fates.values())
    noticed = len(chosen) - broken - len(survivors)
    print(f"{len(chosen)} mutants of {len(everything)}: {noticed} noticed, {len(survivors)} survived, "
          f"{broken} do not compile; {len(known)} are known to change nothing")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
