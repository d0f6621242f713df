#!/usr/bin/env python3
"""./dev load: many callers, long streams, large batches and many dimensions. What is judged are bits and memory, never time.

  callers   threads that use one layer at once get, each of them, the bits that one thread gets alone: value, VJP and JVP
            through the C interface (and through the PyTorch layer, with --surface torch)
  stream    `softradial project` holds no more memory at the end of a stream than after its first part
  batch     rows that go together give the bits that they give in small pieces, and all are strictly inside
  dimension one row of that many numbers in the box, the simplex and the capped simplex is strictly inside

Exit code 1 if one of them does not hold.
"""
from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

PROGRAM = os.environ.get("SOFTRADIAL_PROGRAM", "softradial")

# Numbers that are added one by one in double, each below 1: what rounding can make of their sum is far below this for 10^7.
SUM_DOUBT = 1e-6
# A page or two may come and go with the allocator; a leak of one byte a row is a hundred times as much.
MOST_GROWTH_KIB = 256
# The part of a stream after which its memory is looked at first.
FIRST_PART = 0.25


class Failed(Exception):
    """A law that does not hold."""


def require(holds: bool, law: str) -> None:
    if not holds:
        raise Failed(law)


def from_threads(count: int, work: Callable[[int], None]) -> None:
    """Runs work(0), ..., work(count - 1) at once; what one of them raises is raised here."""
    together = threading.Barrier(count)

    def run(index: int) -> None:
        together.wait()
        work(index)

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(run, range(count)))


def numbers(seed: int, rows: int, dim: int, dtype: Any = np.float64) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, dim)).astype(dtype) * 3


def c_layers() -> List[Any]:
    """A polyhedron, an iteration, and every type of ./dev verify that can have any dimension, each in a layer of its own."""
    sys.path.insert(0, str(Path(__file__).parent / "verify"))
    import softradial.numpy as sr
    from subjects import TABLE

    random = np.random.default_rng(1)
    A = random.normal(size=(60, 20))
    return [
        sr.SoftRadial(sr.Polyhedron(A, np.ones(60))),
        sr.SoftOrthogonal(sr.CappedSimplex(20, 0.2)),
        *(sr.SoftRadial(sr.parse_set(json.dumps(kind.long(20)))) for kind in TABLE.values() if kind.long),
    ]


def c_results(layer: Any, u: np.ndarray, g: np.ndarray) -> List[bytes]:
    return [layer(u).tobytes(), layer.vjp(u, g).tobytes(), layer.jvp(u, g).tobytes()]


def callers_of_c(threads: int, calls: int) -> None:
    for layer in c_layers():
        inputs = [(numbers(k, 64, 20), numbers(1000 + k, 64, 20)) for k in range(8)]
        alone = [c_results(layer, u, g) for u, g in inputs]

        def work(index: int) -> None:
            for call in range(calls):
                k = (index + call) % len(inputs)
                require(c_results(layer, *inputs[k]) == alone[k], f"callers: other bits from thread {index}: {layer}")

        from_threads(threads, work)


def callers_of_torch(threads: int, calls: int) -> None:
    import torch

    import softradial as sr

    torch.set_num_threads(1)
    random = np.random.default_rng(1)
    A = torch.from_numpy(random.normal(size=(60, 20)))
    sets = [sr.CappedSimplex(20, 0.2), sr.Polyhedron(A, torch.ones(60, dtype=torch.float64))]
    for layer in [sr.SoftRadial(each) for each in sets]:
        inputs = [(torch.from_numpy(numbers(k, 64, 20)), torch.from_numpy(numbers(1000 + k, 64, 20))) for k in range(8)]

        def results(u: Any, g: Any) -> List[Any]:
            u = u.clone().requires_grad_()
            x = layer(u)
            return [x.detach(), torch.autograd.grad(x, u, g)[0]]

        alone = [results(u, g) for u, g in inputs]

        def work(index: int) -> None:
            for call in range(calls):
                k = (index + call) % len(inputs)
                same = all(torch.equal(a, b) for a, b in zip(results(*inputs[k]), alone[k]))
                require(same, f"callers: other bits from thread {index} through torch")

        from_threads(threads, work)


