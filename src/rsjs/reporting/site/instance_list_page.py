"""The list of all instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import grouped
from rsjs.reporting.site.footer import footing
from rsjs.reporting.site.report_data import Row
from rsjs.reporting.site.urls import instance_page, method_page, run_place
from rsjs.reporting.tables import formats, labels
from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.select import best_row, known


def content(rows: Sequence[Row], downloads: Downloads) -> dict[str, Any]:
    """What the template `instances` needs."""
    groups = grouped(rows, "instance").values()
    table = Table(
        name="instances",
        title="Instances",
        columns=[
            Column("instance", "instance"),
            Column("family", "family"),
            Column("nodes", "nodes", formats.count),
            Column("jobs", "jobs", formats.count),
            Column("runs", "runs", formats.count),
            Column("verified", "verified", formats.count),
            labels.column("cost", "best cost", rows),
            labels.column("bound", "best bound", rows),
            Column("gap_to_best", "gap to best", formats.percent, unit="%"),
            Column("method", "best cost by"),
        ],
        rows=[_line(group) for group in groups],
        notes=["Best cost: the least that the checker confirms; of equals the first by method."],
        id="instances",
        footer=footing(rows),
        link=_link,
        choices=frozenset({"family"}),
    )
    return {"instances": downloads.with_files(table, "all")}


def _line(group: Sequence[Row]) -> dict[str, Any]:
    first, best = group[0], best_row(group)
    return {
        **{key: first[key] for key in ("instance", "instance_sha256", "family", "nodes", "jobs")},
        "runs": len(group),
        "verified": sum(row["status"] == "ok" for row in group),
        "cost": None if best is None else best["objective"],
        "bound": known(best or first, "best_bound"),
        "gap_to_best": None if best is None else known(best, "gap_to_best"),
        "method": "" if best is None else best["method"],
        "best_run": "" if best is None else run_place(best),
    }


def _link(line: Row, key: str) -> str:
    if key == "method":
        return method_page(line["method"]) if line["method"] else ""
    return line["best_run"] if key in ("cost", "gap_to_best") else instance_page(line)
