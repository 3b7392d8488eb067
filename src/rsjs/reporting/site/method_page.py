"""The page of a method: what it ran with, what it reached everywhere, how it kept its limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rsjs.reporting.figures.figure import Axis, Figure, Panel, Series
from rsjs.reporting.figures.figure_style import styles
from rsjs.reporting.site.pages import Downloads, run_url, slug
from rsjs.reporting.site.plots import Plot, figure_plot
from rsjs.reporting.site.report_data import ReportRow, footer, grouped, versions
from rsjs.reporting.site.run_table import run_table
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.labels import shortened
from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.select import AnyRow, are_shared, known

MOST_VALUES = 6  # of an option, told one by one


def content(name: str, rows: Sequence[ReportRow], downloads: Downloads) -> dict[str, Any]:
    """Return what the template `method` needs."""
    over = [known(row, "overshoot_s") or 0.0 for row in rows if "overshoot_s" in row]
    return {
        "name": name,
        "families": [*grouped(rows, "family")],
        "qualities": Counter(row["quality"] for row in rows).most_common(),
        "ends": Counter(row["ended"].partition("(")[0] for row in rows).most_common(),
        "versions": versions(rows),
        "over": over,
        "runs": downloads.with_files(run_table(rows, "instance"), slug(name)),
        "options": downloads.with_files(_options(rows), slug(name)),
        "plots": _plots(rows),
    }


def _options(rows: Sequence[ReportRow]) -> Table:
    """Options as the solver reports them after the run, with how many runs had each value."""
    values: dict[str, Counter[str]] = {}
    for row in rows:
        for option, value in json.loads(known(row, "options") or "{}").items():
            told = f"{value:.6g}" if isinstance(value, float) else str(value)
            values.setdefault(option, Counter())[told] += 1
    lines = [
        {"option": option, "values": _listed(counts), "runs": counts.total()}
        for option, counts in values.items()
    ]
    return Table(
        name="options",
        title="Options as read back",
        columns=[
            Column("option", "option"),
            Column("values", "value (runs)"),
            Column("runs", "runs", formats.count),
        ],
        rows=lines,
        notes=["time_limit: what was left of the run's limit when the solver was called."],
        footer=footer(rows),
    )


def _listed(counts: Mapping[str, int]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    if len(counts) <= MOST_VALUES:
        return ", ".join(f"{value} ({count})" for value, count in counts.items())
    try:
        ends = sorted(counts, key=float)
    except ValueError:
        return f"{len(counts)} values"
    return f"{ends[0]} to {ends[-1]}"


def _plots(rows: Sequence[ReportRow]) -> list[Plot]:
    """Cost / best and seconds of each run, against the number of jobs."""
    costs = [{**row, "value": row["over_best"]} for row in rows if known(row, "over_best")]
    seconds = [{**row, "value": row["total_s"]} for row in rows if known(row, "total_s")]
    shared = are_shared(seconds)
    note = "From the start of the build to the end."
    figures = [
        _by_size("costs", "Cost by size", "cost / best", costs, "A click opens the run."),
        _by_size("seconds", "Time by size", "wall-clock time [s]", seconds, note),
    ]
    colours = styles(grouped(rows, "family"))
    return [
        figure_plot(one, colours, height=380, is_shared=shared and one.name == "seconds")
        for one in figures
        if one.panels[0].series
    ]


def _by_size(name: str, title: str, axis: str, rows: Sequence[AnyRow], note: str) -> Figure:
    """A point for each run, its family in colour."""
    series = []
    for family, group in grouped(rows, "family").items():
        _, short = shortened([row["instance"] for row in group])
        series.append(
            Series(
                name=family,
                x=[row["jobs"] for row in group],
                y=[row["value"] for row in group],
                kind="points",
                tips=[f"{short[row['instance']]}, seed {row['seed']}" for row in group],
                links=[run_url(row) for row in group],
            )
        )
    x, y = Axis(title="jobs", is_log=True), Axis(title=axis, is_log=True)
    return Figure(name=name, title=title, panels=[Panel(series=series, x=x, y=y)], note=note)
