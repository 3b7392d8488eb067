"""
Placement and repartitioning on MIG geometry: `python -m benchmarks.mig_tables [PART ...]`.

Parts: placement, repartition, static. Each leaves results/mig/PART.csv, a row per set and method,
and prints a Markdown table of it; `--page` prints those of the rows that are kept. One thread;
every figure comes from the checkers. Seconds are wall clock without imports, `cpu_s` those of the
processor, which tell more where other work runs beside.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.mig_placement_rows import placement, placement_table
from benchmarks.mig_repartition_rows import repartition, repartition_table, static, static_table
from rsjs.instances.files import write_bytes
from rsjs.reporting.csv_rows import csv_text, read_rows

KEPT = Path(__file__).parents[1] / "results" / "mig"
PARTS = {
    "placement": (placement, placement_table),
    "repartition": (repartition, repartition_table),
    "static": (static, static_table),
}


def main() -> None:
    """Measure the parts named, or all."""
    page = "--page" in sys.argv
    parts = [part for part in sys.argv[1:] if part != "--page"] or list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        raise SystemExit(f"found {unknown[0]}, expected parts among {', '.join(PARTS)}")
    for part in parts:
        measure, table = PARTS[part]
        path = KEPT / f"{part}.csv"
        if not page:
            write_bytes(csv_text(measure()).encode(), path)
        rows = read_rows(path)
        print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
