#!/usr/bin/env python3
"""./dev mutate: changes a sign, a constant or a comparison of the formulas, and asks whether the tests notice.

All mutants are compiled at once, each behind a switch (tools/mutants.hpp): the tree is copied to build-mutate/tree, the
formulas there get their switches, and the core's tests are built once, without LibTorch and for one instruction set. Every
test then runs once with all switches off and says which mutants it reaches. To try a mutant is to run the tests that reach
it, the quick ones first, until one fails.

A mutant that cannot be switched (a constant, or types that the switch cannot have) is compiled by itself, which takes
minutes; --switched leaves these out and counts them. A mutant that no test notices has survived: it is printed, and the exit
code is 1. Mutants that change nothing that can be observed are listed with a reason in tools/equivalent_mutants.json and are
not tried.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build-mutate"
TREE = FOLDER / "tree"
BINARIES = TREE / "build/bin"
EQUIVALENT = ROOT / "tools/equivalent_mutants.json"
SWITCHES = "tools/mutants.hpp"

# Where formulas stand. Descriptions, JSON and error texts are not formulas.
FORMULAS = ["src/core/*.hpp", "src/core/*.inc", "src/core/evaluator.cpp", "src/core/ray_block.cpp",
            "src/core/hull_projector.cpp", "src/core/kernels/*.?pp", "src/core/sets/*/*.?pp", "src/core/sets/margin.?pp"]
TESTS = ["sets_test", "softradial_samples_test", "softradial_anchor_test", "softradial_projection_test"]
# One instruction set, which Highway takes from the compiler's. Little optimisation: the tests are short.
FLAGS = ("-O1 -DNDEBUG -w -Wno-narrowing -DHWY_COMPILE_ONLY_STATIC -mavx2 -mfma -mbmi -mbmi2 -mf16c -maes -mpclmul "
         f"-include {TREE / SWITCHES}")
# The tests of a mutant run in steps, each with the cases that take less than so many seconds together.
STEPS = (1.0, 10.0, 100.0, float("inf"))
# A mutant that takes so much longer than the formulas as they are does not end, which is noticed.
PATIENCE, LEAST_PATIENCE = 10, 20
# The marks of tools/mutants.hpp.
REACHED, IMPOSSIBLE = "1", "2"
# What becomes of a mutant, besides the name of the test that notices it.
SURVIVED, DOES_NOT_COMPILE, LEFT_OUT = "survived", "does not compile", "left out"

NUMBER = re.compile(r"(?<![\w.'])(0x[\da-fA-F.]+p[-+]?\d+|\d+(?:\.\d*)?(?:e-?\d+)?)(?![\w.'])")
OPERATORS = {" + ": (" - ", "Sum"), " - ": (" + ", "Difference"), " * ": (" / ", "Product"), " / ": (" * ", "Quotient"),
             " < ": (" <= ", "Less"), " <= ": (" < ", "LessEqual"), " > ": (" >= ", "Greater"),
             " >= ": (" > ", "GreaterEqual"), " == ": (" != ", "Equal"), " != ": (" == ", "NotEqual")}
JUNCTIONS = {"&&": ("||", "And"), "||": ("&&", "Or")}
CALLS = {"Add": "Sub", "Sub": "Add", "Mul": "Add", "Div": "Mul", "Min": "Max", "Max": "Min", "MulAdd": "NegMulAdd",
         "NegMulAdd": "MulAdd", "MulSub": "MulAdd", "min": "max", "max": "min", "Lt": "Le", "Le": "Lt", "Gt": "Ge",
         "Ge": "Gt"}
CALL = re.compile(r"(?<![\w.>:])((?:\w+::)*)(" + "|".join(CALLS) + r")(?=\()")
# Heads of loops and declarations: their mutants read out of bounds or do not compile. What works on tensors alone is tested
# with LibTorch.
NOT_FORMULAS = re.compile(
    r"^\s*(//|#|template|using|static_assert|for \(|case |namespace|class |struct |enum |friend |throw "
    r"|.*\b(Tensor|virtual|operator)\b)")


@dataclass(frozen=True)
class Change:
    """Of the characters [begin, end) of a line: what the mutant has there, and what the switched tree has."""
    begin: int
    end: int
    after: str
    switch: Optional[str]  # {n}: the mutant's number. Empty for && and ||, whose switch encloses both sides.


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    before: str
    change: Change
    twin: int  # how many of the same stand before it in the file

    @property
    def is_switchable(self) -> bool:
        """Constants stay what they are."""
        if self.change.switch is None or re.search(r"\bconstexpr\b[^()]*=", self.before):
            return False
        condition = re.search(r"if constexpr \(", self.before)
        return condition is None or self.change.begin > closing(self.before, condition.end())

    @property
    def after(self) -> str:
        return self.before[:self.change.begin] + self.change.after + self.before[self.change.end:]

    @property
    def key(self) -> str:
        """The same wherever the line stands in its file."""
        return key_of(self.file, self.before, self.after) + (f"-{self.twin}" if self.twin else "")

    def text(self) -> str:
        return f"{self.file}:{self.line}: {self.before.strip()}\n  -> {self.after.strip()}"


def closing(code: str, begin: int) -> int:
    """Where the parenthesis is closed that was opened before `begin`."""
    depth = 1
    for at in range(begin, len(code)):
        depth += (code[at] == "(") - (code[at] == ")")
        if depth == 0:
            return at
    return len(code)


def key_of(file: str, before: str, after: str) -> str:
    return hashlib.sha256(f"{file}\n{before.strip()}\n{after.strip()}".encode()).hexdigest()[:12]


def without_texts(code: str) -> str:
    """Blanks in the place of strings, characters and comments; every other character stays where it is."""
    texts = r'R"\((?s:.*?)\)"|"(\\.|[^"\\\n])*"|(?<!\w)\'(\\.|[^\'\\\n])\'|//[^\n]*'
    return re.sub(texts, lambda found: re.sub(r"[^\n]", " ", found.group()), code)


def changes(line: str, code: str) -> Iterator[Change]:
    """All single changes of a line, of which `code` has no texts."""
    if NOT_FORMULAS.match(line) or not code.strip():
        return
    for old, (new, name) in OPERATORS.items():
        for found in re.finditer(re.escape(old), code):
            if '"' not in line[found.start() - 1:found.end() + 1]:  # texts, put together
                yield Change(found.start(), found.end(), new, f"{old}mutants::{name}<{{n}}>(){old}")
    for old, (new, _) in JUNCTIONS.items():
        for found in re.finditer(r"(?<= )" + re.escape(old) + r"(?= |$)", code.rstrip()):
            yield Change(found.start(), found.end(), new, "")
    for found in re.finditer(r"(?:return |[=,?:] |\()-(?=[\w(])", code):
        yield Change(found.end() - 1, found.end(), "", "mutants::Minus<{n}>() ->* ")
    for found in CALL.finditer(code):
        scope, name = found.groups()
        is_of_list = code[found.end():].startswith("({")
        yield Change(found.start(), found.end(), scope + CALLS[name],
                     None if is_of_list else f"MUTANTS_CALL({{n}}, {scope}{name}, {scope}{CALLS[name]})")
    for found in NUMBER.finditer(code):
        # Sizes, shifts and template arguments are no constants of formulas.
        if re.search(r"[\[<]$|<< $", code[:found.start()]) or re.match(r">(?!=)", code[found.end():]):
            continue
        value = found.group()
        size = float.fromhex(value) if value.startswith("0x") else float(value)
        # The argument that keeps a side harmless which is not taken (profile.hpp); results there are 0.
        if re.search(r"where_else\(.*, $", code[:found.start()]) and code[found.end():][:1] == ")" and size != 0:
            continue
        new = "1" if size == 0 else ("2" if value == "1" else f"(2 * {value})")
        yield Change(found.start(), found.end(), new, f"(mutants::is({{n}}) ? {new} : {value})")


def code_of(text: str) -> Iterator[Tuple[int, str, str]]:
    """The lines with their numbers, as they are and without texts; without functions whose heads say that they work on
    tensors."""
    on_tensors = False
    for number, (line, code) in enumerate(zip(text.split("\n"), without_texts(text).split("\n")), 1):
        if line[:1].strip():
            on_tensors = "Tensor" in line
        if not on_tensors:
            yield number, line, code


def mutants() -> List[Mutant]:
    found: List[Mutant] = []
    for path in sorted({path for pattern in FORMULAS for path in ROOT.glob(pattern)}):
        seen: Counter[str] = Counter()
        for number, line, code in code_of(path.read_text()):
            for change in changes(line, code):
                mutant = Mutant(str(path.relative_to(ROOT)), number, line, change, 0)
                found.append(replace(mutant, twin=seen[mutant.key]))
                seen[mutant.key] += 1
    return found


def drawn(candidates: Sequence[Mutant], seed: int) -> List[Mutant]:
    """In an order of chance in which each has a place of its own: a change elsewhere leaves it there."""
    return sorted(candidates, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.key}".encode()).digest())


def equivalents() -> Dict[str, str]:
    """Reasons by key."""
    entries: List[Dict[str, str]] = json.loads(EQUIVALENT.read_text())
    return {key_of(each["file"], each["before"], each["after"]): each["reason"] for each in entries}


# The tree with its switches.

OPENING, CLOSING = "([{", ")]}"
# What ends an operand of && or ||: all that binds less.
LOOSER = re.compile(r"\?| : |(?<![=!<>])=(?!=)|,|;|\breturn\b")


def operand_begin(code: str, end: int, junction: str) -> int:
    """Where the left operand of && or || begins that ends at `end`."""
    depth = 0
    for at in range(end - 1, -1, -1):
        if code[at] in CLOSING:
            depth += 1
        elif code[at] in OPENING:
            if depth == 0:
                return at + 1
            depth -= 1
        elif depth == 0:
            if code[at] == "|" and junction == "&&" and code[at - 1] == "|":
                return at + 1
            # A word ends where its last letter stands, a single sign where it stands.
            found = next((each for each in LOOSER.finditer(code, max(0, at - 6), end) if each.end() == at + 1), None)
            if found and not (found.group() == "=" and code[at - 1] in "=!<>"):
                return at + 1
    return 0


def operand_end(code: str, begin: int, junction: str) -> int:
    depth = 0
    for at in range(begin, len(code)):
        if code[at] in OPENING:
            depth += 1
        elif code[at] in CLOSING:
            if depth == 0:
                return at
            depth -= 1
        elif depth == 0:
            if code.startswith("||", at) or (junction == "&&" and code.startswith("&&", at)) or LOOSER.match(code, at):
                return at
    return len(code)


def switched(text: str, numbered: Dict[int, Mutant]) -> str:
    """The file's text with the switches of these mutants."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    code = without_texts(text)
    # Insertions (position, rank among those at one position, characters to remove, text).
    edits: List[Tuple[int, int, int, str]] = []
    for number, mutant in numbered.items():
        change = mutant.change
        begin, end = starts[mutant.line - 1] + change.begin, starts[mutant.line - 1] + change.end
        if change.switch:
            edits.append((begin, 0, end - begin, change.switch.format(n=number)))
            continue
        sign = code[begin:end]
        left, right = operand_begin(code, begin, sign), operand_end(code, end, sign)
        # An outer pair begins before an inner one and ends after it.
        operand = "[&]() -> decltype(auto) { return ("
        edits.append((left, -(right - left), 0, f" mutants::{JUNCTIONS[sign][1]}<{number}>({operand}"))
        edits.append((begin, 0, end - begin, f"); }}, {operand}"))
        edits.append((right, right - left - len(text), 0, "); })"))
    parts, done = [], 0
    for position, _, removed, new in sorted(edits):
        parts += [text[done:position], new]
        done = position + removed
    return "".join(parts) + text[done:]


