"""
What a failed run counts in a mean: two policies, always shown together.

    penalised      factor times the time limit of its problem: no failure is dropped
    intersection   problems that every method solved, nothing else: a fair mean of few problems

The first depends on the limit, the second hides failures; counts stand beside both.
"""

from __future__ import annotations

import pandas as pd


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
