"""
The course of a run: its gap as a step function of time, from the events of the run.

    p(t) = 1                         before the first incumbent
    p(t) = gap(z(t), reference(t))   after it, z(t) the incumbent at time t

The reference is the best cost of the instance (primal gap) or the bound that the run itself had at
t (primal-dual gap). Incumbents are what the method reported while it ran: none counts below the
cost that the checker confirmed at the end, none after the limit, and none of a run that failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isnan
from typing import Any, Literal

import pandas as pd

from rsjs.experiments.gap import gap
from rsjs.reporting.statistics.runs import PROBLEM

Kind = Literal["primal", "primal_dual"]
Step = tuple[float, float]


def courses(runs: pd.DataFrame, kind: Kind) -> list[tuple[list[Step], float]]:
    """The course of each run, and the limit of its problem in seconds."""
    horizons = runs.groupby(PROBLEM)["limit"].transform("max")
    return [
        (course(run, kind, limit), limit)
        for run, limit in zip(runs.to_dict("records"), horizons.tolist(), strict=True)
    ]


def course(run: Mapping[str, Any], kind: Kind, limit: float) -> list[Step]:
    """
    Seconds and gaps at which the gap falls, the first one (0, 1).

    Parameters
    ----------
    run : mapping
        One line of `runs.tidy`.
    limit : float
        Seconds; later events do not count.
    """
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
    """Seconds, incumbent and bound, the checked cost at the end of the run as the last one."""
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
