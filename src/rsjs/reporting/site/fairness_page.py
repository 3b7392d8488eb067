"""Whether the comparison is fair: findings, what every run was given, how limits were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family, grouped
from rsjs.reporting.site.footer import footing
from rsjs.reporting.site.html_table import Shown
from rsjs.reporting.site.report_data import Row
from rsjs.reporting.site.urls import method_page
from rsjs.reporting.statistics.fairness import ASPECTS, shown, values
from rsjs.reporting.statistics.sheet import METHOD, Column, Sheet
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.select import are_shared, known

SEVERAL = "; "  # between the values of an aspect


def content(
    families: Sequence[Family], rows: Sequence[Row], downloads: Downloads
) -> dict[str, Any]:
    """What the template `fairness` needs."""
    found = [downloads.with_files(_findings(family), family.name) for family in families]
    return {
        "findings": found,
        "conditions": downloads.with_files(_conditions(families), "fairness"),
        "limits": downloads.with_files(_limits(rows), "fairness"),
        "told": [(family.name, family.analysis.conditions()) for family in families],
    }


def _findings(family: Family) -> Shown:
    found = family.sheets["fairness"]
    columns = [Column("weight", "weight"), *found.columns[1:]]
    sheet = replace(found, title=f"Findings on {family.name}", columns=columns)
    return Shown(
        sheet=sheet,
        id=f"fairness-{family.name}",
        footer=family.footer,
        mark=lambda line, key: "bad" if key == line["weight"] == "UNFAIR" else "",
    )


def _conditions(families: Sequence[Family]) -> Shown:
    """Each aspect with all its values, by family."""
    lines = [
        {
            "aspect": aspect.name,
            "column": key,
            **{family.name: _told(family.rows, key) for family in families},
        }
        for aspect in ASPECTS
        for key in aspect.keys
        if any(known(row, key) is not None for family in families for row in family.rows)
    ]
    columns = [Column("aspect", "aspect"), Column("column", "column of rows.csv")]
    sheet = Sheet(
        name="conditions",
        title="What the runs were given",
        columns=[*columns, *(Column(family.name, family.name) for family in families)],
        lines=pd.DataFrame(lines, columns=["aspect", "column", *(f.name for f in families)]),
        notes=[
            "An aspect should have one value; where it has several, the findings say whether"
            " runs of the same instance differ."
        ],
    )
    return Shown(
        sheet=sheet,
        id="conditions",
        footer="",
        mark=lambda line, key: "warn" if SEVERAL in line[key] else "",
    )


def _told(rows: Sequence[Row], key: str) -> str:
    return SEVERAL.join(sorted({shown(value) for value in values(rows, key)}))


def _limits(rows: Sequence[Row]) -> Shown:
    """How far past their time limit the processes of each method ran."""
    lines = []
    for name, group in grouped(rows, "method").items():
        over = pd.Series([_over(row) for row in group], dtype=float)
        lines.append(
            {
                "method": name,
                "runs": len(group),
                "over": int((over > 0).sum()),
                "median": over[over > 0].median(),
                "most": over.max(),
                "false": sum(int(known(row, "false_incumbents") or 0) for row in group),
                "strays": sum(int(known(row, "strays") or 0) for row in group),
            }
        )
    sheet = Sheet(
        name="limits",
        title="How limits were kept",
        columns=[
            METHOD,
            Column("runs", "runs", formats.count),
            Column("over", "past the limit", formats.count),
            Column("median", "median of these [s]", formats.measured),
            Column("most", "most [s]", formats.measured),
            Column("false", "false incumbents", formats.count),
            Column("strays", "processes left behind", formats.count),
        ],
        lines=pd.DataFrame(lines),
        notes=[
            "Seconds from the time limit to the end of the process. Incumbents found later do not"
            " count. False incumbents are not worth what the method claimed."
        ],
    )
    return Shown(
        sheet=sheet,
        id="limits",
        footer=footing(rows),
        link=lambda line, key: method_page(line["method"]),
        shared=frozenset({"median", "most"} if are_shared(rows) else ()),
    )


def _over(row: Row) -> float:
    over = known(row, "overshoot_s")  # of the process; a row may know the method's time only
    if over is None:
        over = max(0.0, (known(row, "total_s") or 0.0) - row["time_limit"])
    return float(over)
