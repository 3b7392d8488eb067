"""
Costs in a range that solvers are made for, and bounds that survive their arithmetic.

Solvers compare with absolute tolerances (HiGHS: 1e-7 on reduced costs): costs that are all far
below 1 are multiplied by a power of two, which is exact, and divided by it again. A bound loses the
last digits of the constant in the objective: that much is subtracted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import frexp
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.method import Limits
from rsjs.core.types import Floats
from rsjs.formulations.backends.stop import reached

if TYPE_CHECKING:
    from rsjs.formulations.backends.backend import Ask, RawResult, Solve
    from rsjs.formulations.milp.matrix import MatrixModel

EPSILON = float(np.finfo(float).eps)


def _ignore(_said: Any) -> None:
    """Ignore incumbents or bounds."""


ALONE: dict[str, Any] = {  # what is asked for by who wants the answer alone
    "start": None,
    "on_incumbent": _ignore,
    "stop": lambda: False,
    "log": False,
}


def scale_of(cost: Floats) -> float:
    """Return the power of two that brings the largest cost to at least 1; 1 if it is, or 0."""
    largest = float(np.abs(cost).max(initial=0.0))
    return 2.0 ** max(0, 1 - frexp(largest)[1]) if largest else 1.0


def scaled(solve: Solve) -> Ask:
    """Wrap a solver so that it takes costs of any magnitude; see `Solve`."""

    def run(
        model: MatrixModel,
        limits: Limits,
        *,
        on_bound: Callable[[float], None] = _ignore,
        **how: Any,
    ) -> RawResult:
        factor, lost = scale_of(model.cost), EPSILON * abs(model.offset)
        asked = model
        if factor != 1.0:
            asked = replace(model, cost=factor * model.cost, offset=factor * model.offset)
        raw = solve(
            asked,
            limits,
            on_bound=lambda bound: on_bound(bound / factor - lost),
            **{**ALONE, **how},
        )
        objective = None if raw.x is None else model.objective(raw.x)
        bound = None if raw.bound is None else raw.bound / factor - lost
        return replace(
            raw,
            objective=objective,
            bound=bound,
            stop=reached(raw.stop, objective, bound, limits.gap),
        )

    return run
