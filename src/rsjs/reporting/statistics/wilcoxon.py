"""
Wilcoxon's signed-rank test of two methods on the same instances (Wilcoxon 1945; Demsar 2006).

    d_i = value of one method - value of the other on instance i, ranks of |d_i| with mid-ranks
    R+ = sum of the ranks with d_i > 0 + half of those with d_i = 0,   R- likewise
    T = min(R+, R-);  p = P(T' <= T) when every d_i != 0 has either sign with probability 1/2

Instances are the independent units: seeds of one are averaged first. p is exact, ties and zeros
included: mid-ranks doubled are whole numbers, so the distribution of R+ is a convolution. scipy is
exact with ties for 13 instances at most; beyond `MOST_EXACT` its normal approximation serves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

MOST_EXACT = 200
RELATIVE_TIE = 1e-12  # differences that are equal but for rounding


@dataclass(frozen=True, kw_only=True)
class SignedRank:
    """
    Attributes
    ----------
    plus, minus : float
        R+ and R-.
    p : float
        Two-sided; 1 without any difference.
    """

    plus: float
    minus: float
    p: float

    @property
    def statistic(self) -> float:
        """T."""
        return min(self.plus, self.minus)

    @property
    def effect(self) -> float:
        """Matched-pairs rank-biserial correlation in [-1, 1] (Kerby 2014): below 0, one is less."""
        return (self.plus - self.minus) / (self.plus + self.minus)


def signed_rank(one: ArrayLike, other: ArrayLike) -> SignedRank:
    """
    Test whether paired values differ.

    Parameters
    ----------
    one, other : (instances,) arrays
        At least one instance.
    """
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
