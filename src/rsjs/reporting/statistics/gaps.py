"""
Gaps of each method, at the end of its runs and over time.

    gap          to the best bound: certified, and never less than the true gap
    primal gap   to the best cost of the rows: 0 for the best method

A mean counts a failure as 1, and is over the problems that the method was run on.

The trajectory of a run is its gap p as a step function of time: 1 before the first incumbent, then
the gap of the incumbent to the best cost (primal) or to the bound that the run itself had
(primal-dual). Incumbents are what the method reported while it ran: none counts below the cost that
the checker confirmed at the end, none after the limit, and none of a run that failed.

    P(T) = sum_i p(t_{i-1}) (t_i - t_{i-1}),   t_0 = 0, ..., t_k = T

P(T) / T is the mean gap over the time limit, in [0, 1] (Berthold 2013, Measuring the impact of
primal heuristics). A target is a problem with a primal gap: it is hit at the first event at or
below it (Hansen et al. 2021, COCO).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any, Literal

import numpy as np
import pandas as pd

from rsjs.core.types import Floats
from rsjs.reporting.statistics.tidy import PROBLEM, ROUNDING, matrix
from rsjs.runs.gap import gap

FAILURE = 1.0
TARGETS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0)

Kind = Literal["primal", "primal_dual"]
Step = tuple[float, float]


def gap_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """
    Return gaps to the best bound in [0, 1] of each method that proved a bound itself.

    gaps, how many are known; their median, upper_quartile and most.
    """
    found = matrix(runs, "gap_to_best").loc[:, matrix(runs, "bound").notna().any()]
    return pd.DataFrame(
        {
            "gaps": found.count(),
            "median": found.median(),
            "upper_quartile": found.quantile(0.75),
            "most": found.max(),
        }
    )


def cost_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """
    Return a summary of the costs of each method's solutions.

    cost_ratio, ratio_median, ratio_most: geometric mean, median and most of cost / best cost;
    spent, the median of that without postponement; late, mean share of the jobs; primal_median,
    primal_mean; best, on how many problems no other method is cheaper; memory, median peak [MB].
    """
    ratio, primal = matrix(runs, "cost_ratio"), matrix(runs, "primal_gap")
    return pd.DataFrame(
        {
            "cost_ratio": np.exp(np.log(ratio.where(ratio > 0)).mean()),
            "ratio_median": ratio.median(),
            "ratio_most": ratio.max(),
            "spent": matrix(runs, "spent_ratio").median(),
            "late": matrix(runs, "late").mean(),
            "primal_median": primal.median(),
            "primal_mean": primal.fillna(FAILURE).where(matrix(runs, "limit").notna()).mean(),
            "best": matrix(runs, "is_least").eq(True).sum(),
            "memory": runs.groupby("method")["memory"].median(),
        }
    ).loc[ratio.columns]


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
    checked, end = run["objective"], run["seconds"]
    own = None if isnan(run["bound"]) else run["bound"]
    events = [
        (float(event["seconds"]), event.get("incumbent"), event.get("bound"))
        for event in sorted(run["events"], key=lambda event: float(event["seconds"]))
        if event["seconds"] <= limit
    ]
    if end <= limit:  # of a limit that was overrun what was there in time counts
        events.append((max([end, *(second for second, _, _ in events[-1:])]), checked, own))
    for second, cost, bound in events:
        bound = None if bound is None or own is None else min(bound, own)
        cost = None if cost is None else max(cost, checked)
        value = gap(cost, run["best_cost"] if kind == "primal" else bound)
        if value is not None and value < steps[-1][1]:
            steps.append((second, value))
    return steps


def integral(steps: Sequence[Step], horizon: float) -> float:
    """
    Return the area under a falling step function from 0 to the horizon, in its unit.

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


def distribution(values: pd.Series) -> tuple[Floats, Floats]:
    """Return the distinct values, increasing, and the share of all, NaN too, that is <= each."""
    x, count = np.unique(values.dropna().to_numpy(dtype=np.float64), return_counts=True)
    return x, np.cumsum(count) / len(values)
