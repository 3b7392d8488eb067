"""The tables of docs/mig.md's experiment and its pictures, from stored rows only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks import mig_schedule_pictures as pictures
from benchmarks.mig_schedule_cases import LIMITS, Case
from benchmarks.readme import filled
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import code

Row = Mapping[str, Any]
Found = Sequence[tuple[Case, Sequence[Row]]]

DOCS = Path(__file__).parents[1] / "docs"


def write(found: Found) -> None:
    """Fill in the page and draw its pictures."""
    lines = []
    for case, rows in found:
        lines += [f"**{case.title}**, {case.seeds} sets", "", *_table(case, rows), ""]
    versions = sorted({str(row["rsjs_version"]) for _, rows in found for row in rows})
    lines += [
        f"Limit {LIMITS.time_limit:g} s, 1 thread; rsjs-bench {', '.join(versions)}. Gap: (z - b)"
        " / z to the best bound b of the set by any method, of jobs late z - b. Seconds without"
        " imports and compilation; those of local search and CP-SAT include their bounds."
    ]
    page = DOCS / "mig.md"
    text = filled(page.read_text("utf-8"), "experiment", "\n".join(lines))
    write_bytes(text.encode(), page)
    figure_style.write(
        lambda: pictures.distributions(_curves(found)), DOCS / "images" / "mig-gaps.png"
    )
    figure_style.write(pictures.dataset, DOCS / "images" / "mig-dataset.png")


def _table(case: Case, rows: Sequence[Row]) -> list[str]:
    counted = case.objective == "late"
    unit = "jobs" if counted else "%"
    heads = (
        "method",
        f"mean gap [{unit}]",
        f"largest [{unit}]",
        "proven optimal",
        "mean z",
        "median s",
    )
    lines = [f"| {' | '.join(heads)} |", "| :--- | ---: | ---: | ---: | ---: | ---: |"]
    for method in case.methods:
        own = [row for row in rows if row["method"] == method]
        lost = [row["objective"] - row["best_bound"] for row in own]
        gaps = lost if counted else _gaps(own)
        shown = [
            formats.significant(value, 3) if counted else formats.percent(value)
            for value in (mean(gaps), max(gaps))
        ]
        cells = [
            code(method),
            *shown,
            f"{sum(value <= 0 for value in lost)}/{len(own)}",
            formats.significant(mean(row["objective"] for row in own), 4),
            formats.significant(median(row["total_s"] for row in own), 2),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _gaps(rows: Sequence[Row]) -> list[float]:
    return [row["gap_to_best"] for row in rows]


def _curves(found: Found) -> list[tuple[str, dict[str, tuple[list[float], list[float]]]]]:
    """Title of each case of the experiment, and of each method its gaps [%] and seconds."""
    made = []
    for case, rows in found:
        if not case.name.startswith("section4"):
            continue
        of_method = {}
        for method in case.methods:
            own = [row for row in rows if row["method"] == method]
            of_method[method] = (
                [100 * value for value in _gaps(own)],
                [row["total_s"] for row in own],
            )
        made.append((case.title, of_method))
    return made
