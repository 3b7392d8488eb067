"""Whether the comparison is fair: findings, what every run was given, how limits were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import DIGITS, Family, footer
from rsjs.reporting.site.pages import method_url
from rsjs.reporting.site.report_data import ReportRow as Row
from rsjs.reporting.statistics.fairness import ASPECTS, shown, values
from rsjs.reporting.statistics.tables import METHOD, named
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.select import are_shared, known


def content(
    families: Sequence[Family], rows: Sequence[Row], downloads: Downloads
) -> dict[str, Any]:
    """Return what the template `fairness` needs."""
    return {
        "unfair": [family.name for family in families if family.unfair],
        "findings": downloads.with_files(_findings(families), "all"),
        "conditions": downloads.with_files(_conditions(families), "fairness"),
        "limits": downloads.with_files(_limits(rows), "fairness"),
    }


def _findings(families: Sequence[Family]) -> Table:
    found = [(family, family.tables["fairness"]) for family in families]
    notes = [line for family in families for line in family.analysis.conditions()]
    return replace(
        found[0][1],
        title="Findings",
        columns=[Column("family", "family"), *found[0][1].columns],
        rows=[{"family": family.name, **row} for family, table in found for row in table.rows],
        notes=[*dict.fromkeys(notes)],
        mark=lambda row, key: "bad" if row["weight"] == "UNFAIR" else "",
        choices=frozenset({"family", "weight", "aspect"}),
        footer=footer([row for family in families for row in family.rows]),
    )


def _conditions(families: Sequence[Family]) -> Table:
    """Each aspect with all its values, by family; marked where a finding says it is unfair."""
    unfair = {(family.name, row["aspect"]) for family in families for row in family.unfair}
    lines = [
        {
            "aspect": aspect.name,
            "column": key,
            **{
                family.name: "; ".join(sorted({_value(v) for v in values(family.rows, key)}))
                for family in families
            },
        }
        for aspect in ASPECTS
        for key in aspect.keys
        if any(known(row, key) is not None for family in families for row in family.rows)
    ]
    columns = [Column("aspect", "aspect"), Column("column", "column of rows.csv")]
    return Table(
        name="conditions",
        title="What the runs were given",
        columns=[*columns, *(Column(family.name, family.name) for family in families)],
        rows=lines,
        notes=[
            "Several values of an aspect are unfair only if runs of the same instance differ: see"
            " the findings. None: not asked for, or not recorded."
        ],
        mark=lambda line, key: "warn" if (key, line["aspect"]) in unfair else "",
    )


def _value(value: Any) -> str:
    text = shown(value)
    return text[:DIGITS] if len(text) == 40 else text  # of a commit


def _limits(rows: Sequence[Row]) -> Table:
    """How far past their time limit the processes of each method ran."""
    over = [_over(row) for row in rows]
    frame = pd.DataFrame(
        {
            "method": [row["method"] for row in rows],
            "past": over,
            "median": [seconds or None for seconds in over],
            "false": [known(row, "false_incumbents") or 0 for row in rows],
            "strays": [known(row, "strays") or 0 for row in rows],
        }
    )
    lines = frame.groupby("method", sort=False).agg(
        runs=("past", "size"),
        over=("median", "count"),
        median=("median", "median"),
        most=("past", "max"),
        false=("false", "sum"),
        strays=("strays", "sum"),
    )
    return Table(
        name="limits",
        title="How limits were kept",
        columns=[
            METHOD,
            Column("runs", "runs", formats.count),
            Column("over", "past the limit", formats.count),
            Column("median", "median of these", formats.measured, unit="s"),
            Column("most", "max", formats.measured, unit="s"),
            Column("false", "false incumbents", formats.count),
            Column("strays", "processes left behind", formats.count),
        ],
        rows=named(lines),
        notes=[
            "Seconds from the time limit to the end of the process. Incumbents found later do not"
            " count. False incumbents are not worth what the method claimed."
        ],
        footer=footer(rows),
        link=lambda line, key: method_url(line["method"]),
        shared=frozenset({"median", "most"} if are_shared(rows) else ()),
    )


def _over(row: Row) -> float:
    over = known(row, "overshoot_s")  # of the process; a row may know the method's time only
    if over is None:
        over = max(0.0, (known(row, "total_s") or 0.0) - row["time_limit"])
    return float(over)
