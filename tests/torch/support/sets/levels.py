"""Level sets {h <= 0} of the library: lp balls, log-sum-exp, KL balls."""

from decimal import Decimal, localcontext
from typing import Any

import numpy

import softradial as sr
from support.case import DIM, Case, Family, Twin
from support.judge import DIGITS, Judge, decimals, exact
from support.sets.coordinates import simplex_judge

NAN, INF = float("nan"), float("inf")


class LpJudge(Judge):
    """|x - center|_p <= radius"""

    def __init__(self, center: Any, radius: Any, p: float) -> None:
        self.center, self.radius, self.p = exact(center), exact(radius)[()], p

    def slacks(self, x):
        e = abs(x - self.center)
        if self.p == numpy.inf:
            return [self.radius - max(e)]
        if self.p == int(self.p):
            return [self.radius ** int(self.p) - sum(e ** int(self.p))]
        with localcontext() as context:
            context.prec = DIGITS
            p = Decimal(self.p)
            return [decimals([self.radius])[0] ** p - sum(v**p for v in decimals(e))]


class LogSumExpJudge(Judge):
    """log sum_j exp(x_j) <= bound"""

    def __init__(self, bound: Any) -> None:
        self.bound = exact(bound)[()]

    def slacks(self, x):
        with localcontext() as context:
            context.prec = DIGITS
            return [decimals([self.bound])[0].exp() - sum(v.exp() for v in decimals(x))]


class KlJudge(Judge):
    """x >= 0, sum(x) = 1, sum_j x_j log(x_j / reference_j) <= radius"""

    def __init__(self, reference: Any, radius: Any) -> None:
        self.reference, self.radius = exact(reference), exact(radius)[()]
        self.simplex = simplex_judge(len(self.reference))

    def slacks(self, x):
        inside = self.simplex.slacks(x)
        if min(inside) <= 0:
            return inside
        with localcontext() as context:
            context.prec = DIGITS
            pairs = zip(decimals(x), decimals(self.reference))
            return inside + [decimals([self.radius])[0] - sum(p * (p / q).ln() for p, q in pairs)]

    def residuals(self, x, u0):
        return self.simplex.residuals(x, u0)


CENTER = [1.0, -2, 0.5]
REFERENCE = [0.2, 0.3, 0.5]

CASES = [
    Case("lp_ball_3", sr.LpBall(CENTER, 1.5, 3), LpJudge(CENTER, 1.5, 3)),
    Case("lp_ball_1", sr.LpBall(CENTER, 1.5, 1), LpJudge(CENTER, 1.5, 1)),
    Case("lp_ball_inf", sr.LpBall(CENTER, 1.5, INF), LpJudge(CENTER, 1.5, INF)),
    Case("log_sum_exp", sr.LogSumExp(4, 2.0), LogSumExpJudge(2.0), rays=([-1.0, -2, -1, -3],)),
    Case("kl_ball", sr.KlBall(REFERENCE, 0.2), KlJudge(REFERENCE, 0.2)),
]

BAD = {
    "lp_ball: p below 1": (lambda: sr.LpBall([0.0], 1, 0.5), "p is 0.5"),
    "lp_ball: p nan": (lambda: sr.LpBall([0.0], 1, NAN), "p is nan"),
    "kl_ball: no distribution": (lambda: sr.KlBall([0.5, 0.6], 1), "1.1"),
    "kl_ball: radius": (lambda: sr.KlBall([0.5, 0.5], -1), "radius is -1"),
    "log_sum_exp: dim 0": (lambda: sr.LogSumExp(0, 1), "0"),
}


def log_sum_exp(x):
    return x.logsumexp(-1) - 2


FAMILY = Family(
    cases=CASES,
    bad=BAD,
    twins={"log_sum_exp": Twin(log_sum_exp, sr.LogSumExp(3, 2.0), [0.0, -1.0, -0.5], smooth=True)},
    not_learned={
        "lp_ball.center": (lambda p: sr.LpBall(p, 1.0, 3), [0.0] * DIM),
        "kl_ball.reference": (lambda p: sr.KlBall(p, 0.1), [0.25] * DIM),
    },
)
