"""
How sure a ranking by means is: how often each method has each rank in the bootstrap's draws.

    rank_b(m) = 1 + |{k : mean_b(k) < mean_b(m)}|     in draw b, equal means share the best rank
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from rsjs.core.types import Floats, Ints
from rsjs.reporting.statistics.bootstrap import LEVEL

ROUNDING = 1e-12


def rank_shares(scores: pd.DataFrame, drawn: Floats) -> pd.DataFrame:
    """
    Share of the draws in which each method has each rank.

    Parameters
    ----------
    scores : DataFrame
        Problems x methods, finite, less is better.
    drawn : array
        Of `bootstrap.weights`, (draws, problems).

    Returns
    -------
    DataFrame
        Methods in the order of their means x ranks 1, 2, ...; each line sums to 1.
    """
    order = scores.mean().sort_values(kind="stable").index
    ranks = _ranks(scores[order], drawn)
    count = len(order)
    shares = [(ranks == rank).mean(axis=0) for rank in range(1, count + 1)]
    return pd.DataFrame(np.transpose(shares), index=order, columns=range(1, count + 1))


def rank_spread(shares: pd.DataFrame, level: float = LEVEL) -> pd.DataFrame:
    """
    Mean rank of each method, and the middle `level` of its ranks.

    Parameters
    ----------
    shares : DataFrame
        Of `rank_shares`.

    Returns
    -------
    DataFrame
        By method: mean; low, the least rank r with P(rank <= r) >= (1 - level) / 2; high, that
        with P(rank <= r) >= (1 + level) / 2.
    """
    ranks = shares.columns.to_numpy()
    reached = shares.cumsum(axis=1).to_numpy() + ROUNDING
    ends = [
        ranks[(reached >= share).argmax(axis=1)] for share in ((1 - level) / 2, (1 + level) / 2)
    ]
    return pd.DataFrame(
        {"mean": shares.to_numpy() @ ranks, "low": ends[0], "high": ends[1]}, index=shares.index
    )


def better(scores: pd.DataFrame, drawn: Floats) -> pd.DataFrame:
    """Share of the draws in which the mean of the line's method is below the column's; ties 1/2."""
    means = _means(scores, drawn)
    table = [[float(((a < b) + 0.5 * (a == b)).mean()) for b in means.T] for a in means.T]
    return pd.DataFrame(table, index=scores.columns, columns=scores.columns)


def _means(scores: pd.DataFrame, drawn: Floats) -> Floats:
    # rounded: equal columns shall stay equal whatever the order of the sum
    return np.asarray(np.round(drawn @ scores.to_numpy(dtype=np.float64), 12), dtype=np.float64)


def _ranks(scores: pd.DataFrame, drawn: Floats) -> Ints:
    means = _means(scores, drawn)
    return np.asarray(1 + (means[:, None, :] < means[:, :, None]).sum(axis=2), dtype=np.int64)
