"""
Runs as matrices: one row per problem, one column per method, NaN where the method failed.

A problem that a method was not run on is not one that it failed: `ran` tells the two apart. A run
is solved if

    proved    own gap <= target           the method itself proved it
    reached   gap to best bound <= target the cost is certified, by any method's bound

and its time is that of the whole run, never more than its limit.

Performance profiles (Dolan and More 2002, Benchmarking optimization software).

    r_ps = t_ps / min_s t_ps,  infinite if s fails on p          (ratio)
    rho_s(tau) = |{p : r_ps <= tau}| / n                         (share of problems)

Problems that no method solves count in n. With three or more methods the order of two of them may
depend on the others (Gould and Scott 2016): two columns of the times compare two methods alone.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from rsjs.reporting.statistics.tidy import PROBLEM, methods

Success = Literal["proved", "reached"]
GAP_LIMIT = 1e-4  # where a row does not tell its own
ROUNDING = 1e-9  # a gap of 0 may be one of rounding


def solved(
    runs: pd.DataFrame, success: Success = "reached", target: float | None = None
) -> pd.Series:
    """Return whether each run has a gap of at most the target, or its own gap limit without one."""
    limit = runs["gap_limit"].fillna(GAP_LIMIT) if target is None else target
    found = runs["own_gap" if success == "proved" else "gap_to_best"]
    return runs["valid"] & (found <= limit + ROUNDING)


def seconds(
    runs: pd.DataFrame, success: Success = "reached", target: float | None = None
) -> pd.DataFrame:
    """Return seconds of the solved runs."""
    spent = runs["seconds"].fillna(runs["limit"]).clip(upper=runs["limit"])
    return matrix(runs, spent.where(solved(runs, success, target)))


def gaps(
    runs: pd.DataFrame, kind: Literal["gap_to_best", "primal_gap"] = "primal_gap"
) -> pd.DataFrame:
    """Return gaps of the valid runs in [0, 1]."""
    return matrix(runs, runs[kind])


def cost_ratios(runs: pd.DataFrame) -> pd.Series:
    """Return the geometric mean of cost / best cost of each method, over its verified costs > 0."""
    ratio = runs["objective"] / runs["best_cost"]
    usable = runs["valid"] & (runs["best_cost"] > 0) & (runs["objective"] > 0)
    return matrix(runs, np.log(ratio.where(usable))).mean().pipe(np.exp)


def ran(runs: pd.DataFrame) -> pd.DataFrame:
    """Return whether each method was run on each problem."""
    return matrix(runs, pd.Series(1.0, index=runs.index)).notna()


def running_times(runs: pd.DataFrame) -> pd.DataFrame:
    """Return seconds of all runs, solved or not; the limit for one that was terminated at it."""
    return matrix(runs, runs["seconds"].fillna(runs["limit"].where(runs["stop"] == "time_limit")))


def limits(runs: pd.DataFrame) -> pd.Series:
    """Return time limit of each problem in seconds: the longest, where runs differ."""
    return runs.groupby(PROBLEM, sort=False)["limit"].max()


def matrix(runs: pd.DataFrame, values: pd.Series) -> pd.DataFrame:
    """Return values of the runs by problem and method, both in order of first appearance."""
    wide = runs[[*PROBLEM, "method"]].assign(value=values)
    made = wide.pivot(index=PROBLEM, columns="method", values="value")
    return made.loc[limits(runs).index, methods(runs)].rename_axis(columns=None)


RESOLUTION = 1e-3  # s: differences below it are not of the methods


def ratios(times: pd.DataFrame) -> pd.DataFrame:
    """Return times by the least of the problem, inf for a failure; see `RESOLUTION`."""
    counted = times.clip(lower=RESOLUTION)
    return counted.div(counted.min(axis=1), axis=0).fillna(np.inf)
