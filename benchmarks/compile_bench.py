"""The layer under torch 2 against a plain soft radial that torch.compile fuses: forward + backward, one thread, float32.

    LD_PRELOAD=libsleef.so.3 PYTHONPATH=build/python python3 benchmarks/compile_bench.py

The plain one is the formula of the capped simplex in tensor operations, without a guard: its outputs may touch the boundary.
All sides take turns, round by round; the smallest time of each counts. Inductor vectorises only where it finds the library
sleef (Debian: libsleef-dev, preloaded as above); otherwise this stops, since the comparison would flatter us.
"""

import argparse
import ctypes
import importlib
import timeit

import softradial
import torch

SHAPES = [(64, 50), (128, 150), (4096, 50), (4096, 150), (1024, 1000)]
BAR = 0.6


def plain_soft_radial(u, cap, lambda_=1.0, epsilon=0.01):
    """x = u0 + r(rho) d / max(1, gamma) on {0 <= x <= cap, sum x = 1}, seen from the middle."""
    n = u.shape[-1]
    d = u - u.mean(-1, keepdim=True)
    rho = (d * d).sum(-1, keepdim=True)
    gamma = torch.maximum(d / (cap - 1 / n), -d * n).amax(-1, keepdim=True)
    r = epsilon + (1 - epsilon) * rho / (rho + lambda_)
    return 1 / n + r * d / gamma.clamp_min(1)


def best_times(sides, rounds):
    """Short trials, so that some of them are not interrupted on a busy machine."""
    calls = [max(1, int(1e-3 / min(timeit.repeat(work, number=3, repeat=20)) * 3)) for work in sides]
    best = [float("inf")] * len(sides)
    for _ in range(rounds):
        for side, work in enumerate(sides):
            best[side] = min(best[side], timeit.timeit(work, number=calls[side]) / calls[side] * 1e6)
    return best


def require_vectors():
    try:
        getattr(ctypes.CDLL(None), "Sleef_expf8_u10avx2")
    except AttributeError:
        raise SystemExit("compile_bench: inductor does not vectorise without sleef: LD_PRELOAD=libsleef.so.3") from None
    # Otherwise inductor tests whether the processor's vectors work, and goes without them if the test fails to link.
    importlib.import_module("torch._inductor.config").cpp.vec_isa_ok = True  # type: ignore[attr-defined]


def processor():
    with open("/proc/cpuinfo") as file:
        return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=400)
    rounds = arguments.parse_args().rounds
    torch.set_num_threads(1)
    torch.manual_seed(0)
    require_vectors()
    print(f"{processor()}, torch {torch.__version__}, one thread, float32, forward + backward, us")
    print(f"{'capped simplex':16} {'plain, compiled':>16} {'layer':>10} {'compiled':>10} {'ratios':>14} {'bar':>6}")
    for rows, dim in SHAPES:
        cap = 5 / dim
        u = torch.randn(rows, dim, requires_grad=True)
        g = torch.randn(rows, dim)
        layer = softradial.SoftRadial(softradial.CappedSimplex(dim, cap=cap), lambda_=1.0)
        plain = torch.compile(lambda u, cap=cap: plain_soft_radial(u, cap), fullgraph=True, dynamic=False)
        compiled = torch.compile(layer, fullgraph=True, dynamic=False)
        assert torch.allclose(plain(u), layer(u), atol=1e-5) and torch.allclose(compiled(u), layer(u), atol=1e-6)
        theirs, ours, graph = best_times(
            [lambda f=f: torch.autograd.grad(f(u), u, g) for f in (plain, layer, compiled)], rounds
        )
        ratios = f"{ours / theirs:.2f}, {graph / theirs:.2f}"
        missed = "" if max(ours, graph) <= BAR * theirs else "  missed"
        print(f"{f'{rows} x {dim}':16} {theirs:16.1f} {ours:10.1f} {graph:10.1f} {ratios:>14} {BAR:6.2f}{missed}")


if __name__ == "__main__":
    main()
