"""The ratios of `softradial bench` that matter from Python: the layer's call against torch's softmax, one thread, float32.

Both sides take turns, round by round; the smallest time of each counts.
"""

import timeit

import softradial
import torch

SHAPES = [(64, 50, 1.0), (128, 150, 0.6), (4096, 50, 0.6), (4096, 150, 0.6), (1024, 1000, 0.6)]


def best_times(ours, theirs, rounds=25):
    calls = [max(1, int(5e-3 / min(timeit.repeat(work, number=3, repeat=2)) * 3)) for work in (ours, theirs)]
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for side, work in enumerate((ours, theirs)):
            best[side] = min(best[side], timeit.timeit(work, number=calls[side]) / calls[side] * 1e6)
    return best


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(f"{'from Python, forward + backward':58} {'against':12} {'us':>10} {'us':>10} {'ratio':>7} {'bar':>6}")
    for rows, dim, bar in SHAPES:
        u = torch.randn(rows, dim, requires_grad=True)
        g = torch.randn(rows, dim)
        layer = softradial.SoftRadial(softradial.CappedSimplex(dim, cap=5 / dim))
        softmax = torch.nn.Softmax(-1)
        ours, theirs = best_times(
            lambda: torch.autograd.grad(layer(u), u, g), lambda: torch.autograd.grad(softmax(u), u, g)
        )
        ratio = ours / theirs
        missed = "" if ratio <= bar else "  missed"
        shape = f"capped simplex {rows} x {dim}"
        print(f"{shape:58} {'softmax':12} {ours:10.1f} {theirs:10.1f} {ratio:7.2f} {bar:6.2f}{missed}")


if __name__ == "__main__":
    main()
