"""
Virtual best, single best, and what each method adds (Xu, Hutter, Hoos and Leyton-Brown 2012).

    VBS   the portfolio that runs the best method of each problem
    SBS   the one method with the least mean
    marginal contribution of m = mean of the VBS without m / mean of the VBS

All means are shifted geometric means of penalised seconds; a problem that nobody solves counts its
limit. The best of several random runs is better than any method by luck: seeds are averaged first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rsjs.reporting.statistics.means import ratio


@dataclass(frozen=True, kw_only=True)
class VirtualBest:
    """
    Attributes
    ----------
    mean, single_mean : float
        Shifted geometric means of the virtual and of the single best [s].
    single : str
        The single best method.
    methods : DataFrame
        By method: best, instances on which no method is faster; alone, instances that it alone
        solves (with any seed); contribution, >= 1.
    """

    mean: float
    single: str
    single_mean: float
    methods: pd.DataFrame


def virtual_best(
    logs: pd.DataFrame, times: pd.DataFrame, shift: float, candidates: Sequence[str] = ()
) -> VirtualBest:
    """
    The portfolio of all methods.

    Parameters
    ----------
    logs : DataFrame
        `means.logarithms` of penalised seconds, problems x methods.
    times : DataFrame
        Seconds with NaN for failures.
    candidates : sequence of str
        For the single best: methods that were run on all problems; none = all are.
    """
    of_instance = logs.groupby(level="instance", sort=False).mean()
    solves = times.notna().groupby(level="instance", sort=False).any()
    least = of_instance.min(axis=1)
    mean = _mean(least, shift)
    lines = {}
    for name in logs.columns:
        others = of_instance.drop(columns=name)
        without = least if others.empty else others.min(axis=1)
        lines[name] = {
            "best": int((solves[name] & (of_instance[name] <= least + 1e-12)).sum()),
            "alone": int((solves[name] & (solves.sum(axis=1) == 1)).sum()),
            "contribution": float(ratio(_mean(without, shift), mean)),
        }
    single = str(of_instance[[*candidates] or [*logs]].mean().idxmin())
    return VirtualBest(
        mean=mean,
        single=single,
        single_mean=_mean(of_instance[single], shift),
        methods=pd.DataFrame.from_dict(lines, orient="index"),
    )


def _mean(logs: pd.Series, shift: float) -> float:
    return float(np.exp(logs.mean()) - shift)
