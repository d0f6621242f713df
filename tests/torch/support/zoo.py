"""One of every set, small and named, each with its judge."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Dict, List, Sequence

import torch

import softradial as sr
from support import judge
from support.judge import Judge

INF = float("inf")


@dataclass(frozen=True, eq=False)
class Case:
    name: str
    set: Any
    judge: Judge
    # A row has the same bits alone and in a batch. Not promised where a product with a matrix is inside, which may sum
    # in another order.
    bitwise: bool = True

    @property
    def dim(self) -> int:
        return self.set.dim

    def __repr__(self) -> str:
        return self.name


def _matrix(rows: int, columns: int, seed: int) -> torch.Tensor:
    """Standard normal numbers; the seed makes each matrix a constant."""
    return torch.randn(rows, columns, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def _positive_definite(dim: int, seed: int) -> torch.Tensor:
    root = _matrix(dim, dim, seed)
    product = root @ root.T / dim
    return (product + product.T) / 2 + 0.5 * torch.eye(dim, dtype=torch.float64)


EYE = torch.eye(4, dtype=torch.float64)
ROWS = torch.cat([_matrix(10, 4, 1), EYE, -EYE])
BOUNDS = torch.cat([_matrix(10, 1, 2).abs()[:, 0] + 0.3, torch.full((8,), 2.5, dtype=torch.float64)])
SPARSE_ROWS = torch.zeros(12, 6, dtype=torch.float64)
for i in range(12):
    SPARSE_ROWS[i, i % 6] = 1.0 if i < 6 else -1.0
    SPARSE_ROWS[i, (i + 2) % 6] = 0.37 * (i % 3 - 1)
SPARSE_BOUNDS = torch.linspace(0.3, 1.7, 12, dtype=torch.float64)
# x0 <= 0.3 and -x0 <= -0.3: flat, though nothing says so.
IMPLICIT_ROWS = [[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [1, 1, 1], [0, 0, -1]]
IMPLICIT_BOUNDS = [0.3, -0.3, 1, 0.5, 2, 0.7]
SHAPE = _positive_definite(4, 3)
CONE = dict(M=[[1.0, 0.2, 0], [0, 0.7, 0.1]], s=[0.1, -0.3], c=[0.2, 0.1, 0.9], e=0.5)
LMI = torch.stack([_matrix(3, 3, seed) for seed in range(10, 14)])
LMI = (LMI + LMI.transpose(1, 2)) / 2
LMI[0] = 3 * torch.eye(3, dtype=torch.float64)
PREIMAGE = _matrix(3, 2, 20)


def _coordinate_sets() -> List[Case]:
    caps = [0.4, 0.3, 0.7, 0.2, 0.05]
    lower, upper = [-1.0, 0.05, 10.0], [2.0, 0.1, 10.5]
    open_lower, open_upper = [-INF, 0.0, -INF, 0.3], [1.0, INF, INF, 0.7]
    return [
        Case("simplex", sr.Simplex(5), judge.simplex(5)),
        Case("simplex_sum", sr.Simplex(3, 2.7), judge.simplex(3, 2.7)),
        Case("capped_simplex", sr.CappedSimplex(6, 0.3), judge.capped_simplex(6, 0.3)),
        Case("capped_simplex_caps", sr.CappedSimplex(5, caps), judge.capped_simplex(5, caps)),
        Case("box", sr.Box(lower, upper), judge.Coordinates(lower, upper)),
        Case("box_open", sr.Box(open_lower, open_upper), judge.Coordinates(open_lower, open_upper)),
    ]


def _polyhedra() -> List[Case]:
    equality, level = [[1.0, 1, 1, 1], [0.5, 0, -0.3, 1]], [0.25, 0.1]
    implicit = judge.Polyhedron(IMPLICIT_ROWS, IMPLICIT_BOUNDS, always_active=(0, 1))
    off_centre = sr.Polyhedron(ROWS, BOUNDS).with_anchor(torch.tensor([0.1, -0.1, 0.05, 0.1], dtype=torch.float64))
    return [
        Case("polyhedron", sr.Polyhedron(ROWS, BOUNDS), judge.Polyhedron(ROWS, BOUNDS), bitwise=False),
        Case("polyhedron_off_centre", off_centre, judge.Polyhedron(ROWS, BOUNDS), bitwise=False),
        Case(
            "polyhedron_sparse",
            sr.Polyhedron(SPARSE_ROWS.to_sparse(), SPARSE_BOUNDS),
            judge.Polyhedron(SPARSE_ROWS, SPARSE_BOUNDS),
            bitwise=False,
        ),
        Case(
            "polyhedron_flat",
            sr.Polyhedron(ROWS, BOUNDS, equality, level),
            judge.Polyhedron(ROWS, BOUNDS, equality, level),
            bitwise=False,
        ),
        Case("polyhedron_implicit", sr.Polyhedron(IMPLICIT_ROWS, IMPLICIT_BOUNDS), implicit, bitwise=False),
        Case("halfspace", sr.Polyhedron([[1.0, -2, 0.5]], [1.25]), judge.Polyhedron([[1.0, -2, 0.5]], [1.25]), False),
    ]


def _curved_sets() -> List[Case]:
    center, disc = [1.0, -2, 0.5], [0.3, -0.2, 1, 0]
    q = [0.1, -1.0, 0.7, 0.2]
    return [
        Case("ball", sr.Ball(center, 1.5), judge.Ball(center, 1.5)),
        Case("ellipsoid", sr.Ellipsoid(disc, SHAPE), judge.Ellipsoid(disc, SHAPE), bitwise=False),
        Case("quadratic", sr.Quadratic(SHAPE, q, -0.8), judge.Quadratic(SHAPE, q, -0.8), bitwise=False),
        Case("second_order_cone", sr.SecondOrderCone(**CONE), judge.SecondOrderCone(**CONE), bitwise=False),
        Case("lmi", sr.Lmi(LMI), judge.Lmi(LMI), bitwise=False),
        Case("lp_ball", sr.LpBall(center, 1.5, 3), judge.LpBall(center, 1.5, 3)),
        Case("lp_ball_1", sr.LpBall(center, 1.5, 1), judge.LpBall(center, 1.5, 1)),
        Case("lp_ball_inf", sr.LpBall(center, 1.5, INF), judge.LpBall(center, 1.5, INF)),
        Case("log_sum_exp", sr.LogSumExp(4, 2.0), judge.LogSumExp(2.0)),
        Case("kl_ball", sr.KlBall([0.2, 0.3, 0.5], 0.2), judge.KlBall([0.2, 0.3, 0.5], 0.2)),
    ]


def _combinations() -> List[Case]:
    cube = ([-1.0] * 3, [1.0] * 3)
    ball = ([0.1, 0.0, -0.1], 1.2)
    return [
        Case(
            "intersection",
            sr.Intersection(sr.Box(*cube), sr.Ball(*ball)),
            judge.Intersection(judge.Coordinates(*cube), judge.Ball(*ball)),
        ),
        Case(
            "product",
            sr.Product(sr.Simplex(3), sr.Ball([0.0, 0.5], 1.0)),
            judge.Product((judge.simplex(3), 3), (judge.Ball([0.0, 0.5], 1.0), 2)),
        ),
        Case(
            "affine_preimage",
            sr.AffinePreimage(sr.Ball([0.0, 0, 0], 1.0), PREIMAGE, [0.1, 0, 0]),
            judge.AffinePreimage(judge.Ball([0.0, 0, 0], 1.0), PREIMAGE, [0.1, 0, 0]),
            bitwise=False,
        ),
        Case(
            "scaled",
            sr.Scaled(sr.CappedSimplex(5, 0.4), 3.0),
            judge.Scaled(judge.capped_simplex(5, 0.4), 3.0),
        ),
    ]


ZOO: Sequence[Case] = _coordinate_sets() + _polyhedra() + _curved_sets() + _combinations()
BY_NAME: Dict[str, Case] = {case.name: case for case in ZOO}

CONTRACTIONS = ("rational", "exponential", "hyperbolic")

# Every method, as a function of the set and of a layer's other arguments.
METHODS: Dict[str, Callable[..., Any]] = {
    **{f"soft_{c}": lambda s, c=c, **k: sr.SoftRadial(s, contraction=c, **k) for c in CONTRACTIONS},
    **{f"gauge_{c}": lambda s, c=c, **k: sr.GaugeMap(s, contraction=c, **k) for c in CONTRACTIONS},
    "hard": lambda s, **k: sr.HardRadial(s, **k),
}
ONE_TO_ONE = {name: make for name, make in METHODS.items() if name != "hard"}


@lru_cache(maxsize=None)
def soft_layer(case: Case) -> sr.SoftRadial:
    """The default layer on a case's set, made once."""
    return sr.SoftRadial(case.set)
