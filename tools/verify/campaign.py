"""./dev verify: every set, map, contraction and precision under adversarial rows, judged in exact arithmetic.

A row is a violation where x is not strictly inside (judge.py), off the equalities by more than a few ulp, or not finite for
a finite u; where a gradient, a tangent or a log-determinant is not a number; and where no anchor is found, since every set
has an interior. The report is a JSON file: a run goes on with what the file has, until every case has so many rows.
Exit code 1 if there was a violation.
"""
from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

import softradial.numpy as sr
from judge import Json, Judge, dim_of
from subjects import is_coordinate_set, normals, subjects

# One ulp for the equality of the anchor, one for that of the direction, one for the rounding of x, one to spare.
RESIDUAL_ULPS = 4
# Of iterations on several equalities in double, rounded to the precision once.
LAYER_RESIDUAL_ULPS = 16
# Rows that go together: so many, fewer where they are long.
MOST_ROWS = 1024
MOST_NUMBERS = 1 << 16

Maker = Callable[[Any, np.random.Generator], Any]


def exponent(random: np.random.Generator, low: float, high: float) -> float:
    return float(10.0 ** random.uniform(low, high))


def radial(name: str, contraction: str) -> Maker:
    def make(given: Any, random: np.random.Generator) -> Any:
        options = {"lambda_": float(random.choice([1.0, exponent(random, -12, 12)]))}
        if name == "SoftRadial":
            options["epsilon"] = float(random.choice([0.01, exponent(random, -12, -0.01)]))
        layer = getattr(sr, name)(given, contraction=contraction, **options)
        # A gauge map with a small lambda stretches: what rounding leaves of the direction's normal part too.
        layer.stretch = max(1.0, 1 / options["lambda_"]) if name == "GaugeMap" else 1.0
        return layer
    return make


def makers() -> Dict[str, Maker]:
    all_makers: Dict[str, Maker] = {"hard_radial": lambda given, random: sr.HardRadial(given)}
    for contraction in ("rational", "exponential", "hyperbolic"):
        all_makers[f"soft_radial_{contraction}"] = radial("SoftRadial", contraction)
        all_makers[f"gauge_map_{contraction}"] = radial("GaugeMap", contraction)
    all_makers["soft_orthogonal"] = lambda given, random: sr.SoftOrthogonal(given)
    all_makers["mirror"] = lambda given, random: sr.Mirror(given, temperature=float(exponent(random, -3, 3)))
    return all_makers


def cases(pattern: str) -> Iterator[Tuple[str, Json, Maker, type]]:
    for set_name, description in subjects().items():
        for method, maker in makers().items():
            if method == "mirror" and not is_coordinate_set(description):
                continue
            for dtype in (np.float32, np.float64):
                name = f"{set_name} {method} {dtype.__name__}"
                if pattern in name:
                    yield name, description, maker, dtype


def sizes(random: np.random.Generator, count: int, dtype: type) -> np.ndarray:
    """Half of them between 1e-3 and 1e6, the others from the smallest denormal to the largest number; 0 now and then."""
    limits: Any = np.finfo(dtype)
    smallest, largest = np.log10(float(limits.smallest_subnormal)), np.log10(float(limits.max))
    ordinary = 10 ** random.uniform(-3, 6, count)
    any_size = 10 ** random.uniform(smallest, largest, count)
    size = np.where(random.random(count) < 0.5, ordinary, any_size)
    return np.where(random.random(count) < 0.01, 0, np.where(random.random(count) < 0.01, float(limits.max), size))


def rows(random: np.random.Generator, count: int, anchor: np.ndarray, facets: np.ndarray, dtype: type) -> np.ndarray:
    """Directions of every kind, of every size, around the anchor: normal, along facets' normals and edges, one coordinate,
    ties, and coordinates of very different sizes."""
    n = len(anchor)
    gaussian = random.normal(size=(count, n))
    facet = facets[random.integers(len(facets), size=count)]
    other = facets[random.integers(len(facets), size=count)]
    single = np.zeros((count, n))
    single[np.arange(count), random.integers(n, size=count)] = random.choice([-1.0, 1.0], count)
    ties = random.choice([-1.0, 0.0, 1.0], size=(count, n))
    uneven = gaussian * 10 ** random.uniform(-12, 0, size=(count, n))
    kinds = np.stack([gaussian, facet, facet + other * random.normal(size=(count, 1)), single, ties, uneven,
                      facet + 1e-7 * gaussian])
    d = kinds[random.integers(len(kinds), size=count), np.arange(count)]
    largest = np.abs(d).max(1, keepdims=True)
    d = d / np.where(largest > 0, largest, 1)
    with np.errstate(over="ignore"):
        u = anchor + d * sizes(random, count, dtype)[:, None]
    limit = float(np.finfo(dtype).max)
    return np.clip(u, -limit, limit).astype(dtype)


def derivatives(layer: Any, u: np.ndarray, random: np.random.Generator) -> Iterator[Tuple[str, np.ndarray]]:
    """What else there is at these rows, and which of them are wrong."""
    g = random.normal(size=u.shape).astype(u.dtype)
    yield "vjp", ~np.isfinite(layer.vjp(u, g)).all(1)
    yield "jvp", ~np.isfinite(layer.jvp(u, g)).all(1)
    log_det = layer.log_abs_det(u)
    yield "log_det", np.isnan(log_det) | (log_det == np.inf)


class Subject:
    """A set with all that its rows need."""

    def __init__(self, description: Json) -> None:
        self.set = sr.parse_set(json.dumps(description).replace("Infinity", '"inf"'))
        self.judge = Judge(description, dim_of(description))
        self.facets = normals(description)
        self.fault = ""
        try:
            self.anchor = np.asarray(self.set.find_anchor())
        except ValueError as error:
            self.fault = str(error)


