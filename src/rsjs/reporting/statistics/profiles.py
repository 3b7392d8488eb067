"""
Performance profiles (Dolan and More 2002, Benchmarking optimization software).

    r_ps = t_ps / min_s t_ps,  infinite if s fails on p          (ratio)
    rho_s(tau) = |{p : r_ps <= tau}| / n                         (share of problems)

Problems that no method solves count in n. With three or more methods the order of two of them may
depend on the others (Gould and Scott 2016): `of_pair` compares two methods alone.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

RESOLUTION = 1e-3  # s: differences below it are not of the methods


def ratios(times: pd.DataFrame, resolution: float = RESOLUTION) -> pd.DataFrame:
    """
    Each method's time by the least of the problem.

    Parameters
    ----------
    times : DataFrame
        Seconds, problems x methods, NaN = failed.
    resolution : float
        Seconds; shorter times count as this.

    Returns
    -------
    DataFrame
        >= 1, infinite where the method failed.
    """
    counted = times.clip(lower=resolution)
    return counted.div(counted.min(axis=1), axis=0).fillna(np.inf)


def profile(found: pd.DataFrame, tau: ArrayLike) -> pd.DataFrame:
    """rho(tau) by tau and method, of the ratios of all problems."""
    at = np.atleast_1d(np.asarray(tau, dtype=np.float64))
    return pd.DataFrame(
        {name: [(found[name] <= limit).mean() for limit in at] for name in found.columns},
        index=pd.Index(at, name="tau"),
    )


def of_pair(times: pd.DataFrame, one: str, other: str) -> pd.DataFrame:
    """Ratios of two methods by the better of the two, on all problems."""
    return ratios(times[[one, other]])
