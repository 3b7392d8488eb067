"""
Gaps of each method at the end of its runs.

    gap          to the best bound: certified, and never less than the true gap
    primal gap   to the best cost of the rows (Berthold 2013): 0 for the best method

The quartiles are those of the gaps that are there; the mean counts a failure as 1, like Berthold,
and is over the problems that the method was run on.
"""

from __future__ import annotations

import pandas as pd

from rsjs.reporting.statistics.measures import gaps, ran

FAILURE = 1.0


def gap_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """
    Gaps in [0, 1] by method.

    Returns
    -------
    DataFrame
        gaps, how many are known; median, upper_quartile, most of the gaps to the best bound;
        primal_median, primal_mean of the primal gaps; best, on how many problems the cost is the
        best of all or ties with it; memory, median peak [MB].
    """
    certified, primal = gaps(runs, "gap"), gaps(runs, "primal_gap")
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
