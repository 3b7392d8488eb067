"""
Every heuristic on every family: `python -m benchmarks.heuristics` makes docs/heuristics.md.

Each run is a fresh worker process with one thread and 5 s; compiled kernels are loaded before the
clock starts. The rows of all instances are kept in results/heuristics/rows.csv, the
trajectories of their runs in events.json; measured are instances whose rows are missing or have no
commit, so a run that was terminated is resumed by the same command. Delete rows to measure them
again. `--page` makes the page from what is kept.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.progress import track

from benchmarks.stored import have_commits, rows_by, store_part
from rsjs.core.call import Limits
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes
from rsjs.methods import parse
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.runs import gap_over_time
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import code
from rsjs.runs import compare

ROOT = Path(__file__).parents[1]
KEPT, DOCS = ROOT / "results" / "heuristics", ROOT / "docs"
ROWS, EVENTS = KEPT / "rows.csv", KEPT / "events.json"
LIMITS = Limits(time_limit=5.0)
FAMILIES: dict[str, tuple[str, Callable[..., Instance]]] = {  # reference method, generator
    "jahani": ("jahani_dual@highs", jahani.generate),
    "kiros": ("first_ending_patterns@highs", kiros.generate),
    "andreas": ("rsjs_sifting@highs", andreas.generate),
    "sts": ("rsjs_sifting@highs", sts.generate),
    "sts-shared": (
        "rsjs_sifting@highs",
        lambda **size: sts.generate(mix="kma", sharing="paper", **size),
    ),
}
METHODS = (
    "fifo:paper",
    "edf:paper",
    "priority:paper",
    "greedy:code",
    "greedy:paper",
    "randomized_greedy:code",
    "randomized_greedy:paper",
    "local_search",
    "local_search?jobs=all",
    "path_relinking",
    "priced_greedy",
    "ruin_recreate?iterations=0",
    "fix_and_optimise",
    "hierarchical?method=greedy:paper",
)
# STS and what it is compared with; times at worst or on average
STS = (
    "sts:literal",
    "sts:fallback",
    *(f"queue:{rule}" for rule in ("edf", "edf_alone", "fifo", "priority", "pedf", "greedy")),
    "randomized_queue",
    "dp:fastest",
    "dp:pooled",
    "queue:edf?epochs=mean",
    "randomized_queue?epochs=mean",
    "dp:fastest?epochs=mean",
    "deterministic?method=greedy:paper",
    "deterministic?method=randomized_greedy:paper",
)
ONLY = {"sts": STS, "sts-shared": STS}  # besides METHODS
WITHIN = (0.01, 0.05, 0.20)


def main() -> None:
    """Measure what is missing, then make the page."""
    cases = [(family, jobs) for family in FAMILIES for jobs in (200, 400)]
    if "--page" not in sys.argv:
        stored = rows_by("case", ROWS)
        missing = [case for case in cases if not have_commits(stored.get(_name(*case), []))]
        for family, jobs in track(missing, description="instances"):
            _measure(family, jobs)
    stored, trajectories = rows_by("case", ROWS), _trajectories()
    rows = {case: stored[_name(*case)] for case in cases if _name(*case) in stored}
    runs = [
        {**run, "instance": f"{family} 100 x {jobs}"}
        for family, jobs in rows
        for run in trajectories[_name(family, jobs)]
    ]
    write(gap_over_time(runs), DOCS / "images" / "heuristics.png")
    write_bytes(("\n".join(_page(rows)) + "\n").encode(), DOCS / "heuristics.md")


def _name(family: str, jobs: int) -> str:
    return f"{family}-100x{jobs}"


def _trajectories() -> dict[str, list[dict[str, Any]]]:
    """Return the stored trajectories by case."""
    return json.loads(EVENTS.read_text()) if EVENTS.exists() else {}


def _measure(family: str, jobs: int) -> None:
    reference, generate = FAMILIES[family]
    instance = generate(nodes=100, jobs=jobs, seed=1)
    spellings = (reference, *METHODS, *ONLY.get(family, ()))
    requests = [parse(spelling) for spelling in spellings]
    found = list(compare.compare([instance], requests, LIMITS))
    rows = compare.rows(found, LIMITS)
    trajectories = [
        {
            "instance": row["instance"],
            "method": row["method"],
            "best_bound": row["best_bound"],
            "seconds": row["total_s"],
            "events": compare.trajectory(outcome),
        }
        for row, outcome in zip(rows, found, strict=True)
    ]
    name = _name(family, jobs)
    write_bytes(json.dumps({**_trajectories(), name: trajectories}).encode(), EVENTS)
    store_part(rows, "case", name, ROWS)


def _page(rows: dict[tuple[str, int], list[dict[str, Any]]]) -> list[str]:
    heads = [f"{family} {jobs}" for family, jobs in rows]
    methods = list(dict.fromkeys(own[0]["method"] for own in rows.values()))
    methods += [m for own in rows.values() for m in (row["method"] for row in own)]
    methods = list(dict.fromkeys(methods))
    lines = [
        "# Heuristics compared",
        "",
        "Made by `python -m benchmarks.heuristics` from `results/heuristics`: seed 1 of each "
        f"family, 100 nodes, 200 or 400 jobs, {LIMITS.time_limit:g} s, one thread. A cell is the "
        "gap to the best bound of the instance in %, in parentheses without postponement, then "
        "the seconds. "
        "The first rows are exact methods, which gave most of the bounds. There is none for "
        "the objective of `gpuscheduler` (next_event) at this size, so it is not shown.",
        "",
        "![Gap against time, one panel per instance](images/heuristics.png)",
        "",
        f"| method | {' | '.join(heads)} |",
        f"| :--- |{' ---: |' * len(heads)}",
    ]
    for method in methods:
        cells = [
            next((_cell(row) for row in own if row["method"] == method), "")
            for own in rows.values()
        ]
        lines.append(f"| {code(method)} | {' | '.join(cells)} |")
    lines += ["", "| method | instances | " + " | ".join(f"within {w:.0%}" for w in WITHIN) + " |"]
    lines.append("| :--- | ---: |" + " ---: |" * len(WITHIN))
    for method in methods:
        gaps = [
            row["gap_to_best"]
            for own in rows.values()
            for row in own
            if row["method"] == method and row["gap_to_best"] is not None
        ]
        counts = [str(sum(gap <= within for gap in gaps)) for within in WITHIN]
        lines.append(f"| {code(method)} | {len(gaps)} | {' | '.join(counts)} |")
    return lines


def _cell(row: dict[str, Any]) -> str:
    if row["gap_to_best"] is None:
        return "no"
    gap, without = (formats.percent(row[k]) for k in ("gap_to_best", "gap_without_postponement"))
    return f"{gap} ({without}) {formats.measured(row['total_s'])}"


if __name__ == "__main__":
    main()
