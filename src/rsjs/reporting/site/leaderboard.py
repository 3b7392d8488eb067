"""The methods of a family in one table, in an order that needs no seconds."""

from __future__ import annotations

from rsjs.reporting.site.families import Family
from rsjs.reporting.site.urls import method_page, runs_of
from rsjs.reporting.statistics.tables import METHOD, UNSOLVED, named
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Row, Table

SECONDS = frozenset({"ran", "penalised", "par10"})


def leaders_table(family: Family) -> Table:
    """The methods of a family by mean primal gap, which needs no seconds."""
    columns = [
        METHOD,
        Column("runs", "runs", formats.count),
        Column("solved", "solved", formats.count),
        Column("best", "best cost", formats.count),
        Column("primal_mean", "primal gap, mean", formats.percent, unit="%"),
        Column("median", "gap, median", formats.percent, unit="%"),
        Column("mean_rank", "mean rank by cost", "{:.2f}".format),
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
