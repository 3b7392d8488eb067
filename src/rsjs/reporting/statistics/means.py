"""
Shifted geometric mean, as Achterberg (2007, appendix A.3), Mittelmann's benchmarks and MIPLIB.

    sgm_s(t) = exp( (1/n) sum_i ln max(1, t_i + s) ) - s

The shift s keeps runs of a few milliseconds from deciding the mean: 1 s for short runs, 10 s where
runs take up to hours.

Penalised average runtime (Hutter, Hoos, Leyton-Brown and Stuetzle 2009, ParamILS).

    PAR-k = (1/n) sum_i (t_i if solved, k T_i otherwise),   k = 10

What a failed run counts in a mean: two policies, always shown together.

    penalised      factor times the time limit of its problem: no failure is dropped
    intersection   problems that every method solved, nothing else: a fair mean of few problems

The first depends on the limit, the second hides failures; counts stand beside both. Matrices of
seconds are problems x methods, NaN = failed.

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
from numpy.typing import ArrayLike

from rsjs.core.types import Floats


def penalised(
    times: pd.DataFrame, limits: pd.Series, factor: float = 1.0, ran: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return seconds, `factor` limits for a failure; NaN where a method was not run (`ran`)."""
    penalty = pd.DataFrame(dict.fromkeys(times.columns, factor * limits))
    filled = times.fillna(penalty)
    return filled if ran is None else filled.where(ran)


def intersection(times: pd.DataFrame) -> pd.DataFrame:
    """Return seconds on the problems that all methods solved."""
    return times.dropna()


ROUNDING = 1e-9  # s: what is left of 0 by exp(ln s) - s


def logarithms(values: pd.DataFrame, shift: float) -> pd.DataFrame:
    """ln max(1, t + s), whose mean the shifted geometric mean is the exponential of."""
    return np.log(np.maximum(1.0, values + shift))


def shifted_geometric_mean(values: ArrayLike, shift: float) -> float:
    """
    Of values >= 0 in the unit of the shift; NaN without values.

    >>> round(shifted_geometric_mean([0.0, 3.0, 15.0], shift=1.0), 12)
    3.0
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        return float("nan")
    return float(np.exp(np.log(np.maximum(1.0, array + shift)).mean()) - shift)


def geometric_means(values: pd.DataFrame, shift: float) -> pd.Series:
    """Return the shifted geometric mean of each method over what is known."""
    return values.apply(lambda own: shifted_geometric_mean(own.dropna(), shift)).astype(float)


def shifted_means(
    times: pd.DataFrame, limits: pd.Series, shift: float, ran: pd.DataFrame | None = None
) -> pd.DataFrame:
    """
    Return penalised and intersection [s] by method, and the ratio of the first to the least one.

    NaN for a method that solved nothing: its mean would be that of the limits. The means of a
    method are of the problems that it was run on, as `ran` tells, and those of the intersection and
    the ratio of methods that were run on all.
    """
    everywhere = times.columns if ran is None else ran.columns[ran.all()]
    both = {
        "penalised": penalised(times, limits, ran=ran).loc[:, times.notna().any()],
        "intersection": intersection(times[everywhere]),
    }
    means = pd.DataFrame(
        {policy: geometric_means(table, shift) for policy, table in both.items()},
        index=times.columns,
    )
    comparable = means["penalised"].where(means.index.isin(everywhere))
    return means.assign(ratio=ratio(comparable, comparable.min()))


def ratio(one: ArrayLike, other: ArrayLike) -> Floats:
    """Of means of seconds; 1 of two that are 0, inf to one that is 0."""
    means = (np.asarray(mean, dtype=np.float64) for mean in (one, other))
    a, b = (np.where(np.abs(mean) < ROUNDING, 0.0, mean) for mean in means)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(a == b, 1.0, a / b), dtype=np.float64)


FACTOR = 10.0


def penalised_average(
    times: pd.DataFrame, limits: pd.Series, factor: float = FACTOR, ran: pd.DataFrame | None = None
) -> pd.Series:
    """Return arithmetic means where a failure counts `factor` limits; NaN where none was solved."""
    return penalised(times, limits, factor, ran).mean().where(times.notna().any())


@dataclass(frozen=True, kw_only=True)
class VirtualBest:
    """The portfolio of all methods."""

    mean: float  # shifted geometric mean [s]
    single: str  # the single best method
    single_mean: float  # its mean [s]
    # by method: best, instances on which no method is faster; alone, instances that it alone
    # solves (with any seed); contribution, >= 1
    methods: pd.DataFrame


def virtual_best(
    logs: pd.DataFrame, times: pd.DataFrame, shift: float, candidates: Sequence[str] = ()
) -> VirtualBest:
    """
    Return the virtual best of methods by `logarithms` of penalised seconds, and by seconds.

    `candidates` for the single best are methods that were run on all problems; none = all are.
    """
    of_instance = logs.groupby(level="instance", sort=False).mean()
    solves = times.notna().groupby(level="instance", sort=False).any()
    least = of_instance.min(axis=1)
    mean = _exponential(least, shift)
    lines = {}
    for name in logs.columns:
        others = of_instance.drop(columns=name)
        without = least if others.empty else others.min(axis=1)
        lines[name] = {
            "best": int((solves[name] & (of_instance[name] <= least + 1e-12)).sum()),
            "alone": int((solves[name] & (solves.sum(axis=1) == 1)).sum()),
            "contribution": float(ratio(_exponential(without, shift), mean)),
        }
    single = str(of_instance[[*candidates] or [*logs]].mean().idxmin())
    return VirtualBest(
        mean=mean,
        single=single,
        single_mean=_exponential(of_instance[single], shift),
        methods=pd.DataFrame.from_dict(lines, orient="index"),
    )


def _exponential(logs: pd.Series, shift: float) -> float:
    return float(np.exp(logs.mean()) - shift)
