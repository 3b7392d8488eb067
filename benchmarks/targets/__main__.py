"""
Measure parts of the promised figures: `python -m benchmarks.targets [PART ...]`.

Each part leaves, where methods ran, results/targets/PART.csv with a row per run: fresh worker
processes with one thread, one after the other; and then PART.md. Without names, parts are measured
whose PART.md is missing or names no commit, so a run that was ended is resumed by the same command.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.stored import store
from benchmarks.targets.figures import lines
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.io.files import write_bytes
from rsjs.runs import provenance

FOLDER = Path(__file__).parents[2] / "results" / "targets"
COMMIT = "rsjs-bench at commit "
PARTS = ("calls", "jahani", "dual", "rsjs", "ruin_recreate")


def main() -> None:
    """Measure the parts named, or those that are missing."""
    parts = sys.argv[1:] or [part for part in PARTS if not _is_measured(part)]
    if unknown := [part for part in parts if part not in PARTS]:
        raise SystemExit(f"found {unknown[0]}, expected parts among {', '.join(PARTS)}")
    for part in parts:
        figures, rows = import_module(f"benchmarks.targets.{part}").measure()
        if rows:
            store(rows, FOLDER / f"{part}.csv")
        text = [f"# {part}", "", *lines(figures), "", _conditions(part)]
        write_bytes(("\n".join(text) + "\n").encode(), FOLDER / f"{part}.md")
        print("\n".join(text))


def _is_measured(part: str) -> bool:
    page = FOLDER / f"{part}.md"
    return page.exists() and COMMIT in page.read_text("utf-8")


def _conditions(part: str) -> str:
    made_by = provenance.stamp()
    changes = " with changes" if made_by["dirty"] else ""
    solvers = [f"{name} {b.version()}" for name, b in BACKENDS.items() if b.version()]
    facts = [made_by["cpu_model"], made_by["python_version"], *solvers]
    facts.append(f"{COMMIT}{made_by['commit']}{changes}")
    return f"{', '.join(map(str, facts))}; `python -m benchmarks.targets {part}`"


if __name__ == "__main__":
    main()
