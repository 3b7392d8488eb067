"""
Literal against reformulated models: `python -m benchmarks.formulations` makes docs/formulations.md.

Each run is a fresh worker process with one thread and 60 s. The rows of a case are kept in
results/formulations; measured are those that are missing or have no commit, so a run that was
ended is resumed by the same command. Delete a file to measure it again. Arguments name the sections
to measure, all by default; `--page` measures none and makes the page from what is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.progress import Progress

from benchmarks.formulation_cases import LIMITS, Case, cases
from benchmarks.formulation_page import write
from benchmarks.stored import is_measured, store
from rsjs.methods import parse
from rsjs.reporting.tables.csv_rows import read_rows
from rsjs.runs import compare

KEPT = Path(__file__).parents[1] / "results" / "formulations"


def main() -> None:
    """Run what is missing, then make the page."""
    asked = sys.argv[1:]
    wanted = [case for case in cases() if case.section in asked or not asked]
    if missing := [case for case in wanted if not is_measured(_file(case))]:
        with Progress() as progress:
            task = progress.add_task("", total=sum(len(case.methods) for case in missing))
            for case in missing:
                _measure(case, progress, task)
    write([(case, read_rows(_file(case))) for case in cases() if _file(case).exists()])


def _file(case: Case) -> Path:
    return KEPT / f"{case.name}.csv"


def _measure(case: Case, progress: Progress, task: object) -> None:
    outcomes = []
    instance = case.make()
    for spelling in case.methods:
        progress.update(task, description=f"{case.name} {spelling}")
        outcomes += compare.compare([instance], [parse(spelling)], LIMITS)
        progress.advance(task)
    store(compare.rows(outcomes, LIMITS), _file(case))


if __name__ == "__main__":
    main()
