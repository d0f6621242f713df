"""./dev verify: every set, map, contraction and precision under adversarial rows, judged in exact arithmetic.

A row is a violation where x is not strictly inside (judge.py), off the equalities by more than a few ulp, or not finite for
a finite u; where a gradient, a tangent or a log-determinant is not a number; and where no anchor is found, since every set
has an interior. A few rows of ordinary size are compared with a reference in 60 digits (reference.py): value, tangent,
gradient, log-determinant, and the way back through the inverse.

The surface that takes data for each sample (torch) has cases of these besides (samples.py): every row is judged by its own
data. A row with a status is refused, not right, and wrong where its set has ample room; x is NaN there and nowhere else.
Gradients to u and to all data, tangents and log-determinants are numbers.

What the campaign knows of a type of set, its subjects included, is its entry in families/. A type, or a field of a type,
that the library has and no subject is an error.

The report is a JSON file: a run goes on with what the file has, until every case has so many rows.
Exit code 1 if there was a violation.
"""
from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

from families.arithmetic import Json, in_digits, vector
from families.draws import Kind
from families.table import dim_of, normals, type_of
from judge import Judge
from reference import DERIVATIVE_DOUBT, KINK, LEAST_LOG_DET, REFERENCE_NOISE, TANGENT_ROUNDING, VALUE_DOUBT
from reference import Reference, far_from
from sample_reference import against_sample_reference
from samples import RESIDUAL_FACTOR, SampleJudge, kinds, orthogonal_kinds
from subjects import missing_subjects, set_text, subjects, subjects_with_reference
from surfaces import SURFACES

# One ulp for the equality of the anchor, one for that of the direction, one for the rounding of x, one to spare.
RESIDUAL_ULPS = 4
# Of iterations on several equalities in double, rounded to the precision once.
LAYER_RESIDUAL_ULPS = 16
# Rows that go together: so many, fewer where they are long.
MOST_ROWS = 1024
MOST_NUMBERS = 1 << 16
SAMPLE_ROWS = 256
# The search for the nearest point takes the cube of the dimension, except in boxes and simplices.
MOST_ORTHOGONAL_DIM = 100
# Blocks that one process does in a row.
BLOCKS_TOGETHER = 8
# Rows of a block that are compared with the reference, in every so many blocks: 60 digits take longer than all the rest.
REFERENCE_ROWS = 2
REFERENCE_BLOCKS = 16
# (surface, set, random numbers) -> layer
Maker = Callable[[Any, Any, np.random.Generator], Any]


def exponent(random: np.random.Generator, low: float, high: float) -> float:
    return float(10.0 ** random.uniform(low, high))


def radial(name: str, contraction: str) -> Maker:
    def make(surface: Any, given: Any, random: np.random.Generator) -> Any:
        options = {"lambda_": float(random.choice([1.0, exponent(random, -12, 12)]))}
        if name == "SoftRadial":
            options["epsilon"] = float(random.choice([0.01, exponent(random, -12, -0.01)]))
        layer = surface.layer(name, given, contraction=contraction, **options)
        # A gauge map with a small lambda stretches: what rounding leaves of the direction's normal part too.
        layer.stretch = max(1.0, 1 / options["lambda_"]) if name == "GaugeMap" else 1.0
        method = "gauge_map" if name == "GaugeMap" else "soft_radial"
        layer.radial = {"method": method, "contraction": contraction, **options}
        return layer
    return make


def makers() -> Dict[str, Maker]:
    def hard(surface: Any, given: Any, random: np.random.Generator) -> Any:
        layer = surface.layer("HardRadial", given)
        layer.radial = {"method": "hard_radial"}
        return layer

    all_makers: Dict[str, Maker] = {"hard_radial": hard}
    for contraction in ("rational", "exponential", "hyperbolic"):
        all_makers[f"soft_radial_{contraction}"] = radial("SoftRadial", contraction)
        all_makers[f"gauge_map_{contraction}"] = radial("GaugeMap", contraction)
    all_makers["soft_orthogonal"] = lambda surface, given, random: surface.layer("SoftOrthogonal", given)
    all_makers["mirror"] = lambda surface, given, random: surface.layer(
        "Mirror", given, temperature=float(exponent(random, -3, 3))
    )
    return all_makers


