"""The page of a family: every table and figure of its statistics, and its results by instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import pandas as pd

from rsjs.reporting import formats, objectives
from rsjs.reporting.rows import known
from rsjs.reporting.site import family_pictures, family_plots
from rsjs.reporting.site.addresses import instance_page, runs_of
from rsjs.reporting.site.decisions import best_row
from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family, grouped
from rsjs.reporting.site.leaders import leaders_table, to_runs
from rsjs.reporting.site.plots import Plot
from rsjs.reporting.site.shown import Line, Shown
from rsjs.reporting.statistics.sheet import Column, Sheet

OF_SECONDS = {
    "times": {"penalised", "intersection", "par10"},
    "anytime": {"primal", "primal_dual", "hit"},
}
ELSEWHERE = ("pairs-by-time", "pairs-by-cost", "fairness")


def content(family: Family, downloads: Downloads) -> dict[str, Any]:
    """What the template `family` needs."""
    tables = [
        downloads.with_files(_statistic(family, sheet), family.name)
        for name, sheet in family.sheets.items()
        if name not in ELSEWHERE
    ]
    found = family_pictures.paths(family, downloads)
    return {
        "family": family,
        "leaders": downloads.with_files(leaders_table(family), family.name),
        "results": downloads.with_files(results_table(family), family.name),
        "tables": tables,
        "plots": [plot for plot in _plots(family, found) if plot is not None],
        "pictures": found,
    }


def results_table(family: Family) -> Shown:
    """One line per instance: its best cost and bound, and the gap of each method."""
    methods = family.compared
    lines = [_result(group, methods) for group in family.instances.values()]
    columns = [
        Column("instance", "instance"),
        Column("nodes", "nodes", formats.count),
        Column("jobs", "jobs", formats.count),
        objectives.column("cost", "best cost", family.rows),
        objectives.column("bound", "best bound", family.rows),
        Column("gap", "gap [%]", formats.percent),
        *(Column(f"gap {name}", name, formats.percent) for name in methods),
    ]
    several = any(line["runs"] > len(family.methods) for line in lines)
    note = "Below each method: gap of its checked cost to the best bound [%]"
    return Shown(
        sheet=Sheet(
            name="results",
            title="Results by instance",
            columns=columns,
            lines=pd.DataFrame(lines),
            notes=[f"{note}, the median of its seeds." if several else f"{note}."],
        ),
        id="results",
        footer=family.footer,
        link=_to_runs,
        mark=lambda line, key: "best" if key in line["leading"] else "",
    )


def _result(rows: Sequence[Mapping[str, Any]], methods: Sequence[str]) -> dict[str, Any]:
    first, best = rows[0], best_row(rows)
    groups = grouped(rows, "method")
    gaps: dict[str, float | None] = {}
    for name in methods:
        known_gaps = [known(row, "gap_to_best") for row in groups.get(name, [])]
        found = [gap for gap in known_gaps if gap is not None]
        gaps[f"gap {name}"] = median(found) if found else None
    least = min((gap for gap in gaps.values() if gap is not None), default=None)
    return {
        "instance": first["instance"],
        "instance_sha256": first["instance_sha256"],
        "runs": len(rows),
        "nodes": first["nodes"],
        "jobs": first["jobs"],
        "cost": None if best is None else best["objective"],
        "bound": known(best or first, "best_bound"),
        "gap": None if best is None else known(best, "gap_to_best"),
        **gaps,
        "leading": [
            key
            for key, gap in gaps.items()
            if gap is not None and least is not None and gap <= least + 1e-9
        ],
    }


def _to_runs(line: Line, key: str) -> str:
    page = instance_page(line)
    if key.startswith("gap "):
        return runs_of(page, key.removeprefix("gap "))
    return page if key == "instance" else runs_of(page, "")


def _statistic(family: Family, sheet: Sheet) -> Shown:
    return Shown(
        sheet=sheet,
        id=sheet.name,
        footer=family.footer,
        link=lambda line, key: to_runs(line, key, family.name),
        shared=frozenset(OF_SECONDS.get(sheet.name, ()) if family.is_shared else ()),
    )


def _plots(family: Family, pdfs: Mapping[str, str]) -> list[Plot | None]:
    several = len(family.compared) > 1
    analysis = family.analysis
    made = {
        "gaps": family_plots.gaps(family),
        "targets": family_plots.targets(family),
        "profiles": family_plots.profiles(family),
        "ranks-by-cost": family_plots.ranks(family, "cost", analysis.ranks_by_cost)
        if several
        else None,
        "ranks-by-time": family_plots.ranks(family, "time", analysis.ranks_by_time)
        if several and not family.is_shared
        else None,
    }
    return [
        None if plot is None else replace(plot, pdf=pdfs.get(name, ""))
        for name, plot in made.items()
    ]
