"""
Costs in a range that solvers are made for, and bounds that survive their arithmetic.

Solvers compare with absolute tolerances (HiGHS: 1e-7 on reduced costs): costs that are all far
below 1 are multiplied by a power of two, which is exact, and divided by it again. A bound loses the
last digits of the constant in the objective: that much is subtracted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from math import frexp

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.backends.backend import RawResult, Solve
from rsjs.formulations.backends.relay import reached
from rsjs.formulations.matrix import MatrixModel
from rsjs.instances.method import Limits

EPSILON = float(np.finfo(float).eps)


def scale_of(cost: NDArray[np.float64]) -> float:
    """The power of two that brings the largest cost to at least 1; 1 if it is there, or 0."""
    largest = float(np.abs(cost).max(initial=0.0))
    return 2.0 ** max(0, 1 - frexp(largest)[1]) if largest else 1.0


def scaled(solve: Solve) -> Solve:
    """The same solver for costs of any magnitude; see `Solve`."""

    @wraps(solve)
    def run(
        model: MatrixModel,
        limits: Limits,
        *,
        seconds: float,
        start: NDArray[np.float64] | None,
        on_incumbent: Callable[[NDArray[np.float64]], None],
        on_bound: Callable[[float], None],
        stop: Callable[[], bool],
        log: bool,
    ) -> RawResult:
        factor, lost = scale_of(model.cost), EPSILON * abs(model.offset)
        larger = replace(model, cost=factor * model.cost, offset=factor * model.offset)
        raw = solve(
            model if factor == 1.0 else larger,
            limits,
            seconds=seconds,
            start=start,
            on_incumbent=on_incumbent,
            on_bound=lambda bound: on_bound(bound / factor - lost),
            stop=stop,
            log=log,
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
