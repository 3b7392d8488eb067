"""
The pages for those who doubt: what failed, whether the comparison is fair, and provenance.

Failures have how to repeat them; what was skipped or is not there yet stands with them. Fairness
has findings, and what every run was given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rsjs.reporting.site.pages import Downloads
from rsjs.reporting.site.report_data import Family, Material, ReportRow, footer, run_set
from rsjs.reporting.site.run_table import command, has_nothing, log_end, run_table
from rsjs.reporting.statistics.fairness import ASPECTS, shown, values
from rsjs.reporting.statistics.tables import METHOD
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.csv import csv_text
from rsjs.rows.select import failure, group_by, known


def failures(material: Material, downloads: Downloads) -> dict[str, Any]:
    """Return what the template `failures` needs."""
    failed = [row for row in material.rows if has_nothing(row)]
    return {
        "kinds": _kinds(failed),
        "all_runs": downloads.with_files(_failed(failed), "failures"),
        "material": material,
    }


def _kinds(failed: Sequence[ReportRow]) -> list[dict[str, Any]]:
    """Failures of one method that look alike, the worst first, each with one that stands for it."""

    def alike(row: Row) -> tuple[str | None, ...]:
        message = re.sub(r"\d[\d.e+-]*", "N", row["message"])
        return row["ended"], row["quality"], row["method"], message

    def worst_first(rows: Sequence[Row]) -> tuple[bool, bool, int]:
        return rows[0]["quality"] != "WRONG", not failure(rows[0]), -len(rows)

    return [
        {"rows": rows, "command": command(rows[0]), "log": log_end(rows[0])}
        for rows in sorted(group_by(failed, alike).values(), key=worst_first)
    ]


def _failed(failed: Sequence[ReportRow]) -> Table:
    every = run_table(failed, "instance")
    plain = [one for one in every.columns if one.key in ("instance", "seed", "ended", "quality")]
    return replace(
        every,
        title="All runs that failed or have no solution",
        columns=[METHOD, *plain, Column("message", "message"), every.columns[-1]],
        notes=[
            "Failed: an error, a process that broke down, or a false claim. A run that hit a limit"
            " did not fail; it stands here if it has no solution."
        ],
        choices=frozenset({"method", "ended", "quality"}),
        shared=frozenset(),
    )


def fairness(families: Sequence[Family], downloads: Downloads) -> dict[str, Any]:
    """Return what the template `fairness` needs."""
    return {
        "unfair": [family.name for family in families if family.unfair],
        "findings": downloads.with_files(_findings(families), "all"),
        "conditions": downloads.with_files(conditions_table(families), "fairness"),
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


def conditions_table(families: Sequence[Family]) -> Table:
    """Return each aspect with all its values, by family; marked where a finding is unfair."""
    unfair = {(family.name, row["aspect"]) for family in families for row in family.unfair}

    lines = [
        {
            "aspect": aspect.name,
            "column": key,
            **{
                family.name: "; ".join(sorted(set(map(shown, values(family.rows, key)))))
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


def provenance(material: Material, downloads: Downloads) -> dict[str, Any]:
    """Return what the template `provenance` needs."""
    left_out = {"events", "record", "problem_file"}
    rows = [
        {key: value for key, value in row.items() if key not in left_out} for row in material.rows
    ]
    return {
        "run_set": run_set(rows),
        "sources": [path.as_posix() for path in material.sources],
        "sessions": [*material.sessions.values()],
        "runs_file": downloads.text("provenance-runs.csv", csv_text(rows)),
    }
