"""What failed or found nothing, with how to repeat it; what was skipped or is not there yet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.footer import footing
from rsjs.reporting.site.report_data import Material, Row
from rsjs.reporting.site.run_facts import command, log_end
from rsjs.reporting.site.run_tables import ENDED, QUALITY, has_nothing, mark
from rsjs.reporting.site.urls import instance_page, method_page, run_place
from rsjs.reporting.statistics.tables import METHOD, records
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.labels import outcome
from rsjs.reporting.tables.table import Column, Table

SEVERITY = ("WRONG", "CRASH", "SOLVER_ERROR", "MEMOUT", "OUTPUT_LIMIT", "TIMEOUT")


def content(material: Material, downloads: Downloads) -> dict[str, Any]:
    """What the template `failures` needs."""
    failed = [row for row in material.rows if has_nothing(row)]
    table = skipped = None
    if failed:
        table = downloads.with_files(_table(failed), "failures")
    if material.skipped:
        skipped = downloads.with_files(_skipped(material.skipped), "failures")
    return {
        "kinds": _kinds(failed, material),
        "all_runs": table,
        "skipped": skipped,
        "missing": material.missing,
        "corrupt": material.corrupt,
    }


def _kinds(failed: Sequence[Row], material: Material) -> list[dict[str, Any]]:
    """Failures of one method that look alike, the worst first, each with one that stands for it."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in failed:
        alike = re.sub(r"\d[\d.e+-]*", "N", row["message"])
        groups.setdefault((row["ended"], row["quality"], row["method"], alike), []).append(row)
    made = [
        {
            "ended": group[0]["ended"],
            "quality": group[0]["quality"],
            "method": group[0]["method"],
            "method_page": method_page(group[0]["method"]),
            "told": outcome(group[0]["ended"], group[0]["quality"]),
            "count": len(group),
            "message": group[0]["message"],
            "command": command(group[0], material),
            "log": log_end(group[0], material),
            "runs": [(f"{row['instance']}, seed {row['seed']}", run_place(row)) for row in group],
        }
        for group in groups.values()
    ]
    return sorted(made, key=_severity)


def _severity(kind: dict[str, Any]) -> tuple[int, int]:
    words = (kind["quality"], kind["ended"].partition("(")[0])
    places = [SEVERITY.index(word) for word in words if word in SEVERITY]
    return min(places, default=len(SEVERITY)), -kind["count"]


def _table(failed: Sequence[Row]) -> Table:
    keys = (
        "method",
        "instance",
        "seed",
        "ended",
        "quality",
        "family",
        "message",
        "anchor",
        "instance_sha256",
    )
    return Table(
        name="runs",
        title="All runs that failed or have no decision",
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
            " did not fail; it stands here if it has no decision."
        ],
        id="runs",
        footer=footing(failed),
        link=_link,
        mark=mark,
        choices=frozenset({"method", "ended", "quality"}),
    )


def _link(line: Row, key: str) -> str:
    if key == "method":
        return method_page(line["method"])
    return instance_page(line) if key == "instance" else run_place(line)


def _skipped(skipped: Sequence[Row]) -> Table:
    frame = pd.DataFrame([{key: row[key] for key in ("method", "message")} for row in skipped])
    lines = frame.value_counts(sort=False).rename("runs").reset_index()
    return Table(
        name="skipped",
        title="Skipped",
        columns=[METHOD, Column("runs", "runs", formats.count), Column("message", "reason")],
        rows=records(lines.sort_values("runs", ascending=False, kind="stable")),
        notes=[
            "Asked for and not carried out: the method does not serve the instance, or is not"
            " installed."
        ],
        id="skipped",
        footer="",
    )
