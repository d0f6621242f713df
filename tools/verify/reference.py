"""Radial maps and their derivatives in decimals of 60 digits, from the set as SET.json has it and the definition of the maps
alone. It shares no code with the library.

    x = u0 + phi d,   d = u - u0,   rho = d.d,   gamma = 1 / sup{t : u0 + t d in C}
    soft radial   phi = r(rho) min(1, 1 / gamma),   r = epsilon + (1 - epsilon) c(rho / lambda)
    hard radial   phi = min(1, 1 / gamma)
    gauge map     phi = c(gamma / lambda) / gamma
    c(z) = z / (1 + z), 1 - exp(-z), tanh(z)

Derivatives are central differences of x: with 60 digits and a step of 1e-20 they have 20 digits.
"""
from __future__ import annotations

import decimal
from decimal import Decimal
from typing import Any, Callable, Dict, List, Optional, Sequence

from judge import DIGITS, Json, dim_of

Vector = List[Decimal]
STEP = Decimal("1e-20")
# Of Newton's method for an exit: a step below this leaves less than the digits.
NEGLIGIBLE = Decimal("1e-50")
MOST_STEPS = 400

# What the guard and the rounding of gauges may cost, relative to the numbers that a result is made of. The sets of the
# reference are of condition 1e2 at most, the guard is of 1e2 ulp.
VALUE_DOUBT = 1e-11
DERIVATIVE_DOUBT = 1e-9
# Where a contraction is saturated beyond 60 digits, differences of the reference are noise.
REFERENCE_NOISE = 1e-30
LEAST_LOG_DET = -40
# The profile has a kink at gamma = 1: no row this near to it is compared.
KINK = 1e-3


def far_from(found: float, exact: float, size: float, doubt: float) -> bool:
    return not abs(found - exact) <= doubt * size


def number(value: Any) -> Decimal:
    """Exactly what it is: decimals stay as they are, so that data may move by less than an ulp."""
    return value if isinstance(value, Decimal) else Decimal(float(value))


def vector(values: Any) -> Vector:
    return [number(v) for v in values]


def dot(a: Sequence[Decimal], b: Sequence[Decimal]) -> Decimal:
    return sum((x * y for x, y in zip(a, b)), Decimal(0))


def linear_exit(row: Vector, bound: Decimal, at: Vector, d: Vector) -> Optional[Decimal]:
    """The t at which row . (at + t d) = bound; nothing if the ray never comes there."""
    speed = dot(row, d)
    return (bound - dot(row, at)) / speed if speed > 0 else None


def quadratic_exit(a: Decimal, b: Decimal, c: Decimal) -> Optional[Decimal]:
    """The positive root of a t^2 + b t + c with c < 0 <= a."""
    if a == 0:
        return -c / b if b > 0 else None
    return (-b + (b * b - 4 * a * c).sqrt()) / (2 * a)


def form_exit(P: Sequence[Vector], q: Vector, c: Decimal, at: Vector, d: Vector) -> Optional[Decimal]:
    """Of 1/2 y'Py + q'y + c <= 0 along y = at + t d."""
    Pd, Py = [dot(row, d) for row in P], [dot(row, at) for row in P]
    return quadratic_exit(dot(d, Pd) / 2, dot(d, Py) + dot(q, d), dot(at, Py) / 2 + dot(q, at) + c)


def power(base: Decimal, exponent: Decimal) -> Decimal:
    """base^exponent for base >= 0."""
    if exponent == 1 or base == 0:
        return base if exponent else Decimal(1)
    return (base.ln() * exponent).exp()


def lp_exit(center: Vector, radius: Decimal, p: Decimal, at: Vector, d: Vector) -> Decimal:
    """The root of sum (|at_j + t d_j - center_j| / radius)^p - 1, which is convex: from a point beyond it Newton's method
    comes down to it without a jump, and quadratically at the end."""
    start = [(a - c) / radius for a, c in zip(at, center)]
    speed = [v / radius for v in d]

    def value(t: Decimal) -> Decimal:
        return sum((power(abs(a + t * v), p) for a, v in zip(start, speed)), Decimal(0)) - 1

    def slope(t: Decimal) -> Decimal:
        total = Decimal(0)
        for a, v in zip(start, speed):
            y = a + t * v
            total += p * power(abs(y), p - 1) * (v if y > 0 else -v)
        return total

    t = Decimal(1)
    while value(t) <= 0:
        t *= 2
    for _ in range(MOST_STEPS):
        step = value(t) / slope(t)
        t -= step
        if abs(step) <= NEGLIGIBLE * t:
            return t
    raise ArithmeticError("the reference found no exit")


