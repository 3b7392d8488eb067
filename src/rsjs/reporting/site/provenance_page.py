"""Where every number comes from: sessions, code, machines, instances, runs and their digests."""

from __future__ import annotations

from typing import Any

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import footer, grouped, run_set
from rsjs.reporting.site.pages import instance_slug, instance_url, run_url
from rsjs.reporting.site.plots import harmless
from rsjs.reporting.site.report_data import Material
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.csv import csv_text
from rsjs.rows.select import best_row


def content(material: Material, downloads: Downloads) -> dict[str, Any]:
    """Return what the template `provenance` needs."""
    rows = [{key: value for key, value in row.items() if key != "events"} for row in material.rows]
    return {
        "run_set": run_set(rows),
        "sources": [path.as_posix() for path in material.sources],
        "sessions": [*material.sessions.values()],
        "instances": downloads.with_files(_instances(material), "provenance"),
        "runs_file": downloads.text("provenance-runs.csv", csv_text(rows)),
    }


def index_script(material: Material) -> str:
    """Return a script that hands over which instance each run and each solution file belongs to."""
    slugs = list(dict.fromkeys(instance_slug(row) for row in material.rows))
    place = {slug: i for i, slug in enumerate(slugs)}
    runs = [
        [row["anchor"], place[instance_slug(row)], (row["solution_sha256"] or "")[:16]]
        for row in material.rows
    ]
    return f"rsjsIndex({harmless({'slugs': slugs, 'runs': runs})});\n"


def _instances(material: Material) -> Table:
    def link(line: Row, key: str) -> str:
        if key in ("best_run", "solution") and line["best_run"]:
            return run_url({**line, "anchor": line["best_run"]})
        return instance_url(line) if key == "instance" else ""

    lines = []
    for group in grouped(material.rows, "instance_sha256").values():
        best = best_row(group) or {}
        lines.append(
            {
                **{key: group[0][key] for key in ("instance", "instance_sha256")},
                "runs": len(group),
                "best_run": best.get("anchor", ""),
                "solution": best.get("solution_sha256") or "",
            }
        )
    return Table(
        name="instances",
        title="Instances and best solutions",
        columns=[
            Column("instance", "instance"),
            Column("instance_sha256", "sha256"),
            Column("runs", "runs", formats.count),
            Column("best_run", "run of the best cost"),
            Column("solution", "sha256 of its solution file"),
        ],
        rows=lines,
        notes=["The digest of an instance is that of its canonical form, see docs/files.md."],
        footer=footer(material.rows),
        link=link,
        mark=lambda line, key: "digest" if key in ("instance_sha256", "solution") else "",
    )
