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

The first depends on the limit, the second hides failures; counts stand beside both.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rsjs.core.types import Floats


def penalised(
    times: pd.DataFrame,
    limits: pd.Series,
    factor: float = 1.0,
    ran: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """
    Seconds (problems x methods), `factor` times the problem's limit for a failure.

    NaN where a method was not run, as `ran` tells; without it all were.
    """
    penalty = pd.DataFrame(dict.fromkeys(times.columns, factor * limits))
    filled = times.fillna(penalty)
    return filled if ran is None else filled.where(ran)


def intersection(times: pd.DataFrame) -> pd.DataFrame:
    """Seconds on the problems that all methods solved."""
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


def shifted_means(
    times: pd.DataFrame, limits: pd.Series, shift: float, ran: pd.DataFrame | None = None
) -> pd.DataFrame:
    """
    Means of each method under both policies.

    Parameters
    ----------
    times : DataFrame
        Seconds, problems x methods, NaN = failed.
    limits : Series
        Seconds of each problem.
    shift : float
        Seconds.
    ran : DataFrame, optional
        Of `measures.ran`: the means of a method are of the problems that it was run on, and those
        of the intersection and the ratio of methods that were run on all.

    Returns
    -------
    DataFrame
        By method: penalised, intersection [s]; ratio, of the penalised mean to the least one. NaN
        for a method that solved nothing: its mean would be that of the limits.
    """
    everywhere = times.columns if ran is None else ran.columns[ran.all()]
    both = {
        "penalised": penalised(times, limits, ran=ran).loc[:, times.notna().any()],
        "intersection": intersection(times[everywhere]),
    }
    means = pd.DataFrame(
        {
            policy: {name: shifted_geometric_mean(table[name].dropna(), shift) for name in table}
            for policy, table in both.items()
        },
        index=times.columns,
        columns=[*both],
        dtype=float,
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
    times: pd.DataFrame,
    limits: pd.Series,
    factor: float = FACTOR,
    ran: pd.DataFrame | None = None,
) -> pd.Series:
    """
    Seconds of each method: arithmetic mean, a failure counts `factor` times its limit.

    NaN for a method that solved nothing; `ran` as in `penalised`.
    """
    return penalised(times, limits, factor, ran).mean().where(times.notna().any())