@dataclass
class Case:
    """A map in a precision, on one set or on sets that come with the rows."""

    name: str
    maker: Maker
    dtype: type
    description: Optional[Json] = None
    kind: Optional[Kind] = None

    @property
    def rows(self) -> int:
        """Of a block."""
        if self.description is None:
            return SAMPLE_ROWS
        return min(MOST_ROWS, max(8, MOST_NUMBERS // dim_of(self.description)))

    @property
    def weight(self) -> float:
        """A row takes longer in higher dimensions and with data of its own, so these cases get fewer."""
        return 1 / 16 if self.description is None else 1 / max(4, dim_of(self.description))


def cases(pattern: str, with_samples: bool) -> List[Case]:
    found = []
    for set_name, description in subjects().items():
        for method, maker in makers().items():
            coordinates = type_of(description).coordinates
            if method == "mirror" and not coordinates:
                continue
            if method == "soft_orthogonal" and not coordinates and dim_of(description) > MOST_ORTHOGONAL_DIM:
                continue
            for dtype in (np.float32, np.float64):
                found.append(Case(f"{set_name} {method} {dtype.__name__}", maker, dtype, description=description))
    for name, kind in kinds().items() if with_samples else ():
        for method, maker in sample_makers(name).items():
            for dtype in (np.float32, np.float64):
                found.append(Case(f"samples_{name} {method} {dtype.__name__}", maker, dtype, kind=kind))
    return [case for case in found if pattern in case.name]


def sample_makers(kind: str) -> Dict[str, Maker]:
    """The maps that take this kind of data, with gradients to all of them."""
    orthogonal = kind in orthogonal_kinds()
    return {method: maker for method, maker in makers().items()
            if method != "mirror" and (method != "soft_orthogonal" or orthogonal)}


def sizes(random: np.random.Generator, count: int, dtype: type, unit: Any = 1.0) -> np.ndarray:
    """Half of them between 1e-3 and 1e6 units, the others from the smallest denormal to the largest number; some are 0."""
    limits: Any = np.finfo(dtype)
    smallest, largest = np.log10(float(limits.smallest_subnormal)), np.log10(float(limits.max))
    ordinary = unit * 10 ** random.uniform(-3, 6, count)
    any_size = 10 ** random.uniform(smallest, largest, count)
    size = np.where(random.random(count) < 0.5, ordinary, any_size)
    return np.where(random.random(count) < 0.01, 0, np.where(random.random(count) < 0.01, float(limits.max), size))


def rows(random: np.random.Generator, count: int, anchor: np.ndarray, facets: np.ndarray, dtype: type,
         unit: Any = 1.0) -> np.ndarray:
    """Directions of every kind, of every size, around the anchor (n) or (count, n): normal, along facets' normals and
    edges, one coordinate, ties, and coordinates of very different sizes."""
    n = anchor.shape[-1]
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
        u = anchor + d * sizes(random, count, dtype, unit)[:, None]
    limit = float(np.finfo(dtype).max)
    return np.clip(u, -limit, limit).astype(dtype)


def derivatives(layer: Any, u: np.ndarray, random: np.random.Generator) -> Iterator[Tuple[str, np.ndarray]]:
    """What else there is at these rows, and which of them are wrong."""
    g = random.normal(size=u.shape).astype(u.dtype)
    yield "vjp", ~np.isfinite(layer.vjp(u, g)).all(1)
    yield "jvp", ~np.isfinite(layer.jvp(u, g)).all(1)
    log_det = layer.log_abs_det(u)
    yield "log_det", np.isnan(log_det) | (log_det == np.inf)


def against_reference(subject: Subject, layer: Any, random: np.random.Generator) -> Iterator[Tuple[str, np.ndarray]]:
    """Rows of ordinary size, and what of them is not as the reference has it."""
    n = subject.judge.dim
    anchor = np.asarray(layer.anchor, dtype=float)
    u = anchor + random.normal(size=(REFERENCE_ROWS, n)) * 10 ** random.uniform(-1, 1, size=(REFERENCE_ROWS, 1))
    v, g = random.normal(size=u.shape), random.normal(size=u.shape)
    x, tangent, gradient, log_det = layer(u), layer.jvp(u, v), layer.vjp(u, g), layer.log_abs_det(u)
    radial = dict(layer.radial)
    method = radial.pop("method")
    reference = Reference(subject.description, anchor, method, radial)
    bad = {name: np.zeros(len(u), dtype=bool) for name in ("value", "tangent", "gradient", "log_det_value", "inverse")}
    with in_digits():
        for i in range(len(u)):
            exact_u, exact_v = vector(u[i]), vector(v[i])
            gamma = float(reference.gamma(reference.direction(exact_u)))
            if abs(gamma - 1) < KINK or not reference.resolves(exact_u):
                continue
            exact_x = np.array([float(a) for a in reference(exact_u)])
            exact_t = np.array([float(a) for a in reference.jvp(exact_u, exact_v)])
            size = float(np.abs(anchor).max() + np.abs(exact_x - anchor).max())
            # J v is a sum of terms of this size, which cancel in a set of one dimension.
            terms_of_tangent = float(np.abs(exact_x - anchor).max() / np.abs(u[i] - anchor).max() * np.abs(v[i]).max())
            slope = float(np.abs(exact_t).max() + np.abs(tangent[i]).max()) + REFERENCE_NOISE / DERIVATIVE_DOUBT * size
            slope += TANGENT_ROUNDING / DERIVATIVE_DOUBT * terms_of_tangent
            bad["value"][i] = any(far_from(a, b, size, VALUE_DOUBT) for a, b in zip(x[i], exact_x))
            bad["tangent"][i] = any(far_from(a, b, slope, DERIVATIVE_DOUBT) for a, b in zip(tangent[i], exact_t))
            # g . (J v) = (J'g) . v
            terms = float(np.abs(g[i] * exact_t).sum() + np.abs(gradient[i] * v[i]).sum()) + slope
            bad["gradient"][i] = far_from(float(gradient[i] @ v[i]), float(g[i] @ exact_t), terms, DERIVATIVE_DOUBT)
            exact_log = float(reference.log_abs_det(exact_u)) if n <= 4 and method != "hard_radial" else np.nan
            if exact_log > LEAST_LOG_DET:
                bad["log_det_value"][i] = far_from(float(log_det[i]), exact_log, n + abs(exact_log), DERIVATIVE_DOUBT)
    if method != "hard_radial":
        # There and back: x is met again, however far u lies. A map that stretches by 1 / lambda stretches what rounding
        # leaves of u, too.
        back = layer.inverse(x)
        allowed = VALUE_DOUBT * (np.abs(anchor).max() + np.abs(x - anchor).max(1, keepdims=True))
        allowed = allowed + 4 * np.finfo(float).eps * (layer.stretch - 1) * np.abs(back).max(1, keepdims=True)
        bad["inverse"] = ~(np.abs(layer(back) - x) <= allowed).all(1)
    yield from bad.items()


class Subject:
    """A set with all that its rows need."""

    def __init__(self, description: Json, surface: Any) -> None:
        self.surface = surface
        self.description = description
        self.set = surface.parse_set(set_text(description))
        self.judge = Judge(description, dim_of(description))
        self.facets = normals(description)
        self.has_reference = False
        self.fault = ""
        try:
            self.anchor = surface.anchor_of(self.set)
        except ValueError as error:
            self.fault = str(error)


def tally_of(count: int, bad: Dict[str, np.ndarray], example: Callable[[int], Json]) -> Dict[str, Any]:
    """What is wrong in a block, with an example of each kind."""
    found: Dict[str, Any] = {"rows": count, "wrong": {kind: int(which.sum()) for kind, which in bad.items() if which.any()}}
    if found["wrong"]:
        found["examples"] = {kind: example(int(np.flatnonzero(bad[kind])[0])) for kind in found["wrong"]}
    return found


def run_block(case: Case, subject: Subject, seed: List[int]) -> Dict[str, Any]:
    """One block of rows with parameters of its own: what was found, or why the layer was refused."""
    random = np.random.default_rng(seed)
    judge, dtype, count = subject.judge, case.dtype, case.rows
    if subject.fault:
        return {"rows": count, "wrong": {"anchor": count}, "examples": {"anchor": subject.fault}}
    try:
        layer = case.maker(subject.surface, subject.set, random)
        layer(np.zeros((1, judge.dim), dtype=dtype))
    except ValueError as error:
        return {"rows": count, "refused": count, "reason": str(error)}
    with np.errstate(all="ignore"):
        u = rows(random, count, subject.anchor, subject.facets, dtype)
        x = layer(u)
        bad = {"x": ~judge.inside(x)}
        bad["equality"] = ~(judge.residual(x, anchor=subject.anchor) <= most_residual(layer, dtype))
        bad.update(derivatives(layer, u, random))
    found = tally_of(count, bad, lambda i: {"layer": repr(layer), "u": u[i].tolist(), "x": x[i].tolist(), "seed": seed})
    if dtype is np.float64 and hasattr(layer, "radial") and subject.has_reference and seed[1] % REFERENCE_BLOCKS == 0:
        for kind, rows_ in against_reference(subject, layer, random):
            found["wrong"].update({kind: int(rows_.sum())} if rows_.any() else {})
            if rows_.any():
                found.setdefault("examples", {})[kind] = {"layer": repr(layer), "seed": seed}
    return found


def most_residual(layer: Any, dtype: type) -> float:
    ulps = LAYER_RESIDUAL_ULPS if "orthogonal" in repr(layer).lower() else RESIDUAL_ULPS
    return ulps * float(np.finfo(dtype).eps) * float(getattr(layer, "stretch", 1.0))


def run_sample_block(case: Case, surface: Any, seed: List[int]) -> Dict[str, Any]:
    """One block of rows with data of their own."""
    random = np.random.default_rng(seed)
    count, dtype = case.rows, case.dtype
    assert case.kind is not None
    with np.errstate(all="ignore"):
        samples = case.kind(random, count, dtype, surface)
        u = rows(random, count, samples.center, samples.facets, dtype, samples.unit)
        if "scale" in samples.data:
            # x = scale y has a derivative of two terms that cancel, each as large as u times the steepness of set and map.
            most = float(np.finfo(dtype).max) / 2**48
            u = np.clip(u, -most, most).astype(dtype)
    try:
        layer = case.maker(surface, surface.parse_set(set_text(samples.description)), random)
    except ValueError as error:
        return {"rows": count, "refused": count, "reason": str(error)}
    data = samples.data
    x, status = layer.on_samples(u, data)
    ok = status == 0
    g: np.ndarray = random.normal(size=u.shape).astype(dtype)
    v: np.ndarray = random.normal(size=u.shape).astype(dtype)
    with np.errstate(all="ignore"):
        judge = SampleJudge(samples)
        bad = {"x": ok & ~judge.inside(x), "status": samples.owed & ~ok, "refused_x": ~ok & ~np.isnan(x).all(1)}
        around = np.abs(data["anchor"]).max(1) if "anchor" in data else samples.unit
        bad["equality"] = ok & ~(judge.residual(x, around) <= RESIDUAL_FACTOR * most_residual(layer, dtype))
        for name, gradient in layer.vjp_on_samples(u, data, g).items():
            bad[f"gradient_{name}"] = ~np.isfinite(gradient.reshape(count, -1)).all(1)
        if hasattr(layer, "radial"):
            tangents = {name: tangent(random, values) for name, values in data.items()}
            # Forward mode and determinants have formulas of their own, which may refuse a sample that barely has room.
            value, slope, marks = layer.jvp_on_samples(u, data, v, tangents)
            there = marks == 0
            bad["jvp"] = there & ~np.isfinite(slope).all(1)
            bad["jvp_x"] = there & ~judge.inside(value)
            bad["jvp_status"] = samples.owed & ~there
            log_det = layer.log_abs_det_on_samples(u, data)
            bad["log_det"] = (samples.owed & ok & np.isnan(log_det)) | (log_det == np.inf)

    if dtype is np.float64 and hasattr(layer, "radial") and seed[1] % REFERENCE_BLOCKS == 0:
        bad.update(against_sample_reference(samples, layer, random))

    def example(i: int) -> Json:
        own = {name: values[i].tolist() for name, values in data.items()}
        return {"layer": repr(layer), "data": own, "u": u[i].tolist(), "x": x[i].tolist(), "status": int(status[i]),
                "row": i, "seed": seed}

    found = tally_of(count, bad, example)
    return {**found, "refused": int((~ok).sum()), "reason": "status"} if not ok.all() else found


def tangent(random: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """Small beside the values, so that no sum of numbers next to the largest one overflows; an open side does not move."""
    return np.where(np.isfinite(values), 1e-3 * values * random.normal(size=values.shape), 0).astype(values.dtype)


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


def load(path: Path, seed: int, surface: str) -> Json:
    if not path.exists():
        return {"seed": seed, "surface": surface, "cases": {}}
    report: Json = json.loads(path.read_text())
    if report["seed"] != seed:
        raise SystemExit(f"verify: {path} was begun with --seed {report['seed']}")
    if report.get("surface", "c") != surface:
        raise SystemExit(f"verify: {path} was begun with --surface {report.get('surface', 'c')}")
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
    print(f"{total['rows']} rows in {len(report['cases'])} cases, {total['refused']} of them refused by the constructor "
          f"or with a status, {sum(wrong.values())} wrong {wrong or ''}".rstrip())
    return sum(wrong.values())


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev verify", description="Judges every map on every set in exact arithmetic.")
    parser.add_argument("--rows", type=float, default=1e6, help="of all cases together (default 1e6)")
    parser.add_argument("--report", type=Path, help="a JSON file to go on with and to write (default: none)")
    parser.add_argument("--only", default="", metavar="TEXT", help="the cases whose name contains it, for example mirror")
    parser.add_argument("--seed", type=int, default=1, help="of the rows (default 1)")
    parser.add_argument("--surface", choices=list(SURFACES), default="c", help="the door to go through (default c)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1); the rows are the same")
    arguments = parser.parse_args()
    if not arguments.rows >= 1:
        parser.error(f"--rows is {arguments.rows}, below 1")

    surface = SURFACES[arguments.surface]
    missing = missing_subjects(surface().set_types())
    if missing:
        raise SystemExit(f"verify: the library has sets that no subject of tools/verify/families has: {', '.join(missing)}")
    report = load(arguments.report, arguments.seed, arguments.surface) if arguments.report else {
        "seed": arguments.seed,
        "cases": {},
    }
    chosen = cases(arguments.only, arguments.surface == "torch")
    if not chosen:
        parser.error(f"no case's name contains '{arguments.only}'")
    tasks = list(plan(chosen, report, arguments.rows))
    saved = time.monotonic()
    begin = (chosen, surface, arguments.seed)
    pool: Any = multiprocessing.Pool(arguments.jobs, Worker.begin, begin) if arguments.jobs > 1 else InThisProcess(begin)
    with pool:
        for done, (name, blocks) in enumerate(pool.imap(Worker.work, tasks)):
            for block in blocks:
                merge(report["cases"].setdefault(name, {"rows": 0, "blocks": 0}), block)
            if arguments.report and time.monotonic() - saved > 10:
                save(arguments.report, report)
                saved = time.monotonic()
            if sys.stderr.isatty():
                print(f"\r{100 * (done + 1) // len(tasks)} %", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    if arguments.report:
        save(arguments.report, report)
    return 1 if summary(report) else 0


# A case by its index, the number of a block, and how many follow each other.
Task = Tuple[int, int, int]


def plan(chosen: List[Case], report: Json, total: float) -> Iterator[Task]:
    """What is missing from the report until every case has its share of the rows."""
    weights = sum(case.weight for case in chosen)
    for index, case in enumerate(chosen):
        done = report["cases"].get(case.name, {"blocks": 0})["blocks"]
        wanted = -int(-total * case.weight / weights // case.rows)
        for first in range(done, wanted, BLOCKS_TOGETHER):
            yield index, first, min(BLOCKS_TOGETHER, wanted - first)


class Worker:
    """A process with its own surface, and the set that it used last: cases of one set follow each other."""

    one: "Worker"

    def __init__(self, chosen: List[Case], surface: Callable[[], Any], seed: int) -> None:
        self.chosen, self.surface, self.seed = chosen, surface(), seed
        self.subjects: Dict[str, Subject] = {}

    @staticmethod
    def begin(chosen: List[Case], surface: Callable[[], Any], seed: int) -> None:
        Worker.one = Worker(chosen, surface, seed)

    @staticmethod
    def work(task: Task) -> Tuple[str, List[Dict[str, Any]]]:
        index, first, count = task
        case = Worker.one.chosen[index]
        # The same rows whatever else runs: a block is known by its case and its number.
        seeds = [[Worker.one.seed, number, *case.name.encode()] for number in range(first, first + count)]
        return case.name, [Worker.one.block(case, seed) for seed in seeds]

    def block(self, case: Case, seed: List[int]) -> Dict[str, Any]:
        if case.description is None:
            return run_sample_block(case, self.surface, seed)
        name = case.name.split()[0]
        if name not in self.subjects:
            self.subjects = {name: Subject(case.description, self.surface)}
            self.subjects[name].has_reference = name in subjects_with_reference()
        return run_block(case, self.subjects[name], seed)


class InThisProcess:
    """A pool of none."""

    def __init__(self, begin: Tuple[List[Case], Callable[[], Any], int]) -> None:
        Worker.begin(*begin)

    def __enter__(self) -> "InThisProcess":
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def imap(self, function: Callable[[Task], Any], tasks: List[Task]) -> Iterator[Any]:
        return map(function, tasks)


if __name__ == "__main__":
    sys.exit(main())
