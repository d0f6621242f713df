"""Maps with data for each sample against the reference in 60 digits: value, tangent and gradient in u and in all data.

The reference moves the data themselves by 1e-20 and takes the difference of x: its derivatives know nothing of the
library's. Where a sample's anchor is not given, it is a closed form of the data (docs/torch.md), and moves with them.
"""
from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict

import numpy as np

from families.arithmetic import Json, Vector, in_digits, number, vector
from families.draws import Samples
from families.table import has_exits, type_of
from reference import DERIVATIVE_DOUBT, KINK, REFERENCE_NOISE, STEP, VALUE_DOUBT, Reference, far_from
from samples import with_data

ROWS = 2
MOST_NUMBERS = 10
# Samples of ordinary size, not farther from the origin than this many sizes.
FARTHEST = 1e3


def comparable(samples: Samples, i: int) -> bool:
    """Whether the reference takes this row: ordinary numbers, none of them open or fixed."""
    numbers = [values[i] for values in samples.data.values()]
    if not samples.owed[i] or samples.center.shape[1] > MOST_NUMBERS or "scale" in samples.data:
        return False
    if not all(np.isfinite(v).all() for v in numbers) or not 1 / FARTHEST < samples.unit[i] < FARTHEST:
        return False
    if np.abs(samples.center[i]).max() > FARTHEST * samples.unit[i]:
        return False
    kind = type_of(samples.description)
    row = with_data(samples.description, {name: values[i].tolist() for name, values in samples.data.items()})
    if kind.thickness is not None and kind.thickness(row) < samples.unit[i] / FARTHEST:
        return False
    return has_exits(samples.description) and ("anchor" in samples.data or kind.anchor is not None)


class SampleReference:
    """The map of one sample as a function of u and of its data."""

    def __init__(self, samples: Samples, radial: Json) -> None:
        self.own = samples.description
        self.options = dict(radial)
        self.method = self.options.pop("method")

    def at(self, data: Dict[str, Any]) -> Reference:
        row = with_data(self.own, data)
        closed_form = type_of(self.own).anchor
        if "anchor" in data:
            return Reference(row, vector(data["anchor"]), self.method, self.options)
        assert closed_form is not None
        return Reference(row, closed_form(row), self.method, self.options)


def moved(data: Dict[str, Any], tangents: Dict[str, Any], step: Decimal) -> Dict[str, Any]:
    """Every datum as decimals, a step along its tangent."""
    def go(values: Any, slopes: Any) -> Any:
        if np.ndim(values) == 0:
            return number(values) + step * number(slopes)
        return [go(v, s) for v, s in zip(values, slopes)]
    return {name: go(values, tangents[name]) for name, values in data.items()}


def against_sample_reference(samples: Samples, layer: Any, random: np.random.Generator) -> Dict[str, np.ndarray]:
    """Which rows are not as the reference has them."""
    bad = {name: np.zeros(len(samples.unit), dtype=bool) for name in ("value", "tangent", "gradient")}
    chosen = [i for i in range(len(samples.unit)) if comparable(samples, i)][:ROWS]
    if not chosen or "E" in samples.description:
        return bad
    count, n = len(chosen), samples.center.shape[1]
    data = {name: values[chosen] for name, values in samples.data.items()}
    away = random.normal(size=(count, n)) * 10 ** random.uniform(-1, 1, size=(count, 1))
    u = samples.center[chosen] + samples.unit[chosen, None] * away
    v, g = random.normal(size=u.shape), random.normal(size=u.shape)
    moves = {name: 0.1 * values * random.normal(size=values.shape) for name, values in data.items()}
    x, _ = layer.on_samples(u, data)
    _, tangent, _ = layer.jvp_on_samples(u, data, v, moves)
    gradients = layer.vjp_on_samples(u, data, g)
    reference = SampleReference(samples, layer.radial)
    with in_digits():
        for k, i in enumerate(chosen):
            row = {name: values[k] for name, values in data.items()}
            slopes = {name: values[k] for name, values in moves.items()}

            def x_at(step: Decimal) -> Vector:
                at_u = [number(a) + step * number(b) for a, b in zip(u[k], v[k])]
                return reference.at(moved(row, slopes, step))(at_u)

            here = reference.at(moved(row, slopes, Decimal(0)))
            gamma = float(here.gamma(here.direction(vector(u[k]))))
            if abs(gamma - 1) < KINK:
                continue
            exact = np.array([float(a) for a in x_at(Decimal(0))])
            exact_t = np.array([float((a - b) / (2 * STEP)) for a, b in zip(x_at(STEP), x_at(-STEP))])
            anchor = np.array([float(a) for a in here.anchor])
            size = float(np.abs(anchor).max() + np.abs(exact - anchor).max())
            slope = float(np.abs(exact_t).max() + np.abs(tangent[k]).max()) + REFERENCE_NOISE / DERIVATIVE_DOUBT * size
            bad["value"][i] = any(far_from(a, b, size, VALUE_DOUBT) for a, b in zip(x[k], exact))
            bad["tangent"][i] = any(far_from(a, b, slope, DERIVATIVE_DOUBT) for a, b in zip(tangent[k], exact_t))
            # g . (J v) = (J'g) . v, over u and all data
            terms = [gradients["u"][k] * v[k], *(gradients[name][k] * slopes[name] for name in row)]
            total = sum(float(np.sum(term)) for term in terms)
            sizes = sum(float(np.abs(term).sum()) for term in terms) + float(np.abs(g[k] * exact_t).sum()) + slope
            bad["gradient"][i] = far_from(total, float(g[k] @ exact_t), sizes, DERIVATIVE_DOUBT)
    return bad