def write_if_changed(target: Path, text: str) -> None:
    if not target.exists() or target.read_text() != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def copy_tree(numbered: Dict[int, Mutant]) -> None:
    """The files of the tree, tracked or new; what has not changed keeps its time, so that nothing is built for it."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    by_file: Dict[str, Dict[int, Mutant]] = {}
    for number, mutant in numbered.items():
        by_file.setdefault(mutant.file, {})[number] = mutant
    for name in listed:
        source, target = ROOT / name, TREE / name
        if not source.is_file():
            continue
        if name in by_file:
            write_if_changed(target, switched(source.read_text(), by_file[name]))
        elif not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


def build(jobs: int) -> Tuple[bool, str]:
    if not (TREE / "build/build.ninja").exists():
        off = ["WARNINGS_AS_ERRORS", "BUILD_CLI", "BUILD_C", "BUILD_BENCHMARKS", "BUILD_EXAMPLES"]
        subprocess.run(["cmake", "--preset", "core", "-B", "build", f"-DCMAKE_CXX_FLAGS_RELEASE={FLAGS}",
                        *(f"-DSOFTRADIAL_{name}=OFF" for name in off)], cwd=TREE, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["cmake", "--build", "build", "-j", str(jobs), "--target", *TESTS, "--", "-k", "0"], cwd=TREE,
                          capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def blamed(log: str, numbered: Dict[int, Mutant]) -> Set[int]:
    """The mutants on the lines that the compiler's errors name; those nearest to them where there are none."""
    places: Dict[Tuple[str, int], List[int]] = {}
    for number, mutant in numbered.items():
        places.setdefault((mutant.file, mutant.line), []).append(number)
    found: Set[int] = set()
    # GCC's messages: "In instantiation of ... required from here" precede an error and belong to it.
    for message in re.split(r"(?<=\n)(?=[^\n]*: error: )", log)[1:]:
        named = [(file, int(line)) for file, line in re.findall(r"/tree/([\w/]+\.\w+):(\d+):\d+:", message)]
        for reach in (0, 1, 3):
            near = [number for file, line in named for step in range(-reach, reach + 1)
                    for number in places.get((file, line + step), [])]
            if near:
                found.update(near)
                break
    return found


