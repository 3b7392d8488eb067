"""The figures of a family: what its methods reach, how fast, how sure their order is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rsjs.reporting.site.families import Family
from rsjs.reporting.site.plots import Plot, Trace, axes, distributions
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.gaps import with_courses
from rsjs.reporting.statistics.measures import ratios

LEAST_GAP, SOONEST = 0.001, 1e-3  # %, s: lesser values are drawn here
DARKEST, PALEST = (8, 69, 148), (222, 235, 247)  # of the bars of ranks
SHARE = {"range": [0, 1.02], "tickformat": ".0%"}
SHARED_NOTE = (
    " Seconds were measured beside other runs or processes: for the shape, not for a ranking."
)


def targets(family: Family) -> Plot | None:
    """Share of targets hit over time; None without the course of every run."""
    if not with_courses(family.analysis.runs):
        return None
    limit = float(family.analysis.limits.max())
    layout = axes("wall-clock time [s]", "share of targets hit", x_log=True)
    layout["yaxis"] |= SHARE
    hits = family.analysis.hits[family.analysis.ranked]
    note = "Targets: primal gaps of 10, 5, 2, 1, 0.5, 0.1 and 0 % on each problem."
    return Plot(
        id=f"targets-{family.name}",
        title="Targets hit over time",
        data=distributions(hits, (SOONEST, limit), family.styles),
        layout=layout,
        note=f"{note} {family.analysis.unranked}".rstrip()
        + (SHARED_NOTE if family.is_shared else ""),
        is_shared=family.is_shared,
    )


def gaps(family: Family) -> Plot:
    """Share of problems against the gap at the end."""
    layout = axes("gap to the best bound [%]", "share of problems", x_log=True)
    layout["yaxis"] |= SHARE
    found = measures.gaps(family.analysis.runs, "gap")[family.analysis.ranked]
    note = f"Gaps below {LEAST_GAP} % are drawn there; a run without a gap is in no share."
    return Plot(
        id=f"gaps-{family.name}",
        title="Gaps at the end",
        data=distributions(100 * found, (LEAST_GAP, 100.0), family.styles),
        layout=layout,
        note=f"{note} {family.analysis.unranked}".rstrip(),
    )


def profiles(family: Family) -> Plot | None:
    """Performance profiles; None where seconds may not be compared."""
    if family.is_shared or len(family.analysis.ranked) < 2:
        return None
    found = ratios(family.analysis.times[family.analysis.ranked])
    finite = found.to_numpy()[np.isfinite(found.to_numpy())]
    high = 2.0 * float(finite.max()) if len(finite) else 10.0
    layout = axes("time by the least time of the problem", "share of problems", x_log=True)
    layout["yaxis"] |= SHARE
    return Plot(
        id=f"profiles-{family.name}",
        title="Performance profiles",
        data=distributions(found, (1.0, high), family.styles),
        layout=layout,
        note="With more than two methods their order may depend on the others: see the pairs.",
    )


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
