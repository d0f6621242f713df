"""Balls, ellipsoids and other quadratic inequalities."""

from typing import Any

import torch

import softradial as sr
from support.case import DIM, Case, Family, Kind, Samples, Twin, around, each, matrix
from support.inputs import normal, uniform
from support.judge import Judge, exact

INF = float("inf")


class BallJudge(Judge):
    """|x - center| <= radius"""

    def __init__(self, center: Any, radius: Any) -> None:
        self.center, self.radius = exact(center), exact(radius)[()]

    def slacks(self, x):
        e = x - self.center
        return [self.radius**2 - e.dot(e)]


class EllipsoidJudge(Judge):
    """(x - center)' shape (x - center) <= 1"""

    def __init__(self, center: Any, shape: Any) -> None:
        self.center, self.shape = exact(center), exact(shape)

    def slacks(self, x):
        e = x - self.center
        return [1 - e.dot(self.shape.dot(e))]


class QuadraticJudge(Judge):
    """1/2 x'Px + q'x + c <= 0"""

    def __init__(self, P: Any, q: Any, c: Any) -> None:
        self.P, self.q, self.c = exact(P), exact(q), exact(c)[()]

    def slacks(self, x):
        return [-(x.dot(self.P.dot(x)) / 2 + self.q.dot(x) + self.c)]


def _positive_definite(dim: int, seed: int) -> torch.Tensor:
    root = matrix(dim, dim, seed)
    product = root @ root.T / dim
    return (product + product.T) / 2 + 0.5 * torch.eye(dim, dtype=torch.float64)


SHAPE = _positive_definite(4, 3)
MIDDLE, OFFSET, SLOPE = [1.0, -2, 0.5], [0.3, -0.2, 1, 0], [0.1, -1.0, 0.7, 0.2]

CASES = [
    Case("ball", sr.Ball(MIDDLE, 1.5), BallJudge(MIDDLE, 1.5)),
    Case("ellipsoid", sr.Ellipsoid(OFFSET, SHAPE), EllipsoidJudge(OFFSET, SHAPE), bitwise=False),
    Case("quadratic", sr.Quadratic(SHAPE, SLOPE, -0.8), QuadraticJudge(SHAPE, SLOPE, -0.8), bitwise=False),
]

BAD = {
    "ball: radius -1": (lambda: sr.Ball([0.0, 0.0], -1), "radius is -1"),
    "ball: radius 0": (lambda: sr.Ball([0.0, 0.0], 0), "radius is 0"),
    "ball: two radii": (lambda: sr.Ball([0.0, 0.0], [1.0, 2.0]), "radius: expected one number"),
    "ball: center inf": (lambda: sr.Ball([0.0, INF], 1), "center.*inf"),
    "ball: no center": (lambda: sr.Ball([], 1), "ball|center"),
    "ellipsoid: indefinite": (lambda: sr.Ellipsoid([0.0, 0], [[1.0, 0], [0, -2]]), "eigenvalue is -2"),
    "ellipsoid: not symmetric": (lambda: sr.Ellipsoid([0.0, 0], [[1.0, 0.5], [0, 1]]), "symmetric|0.5"),
    "ellipsoid: shape of shape": (lambda: sr.Ellipsoid([0.0, 0, 0], [[1.0, 0], [0, 1]]), "ellipsoid.*(2|3)"),
    "quadratic: indefinite": (lambda: sr.Quadratic([[-1.0]], [0.0], -1), "-1"),
}


# ---------------------------------------------------------------------------------------------------------------- twins


CENTER = torch.tensor([0.3, -0.2, 1.0, 0.5], dtype=torch.float64)
LINEAR = torch.tensor(SLOPE, dtype=torch.float64)


def ball(x):
    return (x - CENTER.to(x)).square().sum(-1) - 2.25


def ball_norm(x):
    """The same set: 1-homogeneous, and with a kink at its centre whose textbook gradient is NaN."""
    return (x - CENTER.to(x)).square().sum(-1).sqrt() - 1.5


def ellipsoid(x):
    y = x - CENTER.to(x)
    return (y @ SHAPE.to(x) * y).sum(-1) - 1


def quadratic(x):
    return 0.5 * (x @ SHAPE.to(x) * x).sum(-1) + x @ LINEAR.to(x) - 0.8