def resident_kib(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def stream(seconds: Optional[float], mebibytes: float, folder: Path) -> None:
    """Feeds the program for so long, or so much. Its output is read and thrown away, as a pipe does."""
    description = folder / "load_set.json"
    description.write_text('{"type": "capped_simplex", "dim": 20, "cap": 0.2}')
    rows = numbers(3, 4096, 20)
    block = "\n".join(",".join(f"{v:.6g}" for v in row) for row in rows).encode() + b"\n"
    words = [PROGRAM, "project", "--set", str(description)]
    child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None and child.stdout is not None
    read = 0

    def drain(pipe: Any) -> None:
        nonlocal read
        while piece := pipe.read(1 << 20):
            read += piece.count(b"\n")

    reader = threading.Thread(target=drain, args=(child.stdout,))
    reader.start()
    first = last = blocks = 0
    begin = time.monotonic()
    most = int(mebibytes * 2**20 / len(block)) + 1
    while True:
        part = (time.monotonic() - begin) / seconds if seconds else blocks / most
        if part >= FIRST_PART and not first:
            first = resident_kib(child.pid)
        if part >= 1:
            break
        child.stdin.write(block)
        blocks += 1
    last = resident_kib(child.pid)
    child.stdin.close()
    code = child.wait()
    reader.join()
    require(code == 0, f"stream: exit code {code}")
    require(read == blocks * len(rows), f"stream: {read} rows came back of {blocks * len(rows)}")
    print(f"stream: {read} rows, {first} KiB after a quarter, {last} KiB at the end")
    require(last <= first + MOST_GROWTH_KIB, f"stream: memory grew from {first} to {last} KiB")


def batch(rows: int) -> None:
    """float32, three numbers a row, the capped simplex and a polyhedron: together and in pieces."""
    import softradial.numpy as sr

    A = np.array([[1, 1, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1.0]])
    for given, inside in (
        (sr.CappedSimplex(3, 0.5), lambda x: bool(((x > 0) & (x < 0.5)).all())),
        (sr.Polyhedron(A, np.array([1, 0, 0, 0.0])), lambda x: bool((x > 0).all() and (x.astype(float).sum(1) < 1).all())),
    ):
        layer = sr.SoftRadial(given)
        u = numbers(5, rows, 3, np.float32)
        x = layer(u)
        piece = 1000
        for begin in range(0, rows, piece):
            part = slice(begin, begin + piece)
            require(inside(x[part]), f"batch: a row of {part} is not inside {given}")
        for begin in range(0, rows, max(piece, rows // 200)):
            part = slice(begin, begin + piece)
            require(layer(u[part]).tobytes() == x[part].tobytes(), f"batch: other bits in pieces at row {begin} of {given}")
    print(f"batch: {rows} rows")


def dimension(dim: int) -> None:
    import softradial.numpy as sr

    u = numbers(7, 1, dim)
    cap = 2.5 / dim
    for given, inside in (
        (sr.Box(np.zeros(dim), np.ones(dim)), lambda x: bool(((x > 0) & (x < 1)).all())),
        (sr.Simplex(dim), lambda x: bool((x > 0).all() and abs(x.sum() - 1) < SUM_DOUBT)),
        (sr.CappedSimplex(dim, cap), lambda x: bool(((x > 0) & (x < cap)).all() and abs(x.sum() - 1) < SUM_DOUBT)),
    ):
        for size in (1e-3, 1.0, 1e6):
            layer = sr.SoftRadial(given)
            x = layer(u * size)
            require(bool(np.isfinite(x).all()) and inside(x), f"dimension {dim}: size {size}: not inside")
            gradient = layer.vjp(u * size, u)
            require(bool(np.isfinite(gradient).all()), f"dimension {dim}: size {size}: a gradient is no number")
    print(f"dimension: {dim}")


def main(words: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev load", description="Many callers, long streams, large batches.")
    parser.add_argument("part", nargs="*", help="callers, stream, batch, dimension (default: all)")
    parser.add_argument("--surface", choices=["c", "torch", "both"], default="both", help="of the callers (default both)")
    parser.add_argument("--threads", type=int, default=64, help="callers at once (default 64)")
    parser.add_argument("--calls", type=int, default=500, help="of each of them on each layer (default 500)")
    parser.add_argument("--seconds", type=float, default=60, help="of the stream (default 60; 3600 for the hour)")
    parser.add_argument("--mebibytes", type=float, help="of the stream, in the place of seconds")
    parser.add_argument("--rows", type=float, default=1e7, help="of the batch (default 1e7)")
    parser.add_argument("--dim", type=float, default=1e6, help="the dimension (default 1e6)")
    parser.add_argument("--folder", type=Path, default=Path("."), help="for the description of the stream's set")
    arguments = parser.parse_args(words)

    def callers() -> None:
        if arguments.surface != "torch":
            callers_of_c(arguments.threads, arguments.calls)
        if arguments.surface != "c":
            callers_of_torch(arguments.threads, arguments.calls)
        print(f"callers: {arguments.threads} threads, {arguments.calls} calls each on each layer")

    seconds = None if arguments.mebibytes else arguments.seconds
    parts: Dict[str, Callable[[], None]] = {
        "callers": callers,
        "stream": lambda: stream(seconds, arguments.mebibytes or 0, arguments.folder),
        "batch": lambda: batch(int(arguments.rows)),
        "dimension": lambda: dimension(int(arguments.dim)),
    }
    unknown = [name for name in arguments.part if name not in parts]
    if unknown:
        parser.error(f"there is no part '{unknown[0]}': callers, stream, batch, dimension")
    try:
        for name in arguments.part or parts:
            parts[name]()
    except Failed as error:
        print(f"load: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