def numbers_of(everything: Sequence[Mutant]) -> Dict[str, int]:
    """By key. A mutant keeps its number from run to run, so that files without a change are not built again."""
    file = FOLDER / "numbers.json"
    numbers: Dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
    for mutant in everything:
        numbers.setdefault(mutant.key, len(numbers) + 1)
    file.write_text(json.dumps(numbers) + "\n")
    return numbers


def build_switched(everything: Sequence[Mutant], jobs: int) -> Dict[int, Mutant]:
    """Builds the tree with a switch for every mutant that can have one, and gives these by their numbers."""
    dropped_file = FOLDER / "not_switched.json"
    dropped: Set[str] = set(json.loads(dropped_file.read_text())) if dropped_file.exists() else set()
    numbers = numbers_of(everything)
    while True:
        numbered = {numbers[mutant.key]: mutant for mutant in everything
                    if mutant.is_switchable and mutant.key not in dropped}
        copy_tree(numbered)
        begin = time.monotonic()
        built, log = build(jobs)
        (FOLDER / "build.log").write_text(log)
        if built:
            return numbered
        guilty = blamed(log, numbered)
        if not guilty:
            raise SystemExit(f"mutate: the tree does not build: {FOLDER / 'build.log'}")
        dropped |= {numbered[number].key for number in guilty}
        dropped_file.write_text(json.dumps(sorted(dropped)) + "\n")
        print(f"mutate: {len(guilty)} switches do not compile ({time.monotonic() - begin:.0f} s)", file=sys.stderr,
              flush=True)


