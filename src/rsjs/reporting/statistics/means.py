"""
Means of seconds, and what each method adds to the others.

    sgm_s(t) = exp( (1/n) sum_i ln max(1, t_i + s) ) - s            shifted geometric mean
    PAR-k    = (1/n) sum_i (t_i if solved, k T_i otherwise)         penalised average runtime

The shift s keeps runs of a few milliseconds from deciding the mean (Achterberg 2007, appendix A.3;
PAR: Hutter, Hoos, Leyton-Brown and Stuetzle 2009). A failure counts the limit of its problem, so
that none is dropped; the mean over problems that all methods solved stands beside it.

The virtual best runs the best method of each problem, the single best has the least mean; what a
method adds is the mean of the virtual best without it by that with it (Xu, Hutter, Hoos and
Leyton-Brown 2012). Seeds are averaged first: the best of several random runs is better by luck.

The performance profile of a method is the distribution of its time by the least time of the problem
(Dolan and More 2002); with three or more methods the order of two may depend on the others (Gould
and Scott 2016).

Matrices of seconds are problems x methods, NaN = failed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rsjs.core.types import Floats

ROUNDING = 1e-9  # s: what is left of 0 by exp(ln s) - s
FACTOR = 10.0
RESOLUTION = 1e-3  # s: differences below it are not of the methods


def penalised(
    times: pd.DataFrame, limits: pd.Series, factor: float = 1.0, ran: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return seconds, `factor` limits for a failure; NaN where a method was not run (`ran`)."""
    filled = times.where(times.notna(), factor * limits, axis=0)
    return filled if ran is None else filled.where(ran)


def logarithms(values: pd.DataFrame, shift: float) -> pd.DataFrame:
    """Return ln max(1, t + s); exp of its mean, less s, is the shifted geometric mean."""
    return np.log(np.maximum(1.0, values + shift))


def geometric_means(values: pd.DataFrame, shift: float) -> pd.Series:
    """Return the shifted geometric mean of each method's known values, in the shift's unit."""
    return np.exp(logarithms(values, shift).mean()) - shift


def shifted_means(
    times: pd.DataFrame, limits: pd.Series, shift: float, ran: pd.DataFrame | None = None
) -> pd.DataFrame:
    """
    Return penalised and intersection [s] by method, and the ratio of the first to the smallest.

    NaN for a method that solved nothing: its mean would be that of the limits. The means of a
    method are of the problems that it was run on, as `ran` tells, and those of the intersection and
    the ratio of methods that were run on all.
    """
    everywhere = times.columns if ran is None else ran.columns[ran.all()]
    filled = penalised(times, limits, ran=ran).loc[:, times.notna().any()]
    means = pd.DataFrame(
        {
            "penalised": geometric_means(filled, shift),
            "intersection": geometric_means(times[everywhere].dropna(), shift),
        },
        index=times.columns,
    )
    comparable = means["penalised"].where(means.index.isin(everywhere))
    return means.assign(ratio=ratio(comparable, comparable.min()))


def ratio(one: ArrayLike, other: ArrayLike) -> Floats:
    """Return the ratio of means of seconds; 1 if both are 0, inf if only the second is."""
    means = (np.asarray(mean, dtype=np.float64) for mean in (one, other))
    a, b = (np.where(np.abs(mean) < ROUNDING, 0.0, mean) for mean in means)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(a == b, 1.0, a / b), dtype=np.float64)


def penalised_average(
    times: pd.DataFrame, limits: pd.Series, factor: float = FACTOR, ran: pd.DataFrame | None = None
) -> pd.Series:
    """Return arithmetic means where a failure counts `factor` limits; NaN where none was solved."""
    return penalised(times, limits, factor, ran).mean().where(times.notna().any())


class VirtualBest(NamedTuple):
    """The portfolio of all methods."""

    mean: float  # shifted geometric mean [s]
    single: str  # the single best method
    single_mean: float  # its mean [s]
    # by method: fastest, instances on which no method is faster; alone, instances that it alone
    # solves (with any seed); contribution, >= 1
    methods: pd.DataFrame


def virtual_best(logs: pd.DataFrame, times: pd.DataFrame, shift: float) -> VirtualBest:
    """
    Return the virtual best of methods by `logarithms` of penalised seconds, and by seconds.

    All methods were run on all problems.
    """
    of_instance = logs.groupby(level="instance", sort=False).mean()
    solves = times.notna().groupby(level="instance", sort=False).any()
    least = of_instance.min(axis=1)
    without = pd.DataFrame({name: of_instance.drop(columns=name).min(axis=1) for name in logs})
    means, mean = np.exp(of_instance.mean()) - shift, float(np.exp(least.mean()) - shift)
    single = str(means.idxmin())
    methods = pd.DataFrame(
        {
            "fastest": (solves & of_instance.le(least + 1e-12, axis=0)).sum(),
            "alone": solves[solves.sum(axis=1) == 1].sum(),
            "contribution": ratio(np.exp(without.mean()) - shift, mean),
        }
    )
    return VirtualBest(mean, single, float(means[single]), methods)


def ratios(times: pd.DataFrame) -> pd.DataFrame:
    """Return times over the shortest of the problem, inf for a failure; see `RESOLUTION`."""
    counted = times.clip(lower=RESOLUTION)
    return counted.div(counted.min(axis=1), axis=0).fillna(np.inf)
