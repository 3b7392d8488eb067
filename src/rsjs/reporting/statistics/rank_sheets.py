"""The tables that set methods against each other: pairs, ranks, the virtual best."""

from __future__ import annotations

import pandas as pd

from rsjs.reporting import formats
from rsjs.reporting.formats import counted
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.pairs import least_p
from rsjs.reporting.statistics.rank_stability import rank_spread
from rsjs.reporting.statistics.sheet import METHOD, Column, Sheet, named
from rsjs.reporting.statistics.wins import TIE

CERTAIN = 0.05


def pairs_sheet(measure: str, found: pd.DataFrame, analysis: Analysis) -> Sheet:
    """The pairs by "time" or "cost"."""
    instances = analysis.logs.index.get_level_values("instance").nunique()
    notes = [
        f"Wins, ties (within {100 * TIE:g} %) and losses of the first method by problem;"
        " better: how often its mean is the lesser one in the bootstrap; effect: rank-biserial,"
        " below 0 if the first is better; p: Wilcoxon's signed-rank test"
        f" over {counted(instances, 'instance')}, exact, two-sided; Holm: corrected for all pairs."
        " A pair is compared on the problems that both were run on."
    ]
    if least_p(instances) > CERTAIN:
        told = f"no p can be below {least_p(instances):g}"
        notes.append(f"With {counted(instances, 'instance')} {told}.")
    return Sheet(
        name=f"pairs-by-{measure}",
        title=f"Pairs by {measure}",
        columns=[
            Column("one", "method"),
            Column("other", "against"),
            *(Column(word, word, formats.count) for word in ("wins", "ties", "losses")),
            Column("better", "better [%]", formats.percent),
            Column("effect", "effect", lambda value: f"{value:.2f}"),
            Column("p", "p", probability),
            Column("holm", "Holm", probability),
        ],
        lines=found,
        notes=notes,
    )


def ranks_sheet(measure: str, shares: pd.DataFrame, analysis: Analysis) -> Sheet:
    """Ranks by "time" or "cost"; its file has the share of every rank."""
    means = {"time": "shifted geometric mean time", "cost": "mean primal gap"}
    spread = rank_spread(shares)
    lines = named(spread.join(shares.add_prefix("rank_")))
    return Sheet(
        name=f"ranks-by-{measure}",
        title=f"Ranks by {measure}",
        columns=[
            METHOD,
            Column("mean", "mean rank", lambda value: f"{value:.2f}"),
            Column("rank_1", "rank 1 [%]", formats.percent),
            Column("low", "from", formats.count),
            Column("high", "to", formats.count),
        ],
        lines=lines,
        notes=[
            f"Ranks by {means[measure]} when instances, then seeds, are drawn again: their mean,"
            " how often the first, and the middle 95 %.",
            *([analysis.unranked] if analysis.unranked else []),
        ],
    )


def virtual_best_sheet(analysis: Analysis) -> Sheet:
    """The portfolio of all methods."""
    found = analysis.virtual_best()
    virtual, single = formats.measured(found.mean), formats.measured(found.single_mean)
    return Sheet(
        name="virtual-best",
        title="Virtual best",
        columns=[
            METHOD,
            Column("best", "fastest", formats.count),
            Column("alone", "alone", formats.count),
            Column("contribution", "contribution", formats.measured),
        ],
        lines=named(found.methods),
        notes=[
            f"The fastest method of each instance: mean {virtual} s; the single best, "
            f"{found.single}: {single} s. Fastest and alone: instances that no other solves faster,"
            " or at all; contribution: the virtual best's mean without the method by that with it."
        ],
    )


def probability(value: float) -> str:
    """
    A p-value: never a bare 0.

    >>> probability(0.0314), probability(1e-9), probability(1.0)
    ('0.0314', '<0.0001', '1.00')
    """
    return "<0.0001" if value < 1e-4 else formats.significant(value, 3)