# The tests.

@dataclass(frozen=True)
class Case:
    program: str
    name: str
    seconds: float
    marks: str  # for each mutant, as tools/mutants.hpp writes them


def run_test(program: str, names: Sequence[str], seconds: float, **environment: str) -> Tuple[Optional[str], float]:
    """The first test that fails, if any, and the time."""
    variables = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [BINARIES / program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={':'.join(names)}"],
            capture_output=True, text=True, errors="replace", timeout=seconds, env=variables, cwd=FOLDER)
    except subprocess.TimeoutExpired:
        return f"{program} (did not end)", seconds
    failed = None
    if done.returncode != 0:
        found = re.search(r"\[  FAILED  \] ([\w./]+)", done.stdout)
        failed = found.group(1) if found else f"{program} (exit code {done.returncode})"
    return failed, time.monotonic() - begin


def names_of(program: str) -> List[str]:
    listed = subprocess.run([BINARIES / program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    suite, names = "", []
    for line in listed.splitlines():
        word = line.split("#")[0].rstrip()
        if not line.startswith(" "):
            suite = word
        else:
            names.append(suite + word.strip())
    return names


def all_cases(jobs: int) -> List[Case]:
    """Every test with its time and the mutants that it reaches; from the last time if the programs are the same."""
    digest = hashlib.sha256(b"".join((BINARIES / program).read_bytes() for program in TESTS)).hexdigest()
    file = FOLDER / "cases.json"
    if file.exists() and (kept := json.loads(file.read_text()))["programs"] == digest:
        return [Case(**case) for case in kept["cases"]]

    def tried(place: Tuple[str, str]) -> Optional[Case]:
        program, name = place
        marks = FOLDER / f"marks-{threading.get_ident()}"
        marks.unlink(missing_ok=True)
        failed, seconds = run_test(program, [name], 3600, SOFTRADIAL_REACHED=str(marks))
        if failed:
            # The compiler may use all of one instruction set here, which changes last bits.
            print(f"mutate: {name} fails without a change and is left aside", file=sys.stderr, flush=True)
            return None
        return Case(program, name, seconds, marks.read_text().rstrip("0"))

    with ThreadPoolExecutor(jobs) as pool:
        places = [(program, name) for program in TESTS for name in names_of(program)]
        cases = [case for case in pool.map(tried, places) if case is not None]
    file.write_text(json.dumps({"programs": digest, "cases": [asdict(case) for case in cases]}) + "\n")
    return cases


def steps_of(cases: Sequence[Case]) -> Iterator[Tuple[str, List[str], float]]:
    """Programs with names of tests and their time, quick ones first."""
    left = sorted(cases, key=lambda case: case.seconds)
    total = 0.0
    for most in STEPS:
        step = []
        while left and total + left[0].seconds <= most:
            total += left[0].seconds
            step.append(left.pop(0))
        for program in TESTS:
            chosen = [case for case in step if case.program == program]
            if chosen:
                yield program, [case.name for case in chosen], sum(case.seconds for case in chosen)


def noticed_by(cases: Sequence[Case], number: int) -> Optional[str]:
    for program, names, seconds in steps_of(cases):
        failed, _ = run_test(program, names, LEAST_PATIENCE + PATIENCE * seconds, SOFTRADIAL_MUTANT=str(number))
        if failed:
            return failed
    return None


@dataclass(frozen=True)
class Laboratory:
    """The built tree: its mutants by number, and the tests."""
    numbered: Dict[int, Mutant]
    cases: Sequence[Case]
    jobs: int

    def reaching(self, number: int) -> List[Case]:
        return [case for case in self.cases if case.marks[number:number + 1] == REACHED]

    def is_impossible(self, number: int) -> bool:
        return any(case.marks[number:number + 1] == IMPOSSIBLE for case in self.cases)

    def fate_of_switched(self, number: int) -> Optional[str]:
        """Nothing if the switch is not reached: it must be compiled by itself."""
        cases = self.reaching(number)
        if cases:
            return noticed_by(cases, number) or SURVIVED
        return DOES_NOT_COMPILE if self.is_impossible(number) else None

    def fate_of_rebuilt(self, mutant: Mutant) -> str:
        """Compiled by itself, without switches in its line. The other lines stay where they are."""
        others = {number: each for number, each in self.numbered.items()
                  if each.file == mutant.file and each.line != mutant.line}
        file = TREE / mutant.file
        original = file.read_text()
        lines = (ROOT / mutant.file).read_text().split("\n")
        lines[mutant.line - 1] = mutant.after
        file.write_text(switched("\n".join(lines), others))
        try:
            built, _ = build(self.jobs)
            return DOES_NOT_COMPILE if not built else noticed_by(self.cases, 0) or SURVIVED
        finally:
            file.write_text(original)


class Report:
    """The fates of mutants, kept from run to run in build-mutate/report.json."""

    def __init__(self, chosen: Sequence[Mutant]) -> None:
        self.file = FOLDER / "report.json"
        self.kept: Dict[str, Dict[str, Any]] = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.chosen = chosen
        # What was noticed once is not tried again.
        self.fates = {mutant: fate for mutant in chosen
                      if (fate := self.kept.get(mutant.key, {}).get("fate", SURVIVED)) not in (SURVIVED, LEFT_OUT)}
        self.lock = threading.Lock()

    def add(self, mutant: Mutant, fate: str, seconds: float) -> None:
        with self.lock:
            self.fates[mutant] = fate
            self.kept[mutant.key] = {"file": mutant.file, "line": mutant.line, "before": mutant.before.strip(),
                                     "after": mutant.after.strip(), "fate": fate}
            self.file.write_text(json.dumps(self.kept, indent=1) + "\n")
            print(f"{len(self.fates)} of {len(self.chosen)}, {seconds:.0f} s: {mutant.file}:{mutant.line}: {fate}",
                  file=sys.stderr, flush=True)

    def left(self) -> List[Mutant]:
        return [mutant for mutant in self.chosen if mutant not in self.fates]

    def having(self, fate: str) -> List[Mutant]:
        return [mutant for mutant in self.chosen if self.fates[mutant] == fate]


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev mutate", description="Changes the formulas: do the tests notice?")
    parser.add_argument("--count", type=int, default=100, help="mutants to try (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the places (default 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="the files whose name contains it, for example profile")
    parser.add_argument("--switched", action="store_true", help="leave out what must be compiled by itself")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time (default: the cores)")
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    arguments = parser.parse_args()

    known = equivalents()
    everything = mutants()
    candidates = [mutant for mutant in everything
                  if arguments.only in mutant.file and key_of(mutant.file, mutant.before, mutant.after) not in known]
    if not candidates:
        parser.error(f"no file's name contains '{arguments.only}'")
    chosen = drawn(candidates, arguments.seed)[:arguments.count]
    if arguments.list:
        for mutant in chosen:
            print(mutant.text())
        return 0

    FOLDER.mkdir(exist_ok=True)
    numbered = build_switched(everything, arguments.jobs)
    numbers = {mutant: number for number, mutant in numbered.items()}
    laboratory = Laboratory(numbered, all_cases(arguments.jobs), arguments.jobs)
    report = Report(chosen)

    def try_switched(mutant: Mutant) -> None:
        begin = time.monotonic()
        if (fate := laboratory.fate_of_switched(numbers[mutant])) is not None:
            report.add(mutant, fate, time.monotonic() - begin)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(try_switched, [mutant for mutant in report.left() if mutant in numbers]))
    for mutant in report.left():
        begin = time.monotonic()
        fate = LEFT_OUT if arguments.switched else laboratory.fate_of_rebuilt(mutant)
        report.add(mutant, fate, time.monotonic() - begin)

    survivors, broken, left_out = (report.having(fate) for fate in (SURVIVED, DOES_NOT_COMPILE, LEFT_OUT))
    for mutant in survivors:
        print(f"no test notices {mutant.text()}")
    noticed = len(chosen) - len(survivors) - len(broken) - len(left_out)
    print(f"{len(chosen)} mutants of {len(candidates)}: {noticed} noticed, {len(survivors)} survived, {len(broken)} do not "
          f"compile, {len(left_out)} left out; {len(known)} are known to change nothing")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
