"""
Placement and repartitioning on MIG geometry: `python -m benchmarks.mig_tables [PART ...]`.

Parts: placement, repartition, static. Each leaves results/mig/PART.csv, a row per set and method,
and fills in its table in docs/mig.md. Without names, parts are measured whose rows are missing or
have no commit, so a run that was ended is resumed by the same command; `--page` measures none. One
thread; every number comes from the checkers. Seconds are wall clock without imports, `cpu_s` those
of the processor, which tell more where other work runs beside.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.mig_placement_rows import placement, placement_table
from benchmarks.mig_repartition_rows import repartition, repartition_table, static, static_table
from benchmarks.mig_schedule_page import DOCS
from benchmarks.readme import filled
from benchmarks.stored import is_measured, store
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.io.files import write_bytes
from rsjs.rows.csv import read_rows
from rsjs.runs import provenance

KEPT = Path(__file__).parents[1] / "results" / "mig"
PARTS = {
    "placement": (placement, placement_table, "highs"),
    "repartition": (repartition, repartition_table, "cpsat"),
    "static": (static, static_table, "cpsat"),
}


def main() -> None:
    """Measure the parts named, or those that are missing, and fill in their tables."""
    only_page = "--page" in sys.argv
    named = [part for part in sys.argv[1:] if part != "--page"]
    parts = named or list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        raise SystemExit(f"found {unknown[0]}, expected parts among {', '.join(PARTS)}")
    for part in parts:
        measure, table, solver = PARTS[part]
        path = KEPT / f"{part}.csv"
        if not only_page and (named or not is_measured(path)):
            made_by = {**provenance.stamp(), "solver_version": BACKENDS[solver].version()}
            store([{**row, **made_by} for row in measure()], path)
        page = DOCS / "mig.md"
        text = filled(page.read_text("utf-8"), part, "\n".join(table(read_rows(path))))
        write_bytes(text.encode(), page)


if __name__ == "__main__":
    main()
