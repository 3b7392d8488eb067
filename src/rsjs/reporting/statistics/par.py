"""
Penalised average runtime (Hutter, Hoos, Leyton-Brown and Stuetzle 2009, ParamILS).

    PAR-k = (1/n) sum_i (t_i if solved, k T_i otherwise),   k = 10
"""

from __future__ import annotations

import pandas as pd

from rsjs.reporting.statistics.failures import penalised

FACTOR = 10.0


def penalised_average(
    times: pd.DataFrame,
    limits: pd.Series,
    factor: float = FACTOR,
    ran: pd.DataFrame | None = None,
) -> pd.Series:
    """
    Seconds of each method: arithmetic mean, a failure counts `factor` times its limit.

    NaN for a method that solved nothing; `ran` as in `failures.penalised`.
    """
    return penalised(times, limits, factor, ran).mean().where(times.notna().any())
