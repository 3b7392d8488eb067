"""
How sure a ranking by means is: how often each method has each rank in the bootstrap's draws.

    rank_b(m) = 1 + |{k : mean_b(k) < mean_b(m)}|     in draw b, equal means share the best rank

A draw takes as many instances as there are, with replacement, and for each one as many of its seeds
as it has (Efron and Tibshirani 1993, chapters 8, 13). It is kept as the weight of each problem:
mean_b = sum_p W_bp v_p. Draws are of a named stream, the same on every machine; intervals are those
of percentiles.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from rsjs.core.types import Floats
from rsjs.instances.generators.random_streams import index, uniforms
from rsjs.reporting.statistics.means import ratio

DRAWS = 10_000
LEVEL = 0.95
ROUNDING = 1e-12


def weights(problems: pd.MultiIndex, draws: int = DRAWS, seed: int = 0) -> Floats:
    """
    Return the weight of each problem in each draw, (draws, problems); each line sums to 1.

    `problems` is the index of a matrix of `measures`; what shares an instance is its seeds.
    """
    instances = pd.factorize(problems.get_level_values("instance"))[0]
    count = int(instances.max()) + 1
    taken = index(uniforms("bootstrap", seed, "instances", draws * count), count)
    flat = taken + count * np.repeat(np.arange(draws), count)
    times = np.bincount(flat, minlength=draws * count).reshape(draws, count)  # of each instance
    made = np.zeros((draws, len(problems)))
    for i in range(count):
        members = np.flatnonzero(instances == i)
        k, draw = len(members), np.repeat(np.arange(draws), times[:, i])
        chosen = index(uniforms("bootstrap", seed, f"seeds of {i}", len(draw) * k), k)
        cells = draw[:, None] * k + chosen.reshape(-1, k)
        made[:, members] = np.bincount(cells.ravel(), minlength=draws * k).reshape(draws, k)
    return np.asarray(made / made.sum(axis=1, keepdims=True), dtype=np.float64)


def interval(values: Floats, level: float = LEVEL) -> tuple[float, float]:
    """Return the middle `level` of bootstrapped values; inf or NaN for ends among infinite ones."""
    with np.errstate(invalid="ignore"):  # inf - inf
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def mean_ratio_interval(
    logs: pd.DataFrame, one: str, other: str, shift: float, drawn: Floats
) -> tuple[float, float]:
    """Return the interval of the ratio of two methods' means, of `means.logarithms`, in draws."""
    means = np.exp(drawn @ logs[[one, other]].to_numpy(dtype=np.float64)) - shift
    return interval(ratio(*means.T))


def rank_shares(scores: pd.DataFrame, drawn: Floats) -> pd.DataFrame:
    """
    Return the share of the draws in which each method has each rank; each line sums to 1.

    Methods in the order of their means x ranks 1, 2, ...; of scores, problems x methods, finite,
    less is better, in the draws of `weights`.
    """
    order = scores.mean().sort_values(kind="stable").index
    means = _means(scores[order], drawn)
    ranks = 1 + (means[:, None, :] < means[:, :, None]).sum(axis=2)
    shares = {rank: (ranks == rank).mean(axis=0) for rank in range(1, len(order) + 1)}
    return pd.DataFrame(shares, index=order)


def rank_spread(shares: pd.DataFrame, level: float = LEVEL) -> pd.DataFrame:
    """
    Return the mean rank of each method and the middle `level` of its ranks, of `rank_shares`.

    low is the least rank r with P(rank <= r) >= (1 - level) / 2, high that with (1 + level) / 2.
    """
    reached = shares.cumsum(axis=1) + ROUNDING
    low, high = ((reached >= (1 + side * level) / 2).idxmax(axis=1) for side in (-1, 1))
    mean = shares.to_numpy() @ shares.columns.to_numpy()
    return pd.DataFrame({"mean": mean, "low": low, "high": high}, index=shares.index)


def better(scores: pd.DataFrame, drawn: Floats) -> pd.DataFrame:
    """Return in which share of the draws the line's method has a lower mean; a tie counts 1/2."""
    means = _means(scores, drawn)
    a, b = means[:, :, None], means[:, None, :]
    share = ((a < b) + 0.5 * (a == b)).mean(axis=0)
    return pd.DataFrame(share, index=scores.columns, columns=scores.columns)


def _means(scores: pd.DataFrame, drawn: Floats) -> Floats:
    # rounded: equal columns shall stay equal whatever the order of the sum
    return np.asarray(np.round(drawn @ scores.to_numpy(dtype=np.float64), 12), dtype=np.float64)
