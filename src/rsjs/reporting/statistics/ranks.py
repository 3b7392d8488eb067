"""
How sure an order of methods is: pairs on one measure, and ranks in the bootstrap's draws.

A draw takes as many instances as there are, with replacement, and for each one as many of its seeds
as it has (Efron and Tibshirani 1993, chapters 8, 13). It is kept as the weight of each problem:
mean_b = sum_p W_bp v_p. Draws are of a named stream, the same on every machine; intervals are those
of percentiles.

    rank_b(m) = 1 + |{k : mean_b(k) < mean_b(m)}|     in draw b, equal means share the best rank
    tie         |a - b| <= tolerance max(|a|, |b|), or both fail; a win: to have the lesser value

Each pair is compared on the problems that both were run on. Wilcoxon's signed-rank test (Wilcoxon
1945; Demsar 2006) takes one number for each instance, the independent unit: the mean over its seeds
of the values that the mean of the table is made of (logarithms of penalised seconds, or gaps with 1
for a failure). Zeros are split between R+ and R-:

    T = min(R+, R-);  p = P(T' <= T) when every difference has either sign with probability 1/2

p is exact, ties and zeros included: mid-ranks doubled are whole numbers, so the distribution of R+
is a convolution. scipy is exact with ties for 13 instances at most; beyond `MOST_EXACT` its normal
approximation serves. Holm (1979): the chance of any false rejection among the pairs stays below
alpha whatever the dependence of the tests.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rsjs.core.types import Floats
from rsjs.instances.generators.random_streams import index, uniforms
from rsjs.reporting.statistics.means import ratio

DRAWS = 10_000
LEVEL = 0.95
ROUNDING = 1e-12
TIE = 0.01  # relative
RELATIVE_TIE = 1e-12  # differences that are equal but for rounding
MOST_EXACT = 200
COLUMNS = ["one", "other", "wins", "ties", "losses", "better", "effect", "p"]


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

    low is the smallest rank r with P(rank <= r) >= (1 - level) / 2, high that with (1 + level) / 2.
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


def wins(
    values: pd.DataFrame, one: str, other: str, tolerance: float = TIE
) -> tuple[int, int, int]:
    """Return on how many problems `one` wins, ties and loses; less is better, NaN = failed."""
    a, b = values[one].to_numpy(dtype=np.float64), values[other].to_numpy(dtype=np.float64)
    tied = (np.abs(a - b) <= tolerance * np.maximum(np.abs(a), np.abs(b))) | (
        np.isnan(a) & np.isnan(b)
    )
    won = ~tied & ((a < b) | np.isnan(b))
    return int(won.sum()), int(tied.sum()), int((~tied & ~won).sum())


class SignedRank(NamedTuple):
    """Wilcoxon's statistics of a pair."""

    plus: float  # R+
    minus: float  # R-
    effect: float  # rank-biserial correlation in [-1, 1] (Kerby 2014): below 0, one is less
    p: float  # two-sided; 1 without any difference


def signed_rank(one: ArrayLike, other: ArrayLike) -> SignedRank:
    """Test whether paired values differ, one of each instance."""
    from scipy import stats

    a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    scale = np.maximum(np.abs(a), np.abs(b))
    difference = np.where(np.abs(a - b) <= RELATIVE_TIE * scale, 0.0, a - b)
    ranks = stats.rankdata(np.round(np.abs(difference), 15))
    zeros = ranks[difference == 0].sum() / 2
    plus, minus = (float(ranks[side].sum() + zeros) for side in (difference > 0, difference < 0))
    moving = ranks[difference != 0]
    if len(ranks) <= MOST_EXACT or len(moving) == 0:
        p = _exact(np.rint(2 * moving).astype(int).tolist(), min(plus, minus) - zeros)
    else:
        p = float(stats.wilcoxon(difference, zero_method="pratt", method="asymptotic").pvalue)
    return SignedRank(plus, minus, (plus - minus) / (plus + minus), p)


def _exact(doubled: list[int], statistic: float) -> float:
    """2 P(R+ <= T) at most 1, R+ the sum of those ranks whose sign is positive."""
    total = sum(doubled)
    share = np.zeros(total + 1)
    share[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(share)
        moved[rank:] = share[: total + 1 - rank]
        share = (share + moved) / 2
    below = share[: round(2 * statistic) + 1].sum()
    return min(1.0, 2 * float(below))


def holm(p: ArrayLike) -> Floats:
    """
    Return Holm's adjusted p-values, in the given order.

    >>> print(holm([0.01, 0.04, 0.03, 0.005]).round(12).tolist())
    [0.03, 0.06, 0.06, 0.02]
    """
    increasing = pd.Series(np.asarray(p, dtype=np.float64)).sort_values(kind="stable")
    adjusted = (np.arange(len(increasing), 0, -1) * increasing).clip(upper=1.0).cummax()
    return np.asarray(adjusted.sort_index(), dtype=np.float64)


def pairs(
    scores: pd.DataFrame, values: pd.DataFrame, drawn: Floats, baseline: str | None = None
) -> pd.DataFrame:
    """
    Return all pairs of methods with a common problem, or each method against the baseline only.

    one, other; wins, ties, losses of one; better, the share of the draws in which its mean is the
    lesser one; effect in [-1, 1], below 0 if one is better; p; holm, p corrected for these pairs.
    `scores` are tested (problems x methods, less is better, NaN = not run), `values` counted (the
    measure with NaN for failures); a pair that has fewer problems than `drawn` gets its own draws.
    """
    compared: Iterable[tuple[str, str]]
    draws = {(True,) * len(scores): drawn}  # by the problems that a pair has in common
    lines = []
    compared = combinations(scores.columns, 2)
    if baseline is not None:
        compared = ((name, baseline) for name in scores.columns if name != baseline)
    for one, other in compared:
        common = scores[[one, other]].notna().all(axis=1)
        if not common.any():
            continue
        key, both = tuple(common), scores.loc[common, [one, other]]
        if key not in draws:
            draws[key] = weights(both.index, len(drawn))
        of_instance = both.groupby(level="instance", sort=False).mean()
        test = signed_rank(of_instance[one], of_instance[other])
        chance = better(both, draws[key]).loc[one, other]
        counts = wins(values[common], one, other)
        lines.append([one, other, *counts, chance, test.effect, test.p])
    made = pd.DataFrame(lines, columns=COLUMNS)
    return made.assign(holm=holm(made["p"]))


def least_p(instances: int) -> float:
    """
    Return the smallest p-value of the test, 2^(1 - n): five instances never fall below 0.05.

    >>> least_p(5), least_p(6)
    (0.0625, 0.03125)
    """
    return float(2.0 ** (1 - instances))
