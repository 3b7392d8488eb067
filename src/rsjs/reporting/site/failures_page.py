"""What failed or found nothing, with how to repeat it; what was skipped or is not there yet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import footer
from rsjs.reporting.site.pages import instance_url, method_url, run_url
from rsjs.reporting.site.report_data import Material, ReportRow
from rsjs.reporting.site.run_table import ENDED, QUALITY, command, has_nothing, log_end, mark
from rsjs.reporting.statistics.tables import METHOD, records
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.select import AnyRow as Row

SEVERITY = ("WRONG", "CRASH", "SOLVER_ERROR", "MEMOUT", "OUTPUT_LIMIT", "TIMEOUT")


def content(material: Material, downloads: Downloads) -> dict[str, Any]:
    """Return what the template `failures` needs."""
    failed = [row for row in material.rows if has_nothing(row)]
    return {
        "kinds": _kinds(failed, material),
        "all_runs": downloads.with_files(_table(failed), "failures"),
        "skipped": downloads.with_files(_skipped(material.skipped), "failures"),
        "missing": material.missing,
        "corrupt": material.corrupt,
    }


def _kinds(failed: Sequence[ReportRow], material: Material) -> list[dict[str, Any]]:
    """Failures of one method that look alike, the worst first, each with one that stands for it."""
    groups: dict[tuple[str | None, ...], list[ReportRow]] = {}
    for row in failed:
        alike = re.sub(r"\d[\d.e+-]*", "N", row["message"])
        groups.setdefault((row["ended"], row["quality"], row["method"], alike), []).append(row)
    return [
        {"rows": rows, "command": command(rows[0], material), "log": log_end(rows[0], material)}
        for rows in sorted(groups.values(), key=_severity)
    ]


def _severity(rows: Sequence[Row]) -> tuple[int, int]:
    words = (rows[0]["quality"], rows[0]["ended"].partition("(")[0])
    places = [SEVERITY.index(word) for word in words if word in SEVERITY]
    return min(places, default=len(SEVERITY)), -len(rows)


def _table(failed: Sequence[Row]) -> Table:
    def link(row: Row, key: str) -> str:
        if key == "method":
            return method_url(row["method"])
        return instance_url(row) if key == "instance" else run_url(row)

    keys = ["method", "instance", "seed", "ended", "quality", "message"]
    keys += ["family", "anchor", "instance_sha256"]  # for links, and in the CSV file
    return Table(
        name="runs",
        title="All runs that failed or have no solution",
        columns=[
            METHOD,
            Column("instance", "instance"),
            Column("seed", "seed", formats.count),
            ENDED,
            QUALITY,
            Column("message", "message"),
            Column("anchor", "run"),
        ],
        rows=[{key: row[key] for key in keys} for row in failed],
        notes=[
            "Failed: an error, a process that broke down, or a false claim. A run that hit a limit"
            " did not fail; it stands here if it has no solution."
        ],
        footer=footer(failed),
        link=link,
        mark=mark,
        choices=frozenset({"method", "ended", "quality"}),
    )


def _skipped(skipped: Sequence[Row]) -> Table:
    frame = pd.DataFrame(skipped, columns=["method", "message"])
    counts = frame.value_counts(sort=False).rename("runs").reset_index()
    return Table(
        name="skipped",
        title="Skipped",
        columns=[METHOD, Column("runs", "runs", formats.count), Column("message", "reason")],
        rows=records(counts.sort_values("runs", ascending=False, kind="stable")),
        notes=["Asked for, but the method does not serve the instance, or is not installed."],
    )
