"""Radial maps and their derivatives in decimals of 60 digits, from the set as SET.json has it and the definition of the maps
alone. It shares no code with the library. Where rays leave a set stands in families/.

    x = u0 + phi d,   d = u - u0 on the set's hull,   rho = d.d,   gamma = 1 / sup{t : u0 + t d in C}
    soft radial   phi = r(rho) min(1, 1 / gamma),   r = epsilon + (1 - epsilon) c(rho / lambda)
    hard radial   phi = min(1, 1 / gamma)
    gauge map     phi = c(gamma / lambda) / gamma
    c(z) = z / (1 + z), 1 - exp(-z), tanh(z)

Derivatives are central differences of x: with 60 digits and a step of 1e-20 they have 20 digits.
"""
from __future__ import annotations

from decimal import Decimal
from typing import Any, Callable, Dict, List, Sequence

from families.arithmetic import Json, Vector, dot, in_digits, number, vector
from families.table import equalities, exits

STEP = Decimal("1e-20")

# What the guard and the rounding of gauges may cost, relative to the numbers that a result is made of. The sets of the
# reference are of condition 1e2 at most, the guard is of 1e2 ulp.
VALUE_DOUBT = 1e-11
DERIVATIVE_DOUBT = 1e-9
# Where a contraction is saturated beyond 60 digits, differences of the reference are noise.
REFERENCE_NOISE = 1e-30
LEAST_LOG_DET = -40
# Of each term of a tangent, some ulp.
TANGENT_ROUNDING = 4e-15
# The guard of a gauge where the gauge itself is 0, in units of the set.
GUARD = Decimal("1e-13")
# The profile has a kink at gamma = 1: no row this near to it is compared.
KINK = 1e-3


def far_from(found: float, exact: float, size: float, doubt: float) -> bool:
    return not abs(found - exact) <= doubt * size


CONTRACTIONS: Dict[str, Callable[[Decimal], Decimal]] = {
    "rational": lambda z: z / (1 + z),
    "exponential": lambda z: 1 - (-z).exp(),
    "hyperbolic": lambda z: (1 - (-2 * z).exp()) / (1 + (-2 * z).exp()),
}


# What is left of a vector of length 1 or so that others span.
DEPENDENT = Decimal("1e-14")


def exactly(row: Any) -> Vector:
    """Numbers of more bits than a double has, too."""
    high = [float(v) for v in row]
    return [Decimal(a) + Decimal(float(v - a)) for v, a in zip(row, high)]


def without(v: Vector, basis: List[Vector]) -> Vector:
    """The part of v that is orthogonal to an orthonormal basis."""
    for unit in basis:
        share = dot(v, unit)
        v = [a - share * b for a, b in zip(v, unit)]
    return v


def orthonormal(v: Vector, basis: List[Vector], others: Sequence[Vector] = ()) -> List[Vector]:
    """The basis with v, unless it and the others span v already."""
    rest = without(v, [*basis, *others])
    length = dot(rest, rest).sqrt()
    return [*basis, [a / length for a in rest]] if length > DEPENDENT * dot(v, v).sqrt() else basis


class Reference:
    """A radial map on a set. `method`: soft_radial, hard_radial or gauge_map."""

    def __init__(self, description: Json, anchor: Any, method: str, options: Json) -> None:
        self.description = description
        self.anchor = vector(anchor)
        # Of the hull, orthonormal.
        self.normals: List[Vector] = []
        with in_digits():
            for equality in equalities(description, len(self.anchor)):
                self.normals = orthonormal(exactly(equality.row), self.normals)
        self.method = method
        self.contraction = CONTRACTIONS[options.get("contraction", "rational")]
        self.lambda_ = Decimal(float(options.get("lambda_", 1)))
        self.epsilon = Decimal(float(options.get("epsilon", 0)))

    def direction(self, u: Vector) -> Vector:
        """u - u0 on the hull."""
        return without([a - b for a, b in zip(u, self.anchor)], self.normals)

    def gamma(self, d: Vector) -> Decimal:
        found = [t for t in exits(self.description, self.anchor, d) if t is not None]
        return 1 / min(found) if found else Decimal(0)

    def __call__(self, u: Vector) -> Vector:
        d = self.direction(u)
        return self.along(d, self.gamma(d))

    def resolves(self, u: Vector) -> bool:
        """Whether x is the same, up to VALUE_DOUBT, with a gauge that is larger by the guard. A gauge map with a small
        lambda has a guard in the place of the gauge where the set does not end."""
        d = self.direction(u)
        gamma = self.gamma(d)
        guarded = gamma + GUARD * max(Decimal(1), *(abs(v) for v in d))
        size = max(abs(a) for a in (*self.anchor, *self.along(d, gamma)))
        return all(abs(a - b) <= number(VALUE_DOUBT) * size for a, b in zip(self.along(d, gamma), self.along(d, guarded)))

    def along(self, d: Vector, gamma: Decimal) -> Vector:
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
        """Of the Jacobian on the directions of the hull."""
        n = len(u)
        hull: List[Vector] = []
        for j in range(n):
            hull = orthonormal([Decimal(int(i == j)) for i in range(n)], hull, self.normals)
        columns = [self.jvp(u, v) for v in hull]
        rows = [[dot(v, column) for column in columns] for v in hull]
        total = Decimal(0)
        for k in range(len(rows)):
            pivot = max(range(k, len(rows)), key=lambda i: abs(rows[i][k]))
            rows[k], rows[pivot] = rows[pivot], rows[k]
            if rows[k][k] == 0:
                return Decimal("-Infinity")
            total += abs(rows[k][k]).ln()
            for i in range(k + 1, len(rows)):
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
        return total
