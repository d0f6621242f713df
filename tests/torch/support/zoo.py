"""One of every set, small and named, each with its judge; and every method."""

from functools import lru_cache
from typing import Any, Callable, Dict, Sequence

import softradial as sr
from support.case import Case
from support.sets import FAMILIES
from support.subjects import missing_cases

CASES: Sequence[Case] = [case for family in FAMILIES for case in family.cases]
ZOO: Sequence[Case] = [*CASES, *missing_cases(CASES)]
BY_NAME: Dict[str, Case] = {case.name: case for case in ZOO}

CONTRACTIONS = ("rational", "exponential", "hyperbolic")

# Every method, as a function of the set and of a layer's other arguments.
METHODS: Dict[str, Callable[..., Any]] = {
    "soft_auto": lambda s, **k: sr.SoftRadial(s, **k),
    **{f"soft_{c}": lambda s, c=c, **k: sr.SoftRadial(s, contraction=c, **{"lambda_": 1.0, **k}) for c in CONTRACTIONS},
    **{f"gauge_{c}": lambda s, c=c, **k: sr.GaugeMap(s, contraction=c, **k) for c in CONTRACTIONS},
    "hard": lambda s, **k: sr.HardRadial(s, **k),
}
ONE_TO_ONE = {name: make for name, make in METHODS.items() if name != "hard"}


@lru_cache(maxsize=None)
def soft_layer(case: Case) -> sr.SoftRadial:
    """The paper's layer on a case's set, made once."""
    return sr.SoftRadial(case.set, lambda_=1.0)
