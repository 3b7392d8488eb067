"""The opening page: who leads each family, a chart, the ranking, findings, and what was run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family, footer, grouped
from rsjs.reporting.site.family_page import headline, ranking_plot, ranking_table
from rsjs.reporting.site.pages import method_url, runs_url
from rsjs.reporting.site.report_data import Material
from rsjs.reporting.statistics.tables import METHOD
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.labels import status_word
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import failure

QUALITIES = ("OPTIMAL_VERIFIED", "FEASIBLE_VERIFIED", "INFEASIBLE_CLAIMED", "NO_SOLUTION", "WRONG")
ENDS = ("FINISHED", "TIMEOUT", "MEMOUT", "OUTPUT_LIMIT", "SOLVER_ERROR", "CRASH")
MARKS = {"WRONG": "bad", "NO_SOLUTION": "warn", "CRASH": "warn", "SOLVER_ERROR": "warn"}


def content(material: Material, families: Sequence[Family], downloads: Downloads) -> dict[str, Any]:
    """Return what the template `overview` needs."""
    plots = [(ranking_plot(family), family.name) for family in families]
    return {
        "families": families,
        "headlines": [headline(family) for family in families],
        "plots": [replace(plot, title=name, note="") for plot, name in plots if plot is not None],
        "ranking": downloads.with_files(ranking_table(families), "overview"),
        "counts": counts(material),
        "outcomes": downloads.with_files(_outcomes(material), "overview"),
        "campaigns": sorted({str(row["campaign"]) for row in material.rows if row.get("campaign")}),
    }


def counts(material: Material) -> dict[str, int]:
    """Return how many runs there are, verified, failed, without a solution, and not carried out."""
    rows = material.rows
    failed = [bool(failure(row)) for row in rows]
    nothing = [row["quality"] == "NO_SOLUTION" for row in rows]
    return {
        "runs": len(rows),
        "verified": sum(row["quality"] in QUALITIES[:2] for row in rows),
        "wrong": sum(row["quality"] == "WRONG" for row in rows),
        "failed": sum(failed),
        "empty": sum(empty and not bad for empty, bad in zip(nothing, failed, strict=True)),
        "skipped": len(material.skipped),
        "missing": len(material.missing),
        "instances": len(grouped(rows, "instance_sha256")),
        "methods": len(grouped(rows, "method")),
    }


def _outcomes(material: Material) -> Table:
    """Counts come before any mean: what runs have, and how they ended."""
    lines = []
    skipped = Counter(row["method"] for row in material.skipped)
    groups = grouped(material.rows, "method")
    for name in dict.fromkeys([*groups, *skipped]):
        group = groups.get(name, [])
        found = Counter(row["quality"] for row in group)
        found.update(row["ended"].partition("(")[0] for row in group)
        line: dict[str, Any] = {"method": name, "runs": len(group)}
        line |= {word: found.get(word, 0) for word in (*QUALITIES, *ENDS)}
        lines.append({**line, "SKIPPED": skipped.get(name, 0)})
    words = [word for word in (*QUALITIES, *ENDS, "SKIPPED") if any(line[word] for line in lines)]

    def link(line: Row, key: str) -> str:
        if line["method"] not in groups or key == "SKIPPED":
            return "failures.html#skipped"
        page = method_url(line["method"])
        if key == "method":
            return page
        return runs_url(page, "" if key == "runs" else status_word(key))

    return Table(
        name="outcomes",
        title="Outcomes",
        columns=[
            METHOD,
            Column("runs", "runs", formats.count),
            *(Column(word, status_word(word), formats.count) for word in words),
        ],
        rows=lines,
        notes=[
            "What a run has and how it ended are told apart: one that hit its limit may have a"
            " verified solution. Verified: confirmed by the checker, never by the method itself."
        ],
        footer=footer(material.rows),
        link=link,
        mark=lambda line, key: MARKS.get(key, "") if line[key] else "zero",
    )