def run_block(subject: Subject, maker: Maker, dtype: type, seed: List[int]) -> Dict[str, Any]:
    """One block of rows with parameters of its own: what was found, or why the layer was refused."""
    random = np.random.default_rng(seed)
    judge = subject.judge
    count = min(MOST_ROWS, max(8, MOST_NUMBERS // judge.dim))
    if subject.fault:
        return {"rows": count, "wrong": {"anchor": count}, "examples": {"anchor": subject.fault}}
    try:
        layer = maker(subject.set, random)
        layer(np.zeros((1, judge.dim), dtype=dtype))
    except ValueError as error:
        return {"rows": count, "refused": count, "reason": str(error)}
    with np.errstate(all="ignore"):
        u = rows(random, count, subject.anchor, subject.facets, dtype)
        x = layer(u)
        bad = {"x": ~judge.inside(x)}
        ulp = float(np.finfo(dtype).eps)
        most = LAYER_RESIDUAL_ULPS if "orthogonal" in type(layer).__name__.lower() else RESIDUAL_ULPS
        bad["equality"] = ~(judge.residual(x) <= most * ulp * getattr(layer, "stretch", 1.0))
        bad.update(derivatives(layer, u, random))
    found: Dict[str, Any] = {"rows": count, "wrong": {kind: int(rows_.sum()) for kind, rows_ in bad.items() if rows_.any()}}
    for kind, rows_ in bad.items():
        if rows_.any():
            first = int(np.flatnonzero(rows_)[0])
            found.setdefault("examples", {})[kind] = {"layer": repr(layer), "u": u[first].tolist(), "x": x[first].tolist(),
                                                      "seed": seed}
    return found


def merge(tally: Dict[str, Any], block: Dict[str, Any]) -> None:
    tally["rows"] = tally.get("rows", 0) + block["rows"]
    tally["blocks"] = tally.get("blocks", 0) + 1
    if "refused" in block:
        tally["refused"] = tally.get("refused", 0) + block["refused"]
        tally.setdefault("reason", block["reason"])
    for kind, number in block.get("wrong", {}).items():
        wrong = tally.setdefault("wrong", {})
        wrong[kind] = wrong.get(kind, 0) + number
        tally.setdefault("examples", {}).setdefault(kind, block["examples"][kind])


def save(path: Path, report: Json) -> None:
    """Whole or not at all."""
    beside = path.with_name(path.name + ".new")
    beside.write_text(json.dumps(report, indent=1) + "\n")
    os.replace(beside, path)


def load(path: Path, seed: int) -> Json:
    if not path.exists():
        return {"seed": seed, "cases": {}}
    report: Json = json.loads(path.read_text())
    if report["seed"] != seed:
        raise SystemExit(f"verify: {path} was begun with --seed {report['seed']}")
    return report


def summary(report: Json) -> int:
    """Prints the counts; returns how many violations there are."""
    total = {"rows": 0, "refused": 0}
    wrong: Dict[str, int] = {}
    for name, tally in report["cases"].items():
        total["rows"] += tally["rows"]
        total["refused"] += tally.get("refused", 0)
        for kind, number in tally.get("wrong", {}).items():
            wrong[kind] = wrong.get(kind, 0) + number
            print(f"{name}: {number} of {tally['rows']} rows wrong in {kind}: {json.dumps(tally['examples'][kind])[:300]}")
    print(f"{total['rows']} rows in {len(report['cases'])} cases, {total['refused']} of them refused by the constructor, "
          f"{sum(wrong.values())} wrong {wrong or ''}".rstrip())
    return sum(wrong.values())


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev verify", description="Judges every map on every set in exact arithmetic.")
    parser.add_argument("--rows", type=float, default=1e6, help="of all cases together (default 1e6)")
    parser.add_argument("--report", type=Path, help="a JSON file to go on with and to write (default: none)")
    parser.add_argument("--only", default="", metavar="TEXT", help="the cases whose name contains it, for example mirror")
    parser.add_argument("--seed", type=int, default=1, help="of the rows (default 1)")
    arguments = parser.parse_args()
    if not arguments.rows >= 1:
        parser.error(f"--rows is {arguments.rows}, below 1")

    report = load(arguments.report, arguments.seed) if arguments.report else {"seed": arguments.seed, "cases": {}}
    chosen = list(cases(arguments.only))
    if not chosen:
        parser.error(f"no case's name contains '{arguments.only}'")
    # A row takes longer in higher dimensions, so these sets get fewer.
    weights = [1 / max(4, dim_of(description)) for _, description, _, _ in chosen]
    saved = time.monotonic()
    known: Dict[str, Subject] = {}  # the last one: cases of one set follow each other
    for index, (name, description, maker, dtype) in enumerate(chosen):
        tally = report["cases"].setdefault(name, {"rows": 0, "blocks": 0})
        wanted = arguments.rows * weights[index] / sum(weights)
        key = name.split()[0]
        while tally["rows"] < wanted:
            if key not in known:
                known = {key: Subject(description)}
            # The same rows whatever else runs: a block is known by its case and its number.
            seed = [arguments.seed, tally["blocks"], *name.encode()]
            merge(tally, run_block(known[key], maker, dtype, seed))
            if arguments.report and time.monotonic() - saved > 10:
                save(arguments.report, report)
                saved = time.monotonic()
        if sys.stderr.isatty():
            print(f"\r{index + 1} of {len(chosen)} cases", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    if arguments.report:
        save(arguments.report, report)
    return 1 if summary(report) else 0


if __name__ == "__main__":
    sys.exit(main())
