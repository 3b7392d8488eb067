"""The page of a family: every table and figure of its statistics, its results by instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from rsjs.reporting.figures.figure import Figure
from rsjs.reporting.figures.methods import figures
from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family, grouped
from rsjs.reporting.site.leaderboard import ranking_plot, ranking_table, to_runs
from rsjs.reporting.site.pages import instance_url, runs_url
from rsjs.reporting.site.plots import Plot, figure_plot
from rsjs.reporting.statistics.tables import METHOD
from rsjs.reporting.tables import formats, labels
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import best_row, competing, how_it_ended, is_best, known

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
