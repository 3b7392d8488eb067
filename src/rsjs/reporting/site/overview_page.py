"""The opening page: who leads each family, a chart, the ranking, findings, and what was run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family, grouped
from rsjs.reporting.site.footer import footing
from rsjs.reporting.site.leaderboard import headline, ranking_plot, ranking_table
from rsjs.reporting.site.report_data import Material, Row
from rsjs.reporting.site.urls import method_page, runs_of
from rsjs.reporting.statistics.tables import METHOD
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.labels import status_word
from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.select import failure

QUALITIES = ("OPTIMAL_VERIFIED", "FEASIBLE_VERIFIED", "INFEASIBLE_CLAIMED", "NO_SOLUTION", "WRONG")
ENDS = ("FINISHED", "TIMEOUT", "MEMOUT", "OUTPUT_LIMIT", "SOLVER_ERROR", "CRASH")
MARKS = {"WRONG": "bad", "NO_SOLUTION": "warn", "CRASH": "warn", "SOLVER_ERROR": "warn"}


def content(material: Material, families: Sequence[Family], downloads: Downloads) -> dict[str, Any]:
    """Return what the template `overview` needs."""
    plot = ranking_plot(families)
    return {
        "headlines": [headline(family) for family in families],
        "plot": plot,
        "ranking": downloads.with_files(ranking_table(families), "overview"),
        "facts": _facts(material, families),
        "outcomes": downloads.with_files(_outcomes(material), "overview"),
        "unfair": [
            (family.name, row["message"])
            for family in families
            for row in family.tables["fairness"].rows
            if row["weight"] == "UNFAIR"
        ],
        "shared": [family.name for family in families if family.is_shared],
        "unranked": [
            f"{family.name}: {family.analysis.unranked}"
            for family in families
            if family.analysis.unranked
        ],
        "campaigns": sorted({str(row["campaign"]) for row in material.rows if row.get("campaign")}),
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
        plain = key in ("method", "runs")
        page = method_page(line["method"])
        return page if key == "method" else runs_of(page, "" if plain else status_word(key))

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
            " verified decision. Verified: confirmed by the checker, never by the method itself."
        ],
        id="outcomes",
        footer=footing(material.rows),
        link=link,
        mark=lambda line, key: MARKS.get(key, "") if line[key] else "zero",
    )


def _facts(material: Material, families: Sequence[Family]) -> list[dict[str, str]]:
    rows: list[Row] = material.rows
    verified = sum(row["quality"] in QUALITIES[:2] for row in rows)
    wrong = sum(row["quality"] == "WRONG" for row in rows)
    failed = sum(bool(failure(row)) for row in rows)
    empty = sum(row["quality"] == "NO_SOLUTION" and not failure(row) for row in rows)
    left = len(material.missing)
    facts = [
        ("runs", f"{len(rows)}", "provenance.html", ""),
        ("verified", f"{verified}", "", "good"),
        ("wrong", f"{wrong}", "failures.html", "bad" if wrong else ""),
        ("failed", f"{failed}", "failures.html", "warn" if failed else ""),
        ("without a decision", f"{empty}", "failures.html", ""),
        ("skipped", f"{len(material.skipped)}", "failures.html#skipped", ""),
        ("not run yet", f"{left}", "failures.html#missing", "warn" if left else ""),
        ("instances", f"{len(grouped(rows, 'instance_sha256'))}", "instances.html", ""),
        ("methods", f"{len(grouped(rows, 'method'))}", "#outcomes", ""),
        ("families", f"{len(families)}", "", ""),
    ]
    return [dict(zip(("label", "value", "href", "mark"), fact, strict=True)) for fact in facts]
