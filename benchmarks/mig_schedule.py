"""
Best fit against optimisation on MIG instances: `python -m benchmarks.mig_schedule`.

Runs the cases of `mig_schedule_cases`, one thread and 30 s for each problem and method, and fills
in the experiment of docs/mig.md. The rows of a case are kept in results/mig; delete a file to
measure it again. Arguments name the cases to measure, all by default; `--page` measures none.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rich.progress import track

from benchmarks.mig_schedule_cases import CASES, LIMITS, Case
from benchmarks.mig_schedule_page import write
from rsjs.experiments.mig_schedule_rows import row, verdict_of
from rsjs.experiments.mig_scheduling import schedule
from rsjs.instances.files import write_bytes
from rsjs.reporting.csv_rows import csv_text, read_rows

KEPT = Path(__file__).parents[1] / "results" / "mig"


def main() -> None:
    """Run what is missing, then make the page."""
    asked = sys.argv[1:]
    for case in CASES:
        if (case.name in asked or not asked) and not _file(case).exists():
            write_bytes(csv_text(_measured(case)).encode(), _file(case))
    write([(case, read_rows(_file(case))) for case in CASES if _file(case).exists()])


def _file(case: Case) -> Path:
    return KEPT / f"{case.name}.csv"


def _measured(case: Case) -> list[dict[str, Any]]:
    rows = []
    for problem in track(case.problems(), total=case.seeds, description=case.name):
        for method in case.methods:
            result = schedule(problem, method, LIMITS)
            found = dict(row(problem, method, result, verdict_of(problem, result)))
            if found["status"] != "ok":
                raise SystemExit(f"{method} on {problem.name}: {found['status']}")
            rows.append(found)
    return rows


if __name__ == "__main__":
    main()