def exits(description: Json, at: Vector, d: Vector) -> List[Decimal]:
    """Where the ray leaves each constraint."""
    kind, n = description["type"], len(at)
    found: List[Optional[Decimal]] = []
    if kind == "box":
        for j in range(n):
            unit = [Decimal(int(i == j)) for i in range(n)]
            low, high = description["lower"][j], description["upper"][j]
            if high is not None:
                found.append(linear_exit(unit, number(high), at, d))
            if low is not None:
                found.append(linear_exit([-v for v in unit], -number(low), at, d))
    elif kind in ("simplex", "capped_simplex"):
        caps = description.get("cap")
        for j in range(n):
            unit = [Decimal(int(i == j)) for i in range(n)]
            found.append(linear_exit([-v for v in unit], Decimal(0), at, d))
            if caps is not None:
                found.append(linear_exit(unit, number(caps[j]), at, d))
    elif kind == "polyhedron":
        for row, bound in zip(description["A"], description["b"]):
            found.append(linear_exit(vector(row), number(bound), at, d))
    elif kind == "ball":
        y = [a - b for a, b in zip(at, vector(description["center"]))]
        radius = number(description["radius"])
        found.append(quadratic_exit(dot(d, d), 2 * dot(y, d), dot(y, y) - radius * radius))
    elif kind == "ellipsoid":
        y = [a - b for a, b in zip(at, vector(description["center"]))]
        twice = [[2 * v for v in vector(row)] for row in description["shape"]]
        found.append(form_exit(twice, [Decimal(0)] * n, Decimal(-1), y, d))
    elif kind == "quadratic":
        rows = [vector(row) for row in description["P"]]
        found.append(form_exit(rows, vector(description["q"]), number(description["c"]), at, d))
    elif kind == "lp_ball":
        radius, p = number(description["radius"]), Decimal(float(description["p"]))
        found.append(lp_exit(vector(description["center"]), radius, p, at, d))
    elif kind == "intersection":
        for part in description["sets"]:
            found.extend(exits(part, at, d))
    else:
        raise ValueError(f"the reference does not know the type {kind}")
    return [t for t in found if t is not None]


def knows(description: Json) -> bool:
    """Whether there is a reference: a full-dimensional set of the types above, small enough."""
    kinds = ("box", "polyhedron", "ball", "ellipsoid", "quadratic", "lp_ball")
    if description["type"] == "intersection":
        return all(knows(part) for part in description["sets"])
    if description["type"] == "lp_ball" and description["p"] == float("inf"):
        return False
    if description["type"] == "box":
        sides = zip(description["lower"], description["upper"])
        return dim_of(description) <= 10 and all(low is None or low != high for low, high in sides)
    return description["type"] in kinds and "E" not in description and dim_of(description) <= 10


CONTRACTIONS: Dict[str, Callable[[Decimal], Decimal]] = {
    "rational": lambda z: z / (1 + z),
    "exponential": lambda z: 1 - (-z).exp(),
    "hyperbolic": lambda z: (1 - (-2 * z).exp()) / (1 + (-2 * z).exp()),
}


class Reference:
    """A radial map on a set. `method`: soft_radial, hard_radial or gauge_map."""

    def __init__(self, description: Json, anchor: Any, method: str, options: Json) -> None:
        self.description = description
        self.anchor = vector(anchor)
        self.method = method
        self.contraction = CONTRACTIONS[options.get("contraction", "rational")]
        self.lambda_ = Decimal(float(options.get("lambda_", 1)))
        self.epsilon = Decimal(float(options.get("epsilon", 0)))

    def direction(self, u: Vector) -> Vector:
        """u - u0 on the hull: the coordinates of a simplex keep their sum."""
        d = [a - b for a, b in zip(u, self.anchor)]
        mean = sum(d, Decimal(0)) / len(d) if self.description["type"] in ("simplex", "capped_simplex") else Decimal(0)
        return [v - mean for v in d]

    def gamma(self, d: Vector) -> Decimal:
        found = exits(self.description, self.anchor, d)
        return 1 / min(found) if found else Decimal(0)

    def __call__(self, u: Vector) -> Vector:
        d = self.direction(u)
        gamma = self.gamma(d)
        if self.method == "gauge_map":
            phi = self.contraction(gamma / self.lambda_) / gamma if gamma > 0 else 1 / self.lambda_
        else:
            phi = 1 / gamma if gamma > 1 else Decimal(1)
            if self.method == "soft_radial":
                share = self.contraction(dot(d, d) / self.lambda_)
                phi *= self.epsilon + (1 - self.epsilon) * share
        return [a + phi * b for a, b in zip(self.anchor, d)]

    def jvp(self, u: Vector, v: Vector) -> Vector:
        ahead = self([a + STEP * b for a, b in zip(u, v)])
        behind = self([a - STEP * b for a, b in zip(u, v)])
        return [(a - b) / (2 * STEP) for a, b in zip(ahead, behind)]

    def log_abs_det(self, u: Vector) -> Decimal:
        n = len(u)
        columns = [self.jvp(u, [Decimal(int(i == j)) for i in range(n)]) for j in range(n)]
        rows = [[columns[j][i] for j in range(n)] for i in range(n)]
        total = Decimal(0)
        for k in range(n):
            pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
            rows[k], rows[pivot] = rows[pivot], rows[k]
            if rows[k][k] == 0:
                return Decimal("-Infinity")
            total += abs(rows[k][k]).ln()
            for i in range(k + 1, n):
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
        return total


def in_digits() -> Any:
    """The context in which a Reference computes."""
    return decimal.localcontext(DIGITS)
