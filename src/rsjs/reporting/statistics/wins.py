"""
Wins, ties and losses of two methods, problem by problem.

    tie   |a - b| <= tolerance max(|a|, |b|), or both fail;   a win is to have the lesser value

A failure loses against anything else.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

TIE = 0.01  # relative


def wins(
    values: pd.DataFrame, one: str, other: str, tolerance: float = TIE
) -> tuple[int, int, int]:
    """
    Problems on which `one` wins, ties and loses.

    Parameters
    ----------
    values : DataFrame
        Problems x methods, less is better, NaN = failed.
    """
    a, b = values[one].to_numpy(dtype=np.float64), values[other].to_numpy(dtype=np.float64)
    tied = (np.abs(a - b) <= tolerance * np.maximum(np.abs(a), np.abs(b))) | (
        np.isnan(a) & np.isnan(b)
    )
    won = ~tied & ((a < b) | np.isnan(b))
    return int(won.sum()), int(tied.sum()), int((~tied & ~won).sum())
