"""Tables with one line per run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rsjs.instances.mig.scheduling.objective import TERMS as SCHEDULE_TERMS
from rsjs.reporting.site.families import grouped
from rsjs.reporting.site.footer import footing
from rsjs.reporting.site.urls import instance_page, method_page, run_place
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.comparison import COLUMNS
from rsjs.reporting.tables.labels import column, status_word
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import are_shared, best_row, executed, failure, is_best, known, unit

DECLARED = {column.key: column for column in COLUMNS}
COSTS = ("objective", "tardiness", "postponement", "energy", "idle", "bound")
GAPS = ("own_gap", "gap_to_best", "gap_without_postponement")
SECONDS = ("build_s", "solve_s", "total_s")
KEPT = ("anchor", "instance_sha256", "solution_sha256")  # in the CSV file, and for links
DOUBTFUL = ("CRASH", "SOLVER_ERROR", "MEMOUT", "OUTPUT_LIMIT")
COUNT = Column("seed", "seed", formats.count)
ENDED = Column("ended", "ended", text=lambda row: status_word(row["ended"]))
QUALITY = Column("quality", "status", text=lambda row: status_word(row["quality"]))


def run_table(rows: Sequence[Mapping[str, Any]], by: str, title: str) -> Table:
    """
    The runs of an instance, by "method", or of a method, by "instance".

    A number leads to its run, a name to its page.
    """
    words = [Column(by, by), *([Column("family", "family")] if by == "instance" else []), COUNT]
    words += [ENDED, QUALITY]
    gaps = GAPS if unit(rows) else GAPS[:2]
    numbers = [*_costs(rows), *(DECLARED[key] for key in gaps)]
    effort = [DECLARED[key] for key in SECONDS]
    shown = [*words, *numbers, Column("executed", "jobs run"), *effort]
    shown += [DECLARED["peak_memory_mb"], Column("run", "run")]
    keys = [column.key for column in shown]
    best = {name: best_row(group) for name, group in grouped(rows, "instance").items()}
    lines = [
        {
            **{key: known(row, key) for key in keys},
            "executed": executed(row),
            "run": row["anchor"],
            **{key: row[key] for key in KEPT},
            "instance": row["instance"],
            "best": is_best(row, best[str(row["instance"])]),
            "family": row["family"],
        }
        for row in rows
    ]
    shared = frozenset(SECONDS if are_shared(rows) else ())
    return Table(
        name="runs",
        title=title,
        columns=shown,
        rows=lines,
        id="runs",
        footer=footing(rows),
        link=_here if by == "method" else link,
        mark=mark,
        choices=frozenset({"method", "family", "ended", "quality"}),
        shared=shared,
    )


def _costs(rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """Objective, its terms and the bound: schedules on MIG instances have terms of their own."""
    if unit(rows):
        return [DECLARED[key] for key in COSTS]
    terms = [Column(term, term.replace("_", " "), formats.plain) for term in SCHEDULE_TERMS]
    first, last = (column(key, key, rows) for key in ("objective", "bound"))
    return [first, *terms, last]


def link(line: Row, key: str) -> str:
    """Of a line on another page than its instance's: what it is told by, cost, gap and run."""
    if key == "instance":
        return instance_page(line)
    return run_place(line) if key in ("objective", "gap_to_best", "run") else ""


def _here(line: Row, key: str) -> str:
    """The same on the page of the instance."""
    return method_page(line["method"]) if key == "method" else f"#r-{line['anchor']}"


def mark(line: Row, key: str) -> str:
    """Failures, false claims, and the best cost of an instance."""
    if key == "quality":
        return {"WRONG": "bad", "NO_SOLUTION": "warn", "OPTIMAL_VERIFIED": "good"}.get(
            line[key], ""
        )
    if key == "ended":
        return "warn" if line[key].startswith(DOUBTFUL) else ""
    return "best" if key == "objective" and line.get("best") else ""


def has_nothing(row: Mapping[str, Any]) -> bool:
    """Whether a run failed or ended without a decision, so that its output is worth reading."""
    return row["quality"] == "NO_SOLUTION" or bool(failure(row))
