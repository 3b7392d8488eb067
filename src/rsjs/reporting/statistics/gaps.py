"""
Gaps of each method at the end of its runs.

    gap          to the best bound: certified, and never less than the true gap
    primal gap   to the best cost of the rows (Berthold 2013): 0 for the best method

The quartiles are those of the gaps that are there; the mean counts a failure as 1, like Berthold,
and is over the problems that the method was run on.

Primal integral and primal-dual integral (Berthold 2013, Measuring the impact of primal heuristics).

    P(T) = sum_i p(t_{i-1}) (t_i - t_{i-1}),   t_0 = 0, ..., t_k = T     (2)

p is the primal gap, or for the primal-dual integral the gap between the incumbent and the bound of
the run itself. P(T) / T is the mean gap over the time limit, in [0, 1]; 1 for a run that failed.

The trajectory of a run: its gap as a step function of time, from the events of the run.

    p(t) = 1                         before the first incumbent
    p(t) = gap(z(t), reference(t))   after it, z(t) the incumbent at time t

The reference is the best cost of the instance (primal gap) or the bound that the run itself had at
t (primal-dual gap). Incumbents are what the method reported while it ran: none counts below the
cost that the checker confirmed at the end, none after the limit, and none of a run that failed.

Empirical distribution functions: of final gaps, and of times to targets as in COCO.

    F_m(x) = |{i : v_im <= x}| / n       a failure is never <= x, but counts in n

A target is a problem with a primal gap: it is hit at the first event at or below it (Hansen et al.
2021, COCO). The targets are 10, 5, 2, 1, 0.5, 0.1 and 0 % of each problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isnan
from typing import Any, Literal

import numpy as np
import pandas as pd

from rsjs.core.types import Floats
from rsjs.reporting.statistics.measures import gaps, matrix, ran
from rsjs.reporting.statistics.tidy import PROBLEM
from rsjs.runs.gap import gap

FAILURE = 1.0


def gap_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """
    Return gaps in [0, 1] by method.

    gaps, how many are known; median, upper_quartile, most of those to the best bound;
    primal_median, primal_mean; best, on how many problems the cost is the best of all or ties with
    it; memory, median peak [MB].
    """
    certified, primal = gaps(runs, "gap_to_best"), gaps(runs, "primal_gap")
    return pd.DataFrame(
        {
            "gaps": certified.count(),
            "median": certified.median(),
            "upper_quartile": certified.quantile(0.75),
            "most": certified.max(),
            "primal_median": primal.median(),
            "primal_mean": primal.fillna(FAILURE).where(ran(runs)).mean(),
            "best": (primal == 0).sum(),
            "memory": runs.groupby("method")["memory"].median(),
        }
    ).loc[certified.columns]


Kind = Literal["primal", "primal_dual"]
Step = tuple[float, float]


def trajectories(runs: pd.DataFrame, kind: Kind) -> list[tuple[list[Step], float]]:
    """Return the trajectory of each run, and the limit of its problem in seconds."""
    horizons = runs.groupby(PROBLEM)["limit"].transform("max")
    return [
        (trajectory(run, kind, limit), limit)
        for run, limit in zip(runs.to_dict("records"), horizons.tolist(), strict=True)
    ]


def trajectory(run: Mapping[str, Any], kind: Kind, limit: float) -> list[Step]:
    """Return seconds until the limit and gaps at which the gap of a run falls, first (0, 1)."""
    steps: list[Step] = [(0.0, 1.0)]
    if not run["valid"]:
        return steps
    reference = None if isnan(run["best_cost"]) else run["best_cost"]
    for second, cost, bound in _events(run, limit):
        value = gap(cost, reference if kind == "primal" else bound)
        if value is not None and value < steps[-1][1]:
            steps.append((second, value))
    return steps


def _events(
    run: Mapping[str, Any], limit: float
) -> Sequence[tuple[float, float | None, float | None]]:
    """Return seconds, incumbent and bound; the last one has the checked cost, at the run's end."""
    made: list[tuple[float, float | None, float | None]] = []
    checked, end = run["objective"], run["seconds"]
    own = None if isnan(run["bound"]) else run["bound"]
    for event in sorted(run["events"], key=lambda event: float(event["seconds"])):
        cost, bound = event.get("incumbent"), event.get("bound")
        if event["seconds"] > limit:
            break
        cost = None if cost is None else max(cost, checked)
        bound = None if bound is None or own is None else min(bound, own)
        made.append((float(event["seconds"]), cost, bound))
    if isnan(end) or end > limit:  # a limit that was overrun: what was there in time counts
        return made
    last = max(end, made[-1][0] if made else -inf)
    return [*made, (last, checked, own)]


def integral(steps: Sequence[Step], horizon: float) -> float:
    """
    Area under a falling step function from 0 to the horizon, in its unit.

    >>> integral([(0.0, 1.0), (2.0, 0.5), (6.0, 0.0)], horizon=10.0)
    4.0
    """
    ends = [second for second, _ in steps[1:]] + [horizon]
    return sum(value * (end - second) for (second, value), end in zip(steps, ends, strict=True))


def mean_gaps(runs: pd.DataFrame, kind: Kind) -> pd.DataFrame:
    """Return P(T) / T in [0, 1] of each run by problem and method, T the limit of the problem."""
    found = [integral(steps, limit) / limit for steps, limit in trajectories(runs, kind)]
    return matrix(runs, pd.Series(found, index=runs.index))


def with_trajectories(runs: pd.DataFrame) -> bool:
    """Return whether the events of every run are there, which integrals and targets need."""
    return bool(runs["events"].map(lambda events: isinstance(events, list)).all())


TARGETS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0)
ROUNDING = 1e-9  # a gap of 0 may be one of rounding


def distribution(values: pd.Series) -> tuple[Floats, Floats]:
    """Return the distinct values, increasing, and the share of all, NaN too, that is <= each."""
    x, count = np.unique(values.dropna().to_numpy(dtype=np.float64), return_counts=True)
    return x, np.cumsum(count) / len(values)


def seconds_to_targets(runs: pd.DataFrame, targets: Sequence[float] = TARGETS) -> pd.DataFrame:
    """Return seconds at which each target is hit, (problem, target) x methods, NaN = never."""
    made = trajectories(runs, "primal")
    of_target = {}
    for target in targets:
        hits = [
            next((second for second, value in steps if value <= target + ROUNDING), np.nan)
            for steps, _ in made
        ]
        of_target[target] = matrix(runs, pd.Series(hits, index=runs.index, dtype=float))
    return pd.concat(of_target, names=["target"])
