"""The page of a family: every table and figure of its statistics, its results by instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.methods import figures
from rsjs.reporting.site import family_plots
from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family, grouped
from rsjs.reporting.site.leaderboard import leaders_table, to_runs
from rsjs.reporting.site.urls import instance_page, runs_of
from rsjs.reporting.statistics.tables import METHOD
from rsjs.reporting.tables import formats, labels
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import best_row, competing, how_it_ended, is_best, known


def paths(family: Family, downloads: Downloads) -> dict[str, str]:
    """Name -> path."""
    return {
        one.name: downloads.picture(
            f"{family.name}-{one.name}", partial(write, one, styles=family.pictures)
        )
        for one in figures(family.analysis)
    }


OF_SECONDS = {
    "times": {"ran", "penalised", "intersection", "par10"},
    "anytime": {"primal", "primal_dual", "hit"},
}
ELSEWHERE = ("pairs-by-time", "pairs-by-cost", "fairness")


def content(family: Family, downloads: Downloads) -> dict[str, Any]:
    """What the template `family` needs."""
    tables = [
        downloads.with_files(_statistic(family, table), family.name)
        for name, table in family.tables.items()
        if name not in ELSEWHERE
    ]
    found = paths(family, downloads)
    return {
        "family": family,
        "leaders": downloads.with_files(leaders_table(family), family.name),
        "results": downloads.with_files(results_table(family), family.name),
        "tables": tables,
        "plots": [
            replace(plot, pdf=found.get(name, ""))
            for name, plot in family_plots.plots(family).items()
        ],
        "pictures": found,
    }


def results_table(family: Family) -> Table:
    """One line per instance and method: least cost, gaps, how its runs ended, running time."""
    lines = [
        _result(runs, best)
        for group in family.instances.values()
        for best in [best_row(group)]
        for runs in grouped(competing(group), "method").values()
    ]
    columns = [
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
    ]
    several = any(line["runs"] > 1 for line in lines)
    note = "Gap to best: to the best bound of the instance; own gap: to that of the method."
    medians = " Cost: the least of the runs; gaps and running time: their medians."
    return Table(
        name="results",
        title="Results by instance",
        columns=columns,
        rows=lines,
        notes=[note + (medians if several else "")],
        id="results",
        footer=family.footer,
        link=_to_runs,
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
        "gap_to_best": _median(runs, "gap_to_best"),
        "own_gap": _median(runs, "own_gap"),
        "ended": ", ".join(dict.fromkeys(map(how_it_ended, runs))),
        "ran": _median(runs, "total_s"),
        "best": own is not None and is_best(own, best),
    }


def _median(runs: Sequence[Mapping[str, Any]], key: str) -> float | None:
    found = [value for row in runs if (value := known(row, key)) is not None]
    return median(found) if found else None


def _to_runs(line: Row, key: str) -> str:
    page = instance_page(line)
    return page if key in ("instance", "nodes", "jobs") else runs_of(page, line["method"])


def _statistic(family: Family, table: Table) -> Table:
    return replace(
        table,
        footer=family.footer,
        link=lambda line, key: to_runs(line, key, family.name),
        shared=frozenset(OF_SECONDS.get(table.name, ()) if family.is_shared else ()),
    )
