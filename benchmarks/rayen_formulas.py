"""RAYEN's map against its own formulas in plain torch: v the ray from the anchor z0, kappa the inverse of the distance to
the boundary along v / |v|,

    x = z0 + min(1 / kappa, |v|) v / |v|,        kappa = the largest over the constraints, at least 0.

    linear        a.v / (b - a.z0)
    quadratic     the larger root of  c k^2 + (P z0 + q).v k + v'Pv / 2 = 0,  c = z0'P z0 / 2 + q.z0 + r  (negative)
    cone          |M (z0 + t v) + s| = c.(z0 + t v) + e,  squared: a quadratic in k = 1 / t again
    LMI           the largest eigenvalue of -L'(sum_i v_i F_i) L,  L L' the inverse of F(z0)

(Tordesillas, How and Hutter 2023, in our words). Random sets of the kinds that paper times, 500 rows, one thread, float32.
"""

from typing import Callable, Dict, List, Tuple

import softradial
import torch
from torch import Tensor
from torch_bench import best_times

ROWS = 500
Kappa = Callable[[Tensor], Tensor]


def linear(rows: int, dim: int) -> Tuple[softradial.Set, Kappa]:
    A = torch.randn(rows, dim, dtype=torch.float64)
    b = A.norm(dim=1) + torch.rand(rows, dtype=torch.float64)
    scaled = (A / b[:, None]).float()
    return softradial.Polyhedron(A, b), lambda v: (v @ scaled.T).amax(-1)


def larger_root(constant: Tensor, half_linear: Tensor, square: Tensor) -> Tensor:
    """The root of constant k^2 + 2 half_linear k + square = 0 with constant < 0, the largest over the constraints."""
    return ((-half_linear - (half_linear**2 - constant * square).clamp(min=0).sqrt()) / constant).amax(-1)


def quadratics(count: int, dim: int) -> Tuple[softradial.Set, Kappa]:
    roots = torch.randn(count, dim, dim, dtype=torch.float64)
    P = roots @ roots.mT / dim + torch.eye(dim, dtype=torch.float64)
    q = torch.randn(count, dim, dtype=torch.float64)
    r = -1 - torch.rand(count, dtype=torch.float64)
    P32, q32, r32 = P.float(), q.float(), r.float()
    kappa = lambda v: larger_root(r32, v @ q32.T / 2, torch.einsum("ni,cij,nj->nc", v, P32, v) / 2)
    return softradial.Intersection([softradial.Quadratic(P[i], q[i], float(r[i])) for i in range(count)]), kappa


def cones(count: int, rows: int, dim: int) -> Tuple[softradial.Set, Kappa]:
    M = torch.randn(count, rows, dim, dtype=torch.float64)
    s, c = 0.3 * torch.randn(count, rows, dtype=torch.float64), torch.randn(count, dim, dtype=torch.float64)
    e = s.norm(dim=1) + 1
    M32, s32, c32, e32 = M.float(), s.float(), c.float(), e.float()
    constant = (s32**2).sum(-1) - e32**2

    def kappa(v: Tensor) -> Tensor:
        Mv, cv = torch.einsum("crj,nj->ncr", M32, v), v @ c32.T
        return larger_root(constant, (Mv * s32).sum(-1) - cv * e32, (Mv**2).sum(-1) - cv**2)

    return softradial.Intersection(
        [softradial.SecondOrderCone(M[i], s[i], c[i], float(e[i])) for i in range(count)]
    ), kappa


def matrix_inequality(size: int, dim: int) -> Tuple[softradial.Set, Kappa]:
    F = torch.randn(dim + 1, size, size, dtype=torch.float64)
    F = F + F.mT
    F[0] = 2 * torch.eye(size, dtype=torch.float64)
    flat = -F[1:].reshape(dim, size * size).float() / 2
    return softradial.Lmi(F), lambda v: torch.linalg.eigvalsh((v @ flat).reshape(-1, size, size))[:, -1]


def map_of(kappa: Kappa) -> Callable[[Tensor], Tensor]:
    def plain(u: Tensor) -> Tensor:
        length = u.norm(dim=-1, keepdim=True)
        direction = u / length
        inverse = kappa(direction).clamp(min=1e-12).unsqueeze(-1)
        return torch.minimum(1 / inverse, length) * direction

    return plain


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    cases: Dict[str, Tuple[softradial.Set, Kappa]] = {
        "linear, 100 x 100": linear(100, 100),
        "linear, 1000 x 100": linear(1000, 100),
        "quadratics, 10 in dimension 50": quadratics(10, 50),
        "quadratics, 100 in dimension 50": quadratics(100, 50),
        "second-order cones, 10 of 10 x 50": cones(10, 10, 50),
        "second-order cones, 100 of 10 x 50": cones(100, 10, 50),
        "LMI, 10 x 10, dimension 50": matrix_inequality(10, 50),
        "LMI, 50 x 50, dimension 50": matrix_inequality(50, 50),
    }
    print(f"{'RAYEN, 500 rows, from Python':58} {'':12} {'us':>10} {'its us':>10} {'ratio':>7}")
    for name, (constraint, kappa) in cases.items():
        dim = constraint.dim
        layer, plain = softradial.HardRadial(constraint, anchor=torch.zeros(dim)), map_of(kappa)
        u = (2 * torch.randn(ROWS, dim)).requires_grad_()
        g = torch.randn(ROWS, dim)
        worst = float((layer(u) - plain(u)).abs().max())
        if worst > 1e-3:
            raise SystemExit(f"{name}: the two differ by {worst}")
        works: List[Tuple[str, Callable[[], object], Callable[[], object]]] = [
            ("forward", lambda: layer(u.detach()), lambda: plain(u.detach())),
            (
                "forward + backward",
                lambda: torch.autograd.grad(layer(u), u, g),
                lambda: torch.autograd.grad(plain(u), u, g),
            ),
        ]
        for what, ours, theirs in works:
            mine, its = best_times(ours, theirs, rounds=7)
            print(f"{name + ', ' + what:58} {'RAYEN':12} {mine:10.1f} {its:10.1f} {mine / its:7.2f}", flush=True)


if __name__ == "__main__":
    main()
