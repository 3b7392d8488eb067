"""
Primal integral and primal-dual integral (Berthold 2013, Measuring the impact of primal heuristics).

    P(T) = sum_i p(t_{i-1}) (t_i - t_{i-1}),   t_0 = 0, ..., t_k = T     (2)

p is the primal gap, or for the primal-dual integral the gap between the incumbent and the bound of
the run itself. P(T) / T is the mean gap over the time limit, in [0, 1]; 1 for a run that failed.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from rsjs.reporting.statistics.courses import Kind, Step, courses
from rsjs.reporting.statistics.measures import matrix


def integral(steps: Sequence[Step], horizon: float) -> float:
    """
    Area under a falling step function from 0 to the horizon, in its unit.

    >>> integral([(0.0, 1.0), (2.0, 0.5), (6.0, 0.0)], horizon=10.0)
    4.0
    """
    ends = [second for second, _ in steps[1:]] + [horizon]
    return sum(value * (end - second) for (second, value), end in zip(steps, ends, strict=True))


def mean_gaps(runs: pd.DataFrame, kind: Kind) -> pd.DataFrame:
    """P(T) / T in [0, 1] of each run by problem and method, T the limit of the problem."""
    found = [integral(steps, limit) / limit for steps, limit in courses(runs, kind)]
    return matrix(runs, pd.Series(found, index=runs.index))


def with_courses(runs: pd.DataFrame) -> bool:
    """Whether the events of every run are there, which integrals and targets need."""
    return bool(runs["events"].map(lambda events: isinstance(events, list)).all())
