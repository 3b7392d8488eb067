"""
Each pair of methods on one measure: effect, wins, and Wilcoxon's test with Holm's correction.

Each pair is compared on the problems that both were run on. The test takes one number for each
instance: the mean over its seeds of the values that the mean of the table is made of (logarithms of
penalised seconds, or gaps with 1 for a failure).
"""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from rsjs.core.types import Floats
from rsjs.reporting.statistics.bootstrap import weights
from rsjs.reporting.statistics.holm import holm
from rsjs.reporting.statistics.rank_stability import better
from rsjs.reporting.statistics.wilcoxon import signed_rank
from rsjs.reporting.statistics.wins import TIE, wins

COLUMNS = ["one", "other", "wins", "ties", "losses", "better", "effect", "p"]


def pairs(
    scores: pd.DataFrame, values: pd.DataFrame, drawn: Floats, tie: float = TIE
) -> pd.DataFrame:
    """
    All pairs of methods.

    Parameters
    ----------
    scores : DataFrame
        Problems x methods, less is better, NaN = not run: what is tested.
    values : DataFrame
        The same measure with NaN for failures: what is counted.
    drawn : array
        Of `bootstrap.weights` of all problems; a pair that has fewer gets draws of these.

    Returns
    -------
    DataFrame
        Of pairs with a common problem: one, other; wins, ties, losses of one; better, the share of
        the draws in which its mean is the lesser one; effect in [-1, 1], below 0 if one is better;
        p; holm, p corrected for all pairs.
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
        lines.append([one, other, *wins(values[common], one, other, tie)])
        lines[-1] += [chance, test.effect, test.p]
    made = pd.DataFrame(lines, columns=COLUMNS)
    return made.assign(holm=holm(made["p"]))


def least_p(instances: int) -> float:
    """
    The least p that the test can give, 2^(1 - n): five instances never fall below 0.05.

    >>> least_p(5), least_p(6)
    (0.0625, 0.03125)
    """
    return float(2.0 ** (1 - instances))
