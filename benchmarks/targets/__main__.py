"""
Measure parts of the promised figures: `python -m benchmarks.targets [PART ...]`.

Each part leaves, where methods ran, results/targets/PART.csv with a row per run: fresh worker
processes with one thread, one after the other; and then its rows of figures.csv. Without names,
parts are measured that have no rows there, so a run that was terminated is resumed by the same
command.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.stored import have_commits, rows_by, store, store_part
from benchmarks.targets.figures import lines
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.runs import provenance

FOLDER = Path(__file__).parents[2] / "results" / "targets"
FIGURES = FOLDER / "figures.csv"
PARTS = ("calls", "jahani", "dual", "rsjs", "ruin_recreate")


def main() -> None:
    """Measure the parts named, or those that are missing."""
    stored = rows_by("part", FIGURES)
    parts = sys.argv[1:] or [p for p in PARTS if not have_commits(stored.get(p, []))]
    if unknown := [part for part in parts if part not in PARTS]:
        raise SystemExit(f"found {unknown[0]}, expected parts among {', '.join(PARTS)}")
    for part in parts:
        figures, rows = import_module(f"benchmarks.targets.{part}").measure()
        if rows:
            store(rows, FOLDER / f"{part}.csv")
        versions = ", ".join(f"{n} {b.version()}" for n, b in BACKENDS.items() if b.version())
        made_by = {**provenance.stamp(), "solvers": versions}
        keys = ("what", "measured", "unit", "target", "floor")
        told = [{**dict(zip(keys, figure, strict=True)), **made_by} for figure in figures]
        store_part(told, "part", part, FIGURES)
        print("\n".join([f"# {part}", "", *lines(figures)]))


if __name__ == "__main__":
    main()
