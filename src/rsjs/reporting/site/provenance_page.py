"""Where every number comes from: sessions, code, machines, instances, runs and their digests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import grouped
from rsjs.reporting.site.footer import footing, run_set
from rsjs.reporting.site.plots import harmless
from rsjs.reporting.site.report_data import Material
from rsjs.reporting.site.urls import instance_page, instance_slug, run_place
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.csv import csv_text
from rsjs.rows.select import best_row


def content(material: Material, downloads: Downloads) -> dict[str, Any]:
    """What the template `provenance` needs."""
    instances = downloads.with_files(_instances(material), "provenance")
    return {
        "run_set": run_set(material.rows),
        "footer": footing(material.rows),
        "sources": [path.as_posix() for path in material.sources],
        "sessions": [_session(document) for document in material.sessions.values()],
        "instances": instances,
        "runs_file": downloads.rows("provenance-runs", _runs(material)),
    }


def index_script(material: Material) -> str:
    """A script that hands over which instance each run and each solution file belongs to."""
    slugs = list(dict.fromkeys(instance_slug(row) for row in material.rows))
    place = {slug: i for i, slug in enumerate(slugs)}
    runs = [
        [row["anchor"], place[instance_slug(row)], (row["solution_sha256"] or "")[:16]]
        for row in material.rows
    ]
    return f"rsjsIndex({harmless({'slugs': slugs, 'runs': runs})});\n"


def _session(document: Mapping[str, Any]) -> dict[str, Any]:
    """A session in words."""
    machine = document["machine"]
    facts = {
        "begun": document["begun"],
        "ended": document["ended"] or "killed, or in progress",
        "campaign": f"{document['campaign']}, {document['timing']} timing, "
        f"{formats.counted(document['slots'], 'run')} at a time",
        "commit": f"{document['commit']}{' with changes' if document['dirty'] else ''}"
        if document["commit"]
        else "not run from a source tree",
        "processor": f"{machine.get('cpu_model')}, {machine.get('cores')} cores,"
        f" {machine.get('hardware_threads_usable')} hardware threads usable",
        "memory": f"{machine.get('memory_mb') or 0:.0f} MB",
        "system": machine.get("system"),
        "governor": machine.get("governor"),
        "container": machine.get("container"),
        "load": f"{_number(document['load_before'])} before, {_number(document['load_after'])}"
        " after",
        "calibration": _calibration(document),
        "memory measured by": document.get("memory_measured_by"),
    }
    environments = {
        name or "of the command": {
            "Python": found["python"],
            "rsjs-bench": found["rsjs_version"],
            **found["solvers"],
            "sha256 of the distributions": found["sha256"],
        }
        for name, found in document["environments"].items()
    }
    return {
        "id": document["id"],
        "facts": {key: value for key, value in facts.items() if value},
        "environments": environments,
        "text": json.dumps(document, indent=1),
    }


def _calibration(document: Mapping[str, Any]) -> str:
    before, after = (document[f"calibration_{word}"] or {} for word in ("before", "after"))
    return "; ".join(
        f"{part.removesuffix('_s')} {_number(before.get(part))} s before,"
        f" {_number(after.get(part))} s after"
        for part in before
    )


def _number(value: float | None) -> str:
    return formats.MISSING if value is None else formats.measured(value)


def _instances(material: Material) -> Table:
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
        title="Instances and best decisions",
        columns=[
            Column("instance", "instance"),
            Column("instance_sha256", "sha256"),
            Column("runs", "runs", formats.count),
            Column("best_run", "run of the best cost"),
            Column("solution", "sha256 of its solution file"),
        ],
        rows=lines,
        notes=["The digest of an instance is that of its canonical form, see docs/files.md."],
        id="instances",
        footer=footing(material.rows),
        link=_link,
        mark=lambda line, key: "digest" if key in ("instance_sha256", "solution") else "",
    )


def _link(line: Row, key: str) -> str:
    if key in ("best_run", "solution") and line["best_run"]:
        return run_place({**line, "anchor": line["best_run"]})
    return instance_page(line) if key == "instance" else ""


RUN_KEYS: Sequence[str] = (
    "run_id",
    "instance",
    "instance_sha256",
    "solved_sha256",
    "method",
    "seed",
    "repetition",
    "session",
    "commit",
    "dirty",
    "rsjs_version",
    "solver_version",
    "environment_sha256",
    "cpu_model",
    "solution_sha256",
    "objective",
    "bound",
)


def _runs(material: Material) -> str:
    """Every run with its digests, as CSV."""
    return csv_text([{key: row.get(key) for key in RUN_KEYS} for row in material.rows])
