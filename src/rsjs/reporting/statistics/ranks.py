"""
How sure a ranking by means is: how often each method has each rank in the bootstrap's draws.

    rank_b(m) = 1 + |{k : mean_b(k) < mean_b(m)}|     in draw b, equal means share the best rank

Bootstrap over instances, then over the seeds of each (Efron and Tibshirani 1993, chapters 8, 13).

A draw takes as many instances as there are, with replacement, and for each one as many of its seeds
as it has, with replacement. It is kept as the weight of each problem, so that the mean of a column
in all draws is one product: mean_b = sum_p W_bp v_p, sum_p W_bp = 1.

The interval is that of percentiles. The draws come from a named stream: the same on every machine.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from rsjs.core.types import Floats, Ints
from rsjs.instances.generators.random_streams import index, uniforms
from rsjs.reporting.statistics.means import ratio

DRAWS = 10_000
LEVEL = 0.95


def weights(problems: pd.MultiIndex, draws: int = DRAWS, seed: int = 0) -> Floats:
    """
    Weight of each problem in each draw, (draws, problems); each line sums to 1.

    Parameters
    ----------
    problems : MultiIndex
        Of a matrix of `measures`; what shares an instance is its seeds and repetitions.
    """
    instances = pd.factorize(problems.get_level_values("instance"))[0]
    count = int(instances.max()) + 1
    taken = index(uniforms("bootstrap", seed, "instances", draws * count), count)
    times = _counted(taken.reshape(draws, count), count)  # how often each instance was drawn
    made = np.zeros((draws, len(problems)))
    for i in range(count):
        members = np.flatnonzero(instances == i)
        k, draw = len(members), np.repeat(np.arange(draws), times[:, i])
        chosen = index(uniforms("bootstrap", seed, f"seeds of {i}", len(draw) * k), k)
        cells = draw[:, None] * k + chosen.reshape(-1, k)
        made[:, members] = np.bincount(cells.ravel(), minlength=draws * k).reshape(draws, k)
    return np.asarray(made / made.sum(axis=1, keepdims=True), dtype=np.float64)


def interval(values: Floats, level: float = LEVEL) -> tuple[float, float]:
    """The middle `level` of bootstrapped values; inf or NaN for an end among infinite ones."""
    with np.errstate(invalid="ignore"):  # inf - inf
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def mean_ratio_interval(
    logs: pd.DataFrame, one: str, other: str, shift: float, drawn: Floats
) -> tuple[float, float]:
    """
    Interval of the ratio of two methods' shifted geometric means, one / other.

    Parameters
    ----------
    logs : DataFrame
        `means.logarithms` of penalised seconds, problems x methods.
    drawn : array
        Of `weights`.
    """
    means = np.exp(drawn @ logs[[one, other]].to_numpy(dtype=np.float64)) - shift
    return interval(ratio(means[:, 0], means[:, 1]))


def _counted(taken: Ints, count: int) -> Ints:
    """How often each of 0, ..., count - 1 stands in each line."""
    draws = len(taken)
    flat = taken + count * np.arange(draws)[:, None]
    return np.bincount(flat.ravel(), minlength=draws * count).reshape(draws, count)


ROUNDING = 1e-12


def rank_shares(scores: pd.DataFrame, drawn: Floats) -> pd.DataFrame:
    """
    Share of the draws in which each method has each rank.

    Parameters
    ----------
    scores : DataFrame
        Problems x methods, finite, less is better.
    drawn : array
        Of `ranks.weights`, (draws, problems).

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
