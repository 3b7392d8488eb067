"""
Empirical distribution functions: of final gaps, and of times to targets as in COCO.

    F_m(x) = |{i : v_im <= x}| / n       a failure is never <= x, but counts in n

A target is a problem with a primal gap: it is hit at the first event at or below it (Hansen et al.
2021, COCO). The targets are 10, 5, 2, 1, 0.5, 0.1 and 0 % of each problem.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from rsjs.core.types import Floats
from rsjs.reporting.statistics.courses import courses
from rsjs.reporting.statistics.measures import matrix

TARGETS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0)
ROUNDING = 1e-9  # a gap of 0 may be one of rounding


def distribution(values: pd.Series) -> tuple[Floats, Floats]:
    """
    The steps of one method's distribution function.

    Parameters
    ----------
    values : Series
        NaN = failed.

    Returns
    -------
    x, share : arrays
        Distinct values in increasing order, and the share of all that is <= each.
    """
    x, count = np.unique(values.dropna().to_numpy(dtype=np.float64), return_counts=True)
    return x, np.cumsum(count) / len(values)


def seconds_to_targets(runs: pd.DataFrame, targets: Sequence[float] = TARGETS) -> pd.DataFrame:
    """Seconds at which each target is hit, (problem, target) x methods, NaN = never."""
    made = courses(runs, "primal")
    of_target = {}
    for target in targets:
        hits = [
            next((second for second, value in steps if value <= target + ROUNDING), np.nan)
            for steps, _ in made
        ]
        of_target[target] = matrix(runs, pd.Series(hits, index=runs.index, dtype=float))
    return pd.concat(of_target, names=["target"])
