"""
Each pair of methods on one measure: effect, wins, and Wilcoxon's test with Holm's correction.

Each pair is compared on the problems that both were run on. The test takes one number for each
instance: the mean over its seeds of the values that the mean of the table is made of (logarithms of
penalised seconds, or gaps with 1 for a failure).

Wins, ties and losses of two methods, problem by problem.

    tie   |a - b| <= tolerance max(|a|, |b|), or both fail;   a win is to have the lesser value

A failure loses against anything else.

Wilcoxon's signed-rank test of two methods on the same instances (Wilcoxon 1945; Demsar 2006).

    d_i = value of one method - value of the other on instance i, ranks of |d_i| with mid-ranks
    R+ = sum of the ranks with d_i > 0 + half of those with d_i = 0,   R- likewise
    T = min(R+, R-);  p = P(T' <= T) when every d_i != 0 has either sign with probability 1/2

Instances are the independent units: seeds of one are averaged first. p is exact, ties and zeros
included: mid-ranks doubled are whole numbers, so the distribution of R+ is a convolution. scipy is
exact with ties for 13 instances at most; beyond `MOST_EXACT` its normal approximation serves.

Holm's step-down correction of several tests (Holm 1979).

    p_(1) <= ... <= p_(m),   adjusted p_(i) = max_{j <= i} min(1, (m - j + 1) p_(j))

All hypotheses with an adjusted p below alpha are rejected; the chance of any false rejection stays
below alpha whatever the dependence of the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rsjs.core.types import Floats
from rsjs.reporting.statistics.ranks import better, weights

TIE = 0.01  # relative


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


MOST_EXACT = 200
RELATIVE_TIE = 1e-12  # differences that are equal but for rounding


@dataclass(frozen=True, kw_only=True)
class SignedRank:
    """Wilcoxon's statistics of a pair."""

    plus: float  # R+
    minus: float  # R-
    p: float  # two-sided; 1 without any difference

    @property
    def statistic(self) -> float:
        """T."""
        return min(self.plus, self.minus)

    @property
    def effect(self) -> float:
        """Matched-pairs rank-biserial correlation in [-1, 1] (Kerby 2014): below 0, one is less."""
        return (self.plus - self.minus) / (self.plus + self.minus)


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
    if len(moving) == 0:
        p = 1.0
    elif len(ranks) <= MOST_EXACT:
        p = _exact(np.rint(2 * moving).astype(int).tolist(), min(plus, minus) - zeros)
    else:
        p = float(stats.wilcoxon(difference, zero_method="pratt", method="asymptotic").pvalue)
    return SignedRank(plus=plus, minus=minus, p=p)


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
    Adjusted p-values in the order given.

    >>> print(holm([0.01, 0.04, 0.03, 0.005]).round(12).tolist())
    [0.03, 0.06, 0.06, 0.02]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, factors * values[order]))
    return adjusted


COLUMNS = ["one", "other", "wins", "ties", "losses", "better", "effect", "p"]


def pairs(scores: pd.DataFrame, values: pd.DataFrame, drawn: Floats) -> pd.DataFrame:
    """
    Return all pairs of methods with a common problem.

    one, other; wins, ties, losses of one; better, the share of the draws in which its mean is the
    lesser one; effect in [-1, 1], below 0 if one is better; p; holm, p corrected for all pairs.
    `scores` are tested (problems x methods, less is better, NaN = not run), `values` counted (the
    measure with NaN for failures); a pair that has fewer problems than `drawn` gets its own draws.
    """
    draws = {(True,) * len(scores): drawn}  # by the problems that a pair has in common
    lines = []
    for one, other in combinations(scores.columns, 2):
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
    The least p that the test can give, 2^(1 - n): five instances never fall below 0.05.

    >>> least_p(5), least_p(6)
    (0.0625, 0.03125)
    """
    return float(2.0 ** (1 - instances))
