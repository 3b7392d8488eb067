"""The methods of a family in order: a sentence, a figure and tables that need no seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rsjs.reporting.figures.methods import ranking
from rsjs.reporting.site.families import Family
from rsjs.reporting.site.footer import footing
from rsjs.reporting.site.plots import Plot, figure_plot
from rsjs.reporting.site.urls import method_page, runs_of
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.statistics.tables import METHOD, UNSOLVED, named
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.table import Column, Row, Table

MOST_LEADERS = 3  # names in a sentence
ROUNDING = 1e-9
SECONDS = frozenset({"ran", "penalised", "par10"})


def leaders_table(family: Family) -> Table:
    """The methods of a family by mean primal gap, which needs no seconds."""
    columns = [
        METHOD,
        Column("runs", "runs", formats.count),
        Column("solved", "solved", formats.count),
        Column("best", "best cost", formats.count),
        Column("primal_mean", "primal gap, mean", formats.percent, unit="%"),
        Column("median", "gap to best, median", formats.percent, unit="%"),
        Column("rank_mean", "mean rank by cost", "{:.2f}".format),
        Column("ran", "running time, mean", formats.measured, unit="s"),
        Column("penalised", "time to solve, mean", formats.measured, unit="s", missing=UNSOLVED),
        Column("par10", "PAR10", formats.measured, unit="s", missing=UNSOLVED),
    ]
    notes = [
        "By mean primal gap: to the best cost of all runs, a failure counts 100 %. Solved: verified"
        " within the gap limit of the best bound. Time: shifted geometric mean, shift"
        f" {family.analysis.shift:g} s; to solve: a failure counts the limit; {UNSOLVED}: solved"
        " nothing.",
        *([family.analysis.unranked] if family.analysis.unranked else []),
    ]
    return Table(
        name="leaders",
        title=f"Methods on {family.name}",
        columns=columns,
        rows=named(family.summary),
        notes=notes,
        id=f"leaders-{family.name}",
        footer=family.footer,
        link=lambda line, key: to_runs(line, key, family.name),
        shared=SECONDS if family.is_shared else frozenset(),
    )


def to_runs(line: Row, key: str, words: str) -> str:
    """The page of the method of a line, or its runs that have some words."""
    page = method_page(line["method"])
    return page if key == "method" else runs_of(page, words)


def headline(family: Family) -> str:
    """
    Return the result of a family in a sentence.

    It names the method of rank 1, its mean rank, its share of best costs, and the method after it.
    """
    found = family.summary[~family.summary["unranked"]]
    if len(found) < 2:
        return f"{family.name}: fewer than two methods were run on all problems, none is ranked."
    first, rest = found.iloc[0], found[found["rank"] > 1]
    names = [str(name) for name in found.index[found["rank"] == 1]]
    leaders = ", ".join(names[:MOST_LEADERS])
    if len(names) > MOST_LEADERS:
        leaders += f" and {len(names) - MOST_LEADERS} more"
    verb = "leads" if len(names) == 1 else "lead"
    reached = f"best cost on {first['best']:.0f} of {counted(int(first['problems']), 'problem')}"
    text = f"{family.name}: {leaders} {verb}, {reached}, mean rank {first['rank_mean']:.1f}"
    text += f" of {len(found)}"
    if rest.empty:
        return f"{text}; all methods tie."
    ratio = rest.iloc[0]["cost_ratio"] / first["cost_ratio"]
    times = f" at {formats.significant(ratio, 3)} times the cost" if ratio == ratio else ""
    return f"{text}; next is {rest.index[0]}{times}."


def ranking_table(families: Sequence[Family]) -> Table:
    """Return the ranked methods of all families: rank, n of N, cost / best, running time."""
    rows = [
        {
            **line,
            "family": family.name,
            "verified_of": f"{line['verified']:.0f} of {line['problems']:.0f}",
            "solved_of": f"{line['solved']:.0f} of {line['problems']:.0f}",
        }
        for family in families
        for line in named(family.summary)
    ]
    shared = any(family.is_shared for family in families)
    columns = [
        METHOD,
        *([Column("family", "family")] if len(families) > 1 else []),
        Column("rank", "rank", formats.count),
        Column("rank_mean", "mean rank", "{:.1f}".format),
        Column("verified_of", "with solution", align="right"),
        Column("solved_of", "within gap limit", align="right"),
        Column("cost_ratio", "cost / best", ratio_text),
        Column("ran", "running time, mean", formats.measured, unit="s"),
    ]
    return Table(
        name="ranking",
        title="Ranking",
        columns=columns,
        rows=rows,
        notes=[
            "Rank: by mean primal gap, where a run without a solution counts 100 %; methods that"
            " were not run on all problems have none. Mean rank: when instances and seeds are drawn"
            " again. Cost / best: geometric mean over the solutions."
        ],
        footer=footing([row for family in families for row in family.rows]),
        link=lambda row, key: to_runs(row, key, row["family"]),
        mark=lambda row, key: "best" if key == "method" and row["rank"] == 1 else "",
        choices=frozenset({"family"}),
        shared=frozenset({"ran"} if shared else ()),
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


def ranking_plot(families: Sequence[Family]) -> Plot | None:
    """Return the mean rank of the best methods of each family with its 95 % interval."""
    compared = [family for family in families if len(family.analysis.ranked) > 1]
    if not compared:
        return None
    found = ranking(
        {family.name: rank_spread(family.analysis.ranks_by_cost) for family in compared}
    )
    links = [replace(one, links=[method_page(one.name)]) for one in found.panels[0].series]
    styles = {name: style for family in compared for name, style in family.styles.items()}
    panel = replace(found.panels[0], series=links)
    return figure_plot(replace(found, title="Who is best", panels=[panel]), styles)