TWINS = {
    "ball": Twin(ball, sr.Ball(CENTER, 1.5), CENTER + 0.2),
    "ball_centre": Twin(ball, sr.Ball(CENTER, 1.5), CENTER),
    "ball_norm": Twin(ball_norm, sr.Ball(CENTER, 1.5), CENTER - 0.3),
    "ball_norm_centre": Twin(ball_norm, sr.Ball(CENTER, 1.5), CENTER, smooth=True),
    "ellipsoid": Twin(ellipsoid, sr.Ellipsoid(CENTER, SHAPE), CENTER + 0.1),
    "quadratic": Twin(quadratic, sr.Quadratic(SHAPE, LINEAR, -0.8), torch.zeros(4, dtype=torch.float64)),
}


# ---------------------------------------------------------------------------------------------------------- random sets


def _ball(dim, rng):
    center, radius = normal((dim,), rng, scale=3), 0.7
    return sr.Ball(center, radius), BallJudge(center, radius)


def _ellipsoid(dim, rng):
    root = normal((dim, dim), rng)
    shape = root @ root.T + 0.1 * torch.eye(dim, dtype=torch.float64)
    shape = (shape + shape.T) / 2
    center = normal((dim,), rng)
    return sr.Ellipsoid(center, shape), EllipsoidJudge(center, shape)


# ------------------------------------------------------------------------------------------------ a set for each sample


CENTERS, RADII = around([0.0] * DIM, 1.0), around(1.0, 0.5)

KINDS = {
    "ball": Kind(
        sr.Ball([0.0] * DIM, 1.0), {"center": CENTERS, "radius": RADII}, lambda center, radius: sr.Ball(center, radius)
    ),
    # A matrix product of the BLAS is inside, which splits its sums by threads.
    "ellipsoid": Kind(
        sr.Ellipsoid([0.0] * DIM, SHAPE), {"center": CENTERS}, lambda center: sr.Ellipsoid(center, SHAPE), bitwise=False
    ),
}


def _sample_balls(count, dim, dtype, rng):
    centers = normal((count, dim), rng, dtype, scale=3)
    radii = (10 ** uniform((count,), rng, -2, 2)).to(dtype)
    return Samples(sr.Ball([0.0] * dim, 1.0), {"center": centers, "radius": radii}, each(BallJudge, centers, radii))


def _sample_ellipsoids(count, dim, dtype, rng):
    set, verdict = _ellipsoid(dim, rng)
    centers = normal((count, dim), rng, dtype, scale=3)
    return Samples(set, {"center": centers}, each(lambda c: EllipsoidJudge(c, verdict.shape.astype(float)), centers))


WRONG_DATA = {
    "center: width": ("ball", {"center": torch.ones(DIM - 1)}, "center"),
    "radius: batch": ("ball", {"radius": torch.ones(3)}, "radius"),
    "radius on an ellipsoid": ("ellipsoid", {"radius": torch.tensor(1.0)}, "radius"),
    "scale: batch": ("ball", {"scale": torch.ones(3)}, "scale"),
    "anchor: width": ("ball", {"anchor": torch.ones(3)}, "anchor"),
}

LEARNED = {
    "ball.center": (lambda p: sr.Ball(p, 1.0), [0.0] * DIM),
    "ball.radius": (lambda p: sr.Ball([0.0] * DIM, p), 1.0),
    "ellipsoid.center": (lambda p: sr.Ellipsoid(p, SHAPE), [0.0] * DIM),
}
NOT_LEARNED = {
    "ellipsoid.shape": (lambda p: sr.Ellipsoid([0.0] * DIM, p), SHAPE),
    "quadratic.P": (lambda p: sr.Quadratic(p, [0.0] * DIM, -1.0), SHAPE),
    "quadratic.q": (lambda p: sr.Quadratic(SHAPE, p, -1.0), [0.0] * DIM),
}


def _curved(draws, n):
    roots, eye = draws(3, n, n, seed=62), torch.eye(n, dtype=torch.float64)
    return [sr.Quadratic(r @ r.T + eye, draws(n, seed=63), -6.0 - j) for j, r in enumerate(roots)]


def _others(draws, n, count):
    data = {"q": 0.3 * draws(count, n, seed=82), "c": -1 - torch.arange(count, dtype=torch.float64)}
    return data, lambda q, c: sr.Quadratic(torch.eye(n, dtype=torch.float64), q, float(c))


FAMILY = Family(
    cases=CASES,
    bad=BAD,
    twins=TWINS,
    random={"ball": _ball, "ellipsoid": _ellipsoid},
    kinds=KINDS,
    samples={"ball": _sample_balls, "ellipsoid": _sample_ellipsoids},
    curved={"quadratics": _curved},
    others={"quadratic": _others},
    wrong_data=WRONG_DATA,
    learned=LEARNED,
    not_learned=NOT_LEARNED,
    densities={"ellipse": (sr.Ellipsoid([0.3, -0.2], [[4.0, 1.2], [1.2, 2.0]]), 1.0)},
)
