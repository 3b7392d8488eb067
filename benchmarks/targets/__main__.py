"""
Measure parts of the promised figures: `python -m benchmarks.targets [PART ...]`, all by default.

Each part leaves results/targets/PART.md and, where methods ran, PART.csv with a row per run: fresh
worker processes with one thread, one after the other.
"""

from __future__ import annotations

import platform
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.refusal import refuse_false
from benchmarks.targets.figures import lines
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.files import write_bytes
from rsjs.reporting.csv_rows import csv_text

FOLDER = Path(__file__).parents[2] / "results" / "targets"
PARTS = ("calls", "jahani", "dual", "rsjs", "ruin_recreate")


def main() -> None:
    """Measure the parts named, or all."""
    parts = sys.argv[1:] or list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        raise SystemExit(f"found {unknown[0]}, expected parts among {', '.join(PARTS)}")
    for part in parts:
        figures, rows = import_module(f"benchmarks.targets.{part}").measure()
        refuse_false(rows)
        text = [f"# {part}", "", *lines(figures), "", _conditions(part)]
        write_bytes(("\n".join(text) + "\n").encode(), FOLDER / f"{part}.md")
        if rows:
            write_bytes(csv_text(rows).encode(), FOLDER / f"{part}.csv")
        print("\n".join(text))


def _conditions(part: str) -> str:
    solvers = [f"{name} {b.version()}" for name, b in BACKENDS.items() if b.version()]
    versions = ", ".join([f"Python {platform.python_version()}", *solvers])
    return f"{versions}; `python -m benchmarks.targets {part}`"


if __name__ == "__main__":
    main()
