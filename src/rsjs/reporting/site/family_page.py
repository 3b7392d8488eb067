"""The page of a family: its methods in order, all of its statistics, its results by instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from rsjs.reporting.figures.figure import Figure
from rsjs.reporting.figures.methods import figures, ranking
from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family, footer, grouped
from rsjs.reporting.site.pages import instance_url, method_url, runs_url
from rsjs.reporting.site.plots import Plot, figure_plot
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.statistics.tables import METHOD, named
from rsjs.reporting.tables import formats, labels
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import best_row, competing, how_it_ended, is_best, known

ROUNDING = 1e-9
OF_SECONDS = {
    "times": {"ran", "penalised", "intersection", "par10"},
    "anytime": {"primal", "primal_dual", "hit"},
}
ELSEWHERE = ("pairs-by-time", "pairs-by-cost", "fairness")
SHARED_NOTE = (
    "Seconds were measured beside other runs or processes: for the shape, not for a ranking."
)


def content(family: Family, downloads: Downloads) -> dict[str, Any]:
    """Return what the template `family` needs."""
    found = [*figures(family.analysis)]
    pdf = {
        figure.name: downloads.figure(f"{family.name}-{figure.name}", figure, family.styles)
        for figure in found
    }
    tables = [
        replace(
            table,
            footer=family.footer,
            link=lambda line, key: to_runs(line, key, family.name),
            shared=frozenset(OF_SECONDS.get(name, ()) if family.is_shared else ()),
        )
        for name, table in family.tables.items()
        if name not in ELSEWHERE
    ]
    return {
        "family": family,
        "ranking": downloads.with_files(ranking_table([family]), family.name),
        "results": downloads.with_files(results_table(family), family.name),
        "tables": [downloads.with_files(table, family.name) for table in tables],
        "plots": _plots(family, found, pdf),
        "pdf": pdf,
    }


def _plots(family: Family, found: Sequence[Figure], pdf: Mapping[str, str]) -> list[Plot]:
    """The figures of the analysis but for times in pairs, which the page of pairs shows."""
    plots = []
    for name, figure in ((figure.name, figure) for figure in found if figure.name != "times"):
        shared = name == "targets" and family.is_shared
        left = family.analysis.unranked if name in ("gaps", "targets") else ""
        note = f"{left} {SHARED_NOTE if shared else ''}".strip()
        plot = ranking_plot(family) if name == "ranking" else None
        plot = plot or figure_plot(figure, family.styles, note=note, is_shared=shared)
        plots.append(replace(plot, id=f"{name}-{family.name}", pdf=pdf[name]))
    return plots


def results_table(family: Family) -> Table:
    """Return one line per instance and method: least cost, gaps, how its runs ended, seconds."""
    lines = [
        _result(runs, best)
        for group in family.instances.values()
        for best in [best_row(group)]
        for runs in grouped(competing(group), "method").values()
    ]

    def link(line: Row, key: str) -> str:
        page = instance_url(line)
        return page if key in ("instance", "nodes", "jobs") else runs_url(page, line["method"])

    note = "Gap to best: to the best bound of the instance; own gap: to that of the method."
    if any(line["runs"] > 1 for line in lines):
        note += " Cost: the least of the runs; gaps and running time: their medians."
    return Table(
        name="results",
        title="Results by instance",
        columns=[
            Column("instance", "instance"),
            Column("nodes", "nodes", formats.count),
            Column("jobs", "jobs", formats.count),
            METHOD,
            Column("runs", "runs", formats.count),
            labels.column("cost", "cost", family.rows),
            Column("gap_to_best", "gap to best", formats.percent, unit="%"),
            Column("own_gap", "own gap", formats.percent, unit="%"),
            Column("ended", "ended"),
            Column("ran", "running time", formats.measured, unit="s"),
        ],
        rows=lines,
        notes=[note],
        footer=family.footer,
        link=link,
        mark=lambda line, key: "best" if key == "cost" and line["best"] else "",
        choices=frozenset({"instance", "method"}),
        shared=frozenset({"ran"} if family.is_shared else ()),
    )


def _result(runs: Sequence[Mapping[str, Any]], best: Mapping[str, Any] | None) -> dict[str, Any]:
    first, own = runs[0], best_row(runs)
    return {
        **{key: first[key] for key in ("instance", "instance_sha256", "nodes", "jobs", "method")},
        "runs": len(runs),
        "cost": None if own is None else own["objective"],
        "gap_to_best": middle(runs, "gap_to_best"),
        "own_gap": middle(runs, "own_gap"),
        "ended": ", ".join(dict.fromkeys(map(how_it_ended, runs))),
        "ran": middle(runs, "total_s"),
        "best": own is not None and is_best(own, best),
    }


def middle(runs: Sequence[Mapping[str, Any]], key: str) -> float | None:
    """Return the median over the runs that tell a value; None if none does."""
    found = [row[key] for row in runs if known(row, key) is not None]
    return median(found) if found else None


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
