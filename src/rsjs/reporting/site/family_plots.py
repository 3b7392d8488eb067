"""The figures of a family: what its methods reach, how fast, how sure their order is."""

from __future__ import annotations

from typing import Any

import pandas as pd

from rsjs.reporting.figures import distributions
from rsjs.reporting.site.families import Family
from rsjs.reporting.site.leaderboard import ranking_plot
from rsjs.reporting.site.plots import Plot, Trace, axes, distribution_plot
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.gaps import with_courses

DARKEST, PALEST = (8, 69, 148), (222, 235, 247)  # of the bars of ranks
SHARED_NOTE = (
    " Seconds were measured beside other runs or processes: for the shape, not for a ranking."
)


def plots(family: Family) -> dict[str, Plot]:
    """Return the figures that the rows of a family have, by the name of their PDF."""
    analysis, names, made = family.analysis, family.analysis.best_first, {}
    left, shared = analysis.unranked, family.is_shared
    if names:
        found = distributions.gaps(measures.gaps(analysis.runs, "gap")[names])
        made["gaps"] = distribution_plot(f"gaps-{family.name}", found, family.styles, note=left)
    if names and with_courses(analysis.runs):
        found = distributions.targets(analysis.hits[names], float(analysis.limits.max()))
        note = left + (SHARED_NOTE if shared else "")
        made["targets"] = distribution_plot(
            f"targets-{family.name}", found, family.styles, note=note, is_shared=shared
        )
    if len(names) < 2:
        return made
    if (ranking := ranking_plot([family])) is not None:
        made["ranking"] = ranking
    if not shared:
        found = distributions.profiles(analysis.times[names])
        made["profiles"] = distribution_plot(f"profiles-{family.name}", found, family.styles)
    made["ranks-by-cost"] = ranks(family, "cost", analysis.ranks_by_cost)
    if not shared:
        made["ranks-by-time"] = ranks(family, "time", analysis.ranks_by_time)
    return made


def ranks(family: Family, measure: str, shares: pd.DataFrame) -> Plot:
    """How often each method has each rank when instances, then seeds, are drawn again."""
    layout: dict[str, Any] = axes("share of the bootstrap's draws", "", barmode="stack")
    layout["xaxis"] |= {"range": [0, 1], "tickformat": ".0%"}
    layout["yaxis"] |= {"autorange": "reversed", "automargin": True, "type": "category"}
    count = len(shares.columns)
    return Plot(
        id=f"ranks-by-{measure}-{family.name}",
        title=f"Ranks by {measure}",
        data=[_rank(shares, rank, i / max(1, count - 1)) for i, rank in enumerate(shares.columns)],
        layout=layout | {"meta": {"legend": False}},
        height=120 + 26 * len(shares),
        note="Rank 1 is darkest.",
    )


def _rank(shares: pd.DataFrame, rank: int, pale: float) -> Trace:
    colour = [round(a + pale * (b - a)) for a, b in zip(DARKEST, PALEST, strict=True)]
    return {
        "type": "bar",
        "orientation": "h",
        "name": f"rank {rank}",
        "x": shares[rank].tolist(),
        "y": list(shares.index),
        "marker": {"color": f"rgb({colour[0]},{colour[1]},{colour[2]})"},
        "text": [str(rank) if share >= 0.06 else "" for share in shares[rank]],
        "textangle": 0,
        "hovertemplate": f"%{{y}}: rank {rank} in %{{x:.1%}}<extra></extra>",
    }
