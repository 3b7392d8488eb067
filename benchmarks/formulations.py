"""
Literal against reformulated models: `python -m benchmarks.formulations` makes docs/formulations.md.

Each run is a fresh worker process with one thread and 60 s. The rows of all cases are kept in
results/formulations/rows.csv; measured are cases that are missing or have no commit, so a run that
was terminated is resumed by the same command. Delete rows to measure them again. Arguments name the
sections to measure, all by default; `--page` measures none and makes the page from what is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.progress import Progress

from benchmarks.formulation_cases import LIMITS, Case, cases
from benchmarks.formulation_page import write
from benchmarks.stored import have_commits, rows_by, store_part
from rsjs.methods import parse
from rsjs.runs import compare

ROWS = Path(__file__).parents[1] / "results" / "formulations" / "rows.csv"


def main() -> None:
    """Run what is missing, then make the page."""
    asked = sys.argv[1:]
    wanted = [case for case in cases() if case.section in asked or not asked]
    stored = rows_by("case", ROWS)
    if missing := [case for case in wanted if not have_commits(stored.get(case.name, []))]:
        with Progress() as progress:
            task = progress.add_task("", total=sum(len(case.methods) for case in missing))
            for case in missing:
                _measure(case, progress, task)
    stored = rows_by("case", ROWS)
    write([(case, stored[case.name]) for case in cases() if case.name in stored])


def _measure(case: Case, progress: Progress, task: object) -> None:
    outcomes = []
    instance = case.make()
    for spelling in case.methods:
        progress.update(task, description=f"{case.name} {spelling}")
        outcomes += compare.compare([instance], [parse(spelling)], LIMITS)
        progress.advance(task)
    store_part(compare.rows(outcomes, LIMITS), "case", case.name, ROWS)


if __name__ == "__main__":
    main()
