"""The methods of families in order: a sentence, a figure and a table that need no seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rsjs.reporting.figures.methods import ranking
from rsjs.reporting.site.families import Family, footer
from rsjs.reporting.site.pages import method_url, runs_url
from rsjs.reporting.site.plots import Plot, figure_plot
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.statistics.tables import METHOD, named
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Row, Table

ROUNDING = 1e-9


def to_runs(line: Row, key: str, words: str) -> str:
    """Return the page of the method of a line, or its runs that have some words."""
    page = method_url(line["method"])
    return page if key == "method" else runs_url(page, words)


def headline(family: Family) -> dict[str, Any]:
    """Return who leads a family, who is next, and at how many times the cost (None: unknown)."""
    found = family.summary[~family.summary["unranked"]]
    if len(found) < 2:
        return {"family": family.name, "leaders": []}
    first, rest = found.iloc[0], found[found["rank"] > 1]
    ratio = None if rest.empty else rest.iloc[0]["cost_ratio"] / first["cost_ratio"]
    return {
        "family": family.name,
        "leaders": found.index[found["rank"] == 1].tolist(),
        "best": int(first["best"]),
        "problems": int(first["problems"]),
        "mean_rank": first["rank_mean"],
        "methods": len(found),
        "next": None if rest.empty else rest.index[0],
        "ratio": ratio if ratio == ratio else None,
    }


def ranking_table(families: Sequence[Family]) -> Table:
    """Return the ranked methods of families: rank, n of N, cost / best, gap, running time."""
    rows = [
        {
            **line,
            "family": family.name,
            "verified_of": f"{line['verified']:.0f} of {line['problems']:.0f}",
            "solved_of": f"{line['solved']:.0f} of {line['problems']:.0f}",
            "best_of": f"{line['best']:.0f} of {line['problems']:.0f}",
        }
        for family in families
        for line in named(family.summary)
    ]
    columns = [
        METHOD,
        *([Column("family", "family")] if len(families) > 1 else []),
        Column("rank", "rank", formats.count),
        Column("rank_mean", "mean rank", "{:.1f}".format),
        Column("verified_of", "with solution", align="right"),
        Column("solved_of", "within gap limit", align="right"),
        Column("best_of", "best cost", align="right"),
        Column("cost_ratio", "cost / best", ratio_text),
        Column("primal_mean", "primal gap, mean", formats.percent, unit="%"),
        Column("ran", "running time, mean", formats.measured, unit="s"),
    ]
    unranked = [family.analysis.unranked for family in families if family.analysis.unranked]
    return Table(
        name="ranking",
        title="Ranking",
        columns=columns,
        rows=rows,
        notes=[
            "Rank: by mean primal gap, to the best cost of all runs, where a run without a solution"
            " counts 100 %; methods that were not run on all problems have none. Mean rank: when"
            " instances and seeds are drawn again. Cost / best: geometric mean over the solutions."
            f" Running time: shifted geometric mean, shift {families[0].analysis.shift:g} s.",
            *(unranked if len(families) == 1 else []),
        ],
        footer=footer([row for family in families for row in family.rows]),
        link=lambda row, key: to_runs(row, key, row["family"]),
        mark=lambda row, key: "best" if key == "method" and row["rank"] == 1 else "",
        choices=frozenset({"family"}),
        shared=frozenset({"ran"} if any(family.is_shared for family in families) else ()),
    )


def ratio_text(ratio: float) -> str:
    """
    Return a ratio of costs, never 1 for what is above it.

    >>> ratio_text(1.0), ratio_text(1.00004), ratio_text(23.4)
    ('1', '1.00004', '23.4')
    """
    if ratio < 1 + ROUNDING:
        return "1"
    return formats.significant(ratio, 3 if ratio >= 1.01 else 6)


def ranking_plot(family: Family) -> Plot | None:
    """Return the mean rank of the best methods with its 95 % interval."""
    if len(family.analysis.ranked) < 2:
        return None
    figure = ranking({"": rank_spread(family.analysis.ranks_by_cost)})
    panel = figure.panels[0]
    linked = [replace(one, links=[method_url(one.name)]) for one in panel.series]
    figure = replace(figure, panels=[replace(panel, series=linked)])
    return figure_plot(figure, family.styles, id=f"ranking-{family.name}")
