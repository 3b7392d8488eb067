"""
Best fit against optimisation on MIG instances: `python -m benchmarks.mig_schedule [STORE ...]`.

Fills in the experiment of docs/mig.md from the rows in results/mig, a file for each case of
`mig_schedule_cases`. The rows of cases that the stores have take the place of those before:

    rsjs run konopa
    rsjs run benchmarks/mig_variants.toml
    python -m benchmarks.mig_schedule runs/konopa runs/mig-variants
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.mig_schedule_cases import CASES, Case
from benchmarks.mig_schedule_page import write
from benchmarks.stored import store
from rsjs.campaigns.collection import collect
from rsjs.rows.csv import read_rows

KEPT = Path(__file__).parents[1] / "results" / "mig"


def main() -> None:
    """Keep the rows of the stores, then make the page."""
    stores = [Path(name) for name in sys.argv[1:]]
    rows = collect(stores).rows if stores else []
    for case in CASES:
        digests = {problem.digest for problem in case.problems()} if rows else set()
        own = [row for row in rows if row["instance_sha256"] in digests]
        if own:
            store(own, _file(case))
    write([(case, read_rows(_file(case))) for case in CASES if _file(case).exists()])


def _file(case: Case) -> Path:
    return KEPT / f"{case.name}.csv"


if __name__ == "__main__":
    main()
