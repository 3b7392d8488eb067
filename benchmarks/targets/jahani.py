"""
jahani_patterns on three solvers at 100 x 400, and what the literal model needs.

Medians over 4 catalogues x 2 due-date laws x 3 seeds.
"""

from __future__ import annotations

from itertools import product
from statistics import median

from rich.progress import track

from benchmarks.targets.figures import Figure
from rsjs.core.call import Limits
from rsjs.instances.generators.jahani import generate
from rsjs.methods import parse
from rsjs.runs import compare, verified_run

CATALOGUES = ("table2", "azure", "server2-11usd", "no-server2")
WANTED = {  # gap, target and floor of seconds
    "highs": (1e-4, "1", "5"),
    "scip": (1e-4, "3", "15"),
    "cpsat": (1e-2, "3", "15"),
}


def measure() -> tuple[list[Figure], list[compare.Row]]:
    """Seconds, memory and overshoot, and the rows they are made of."""
    figures: list[Figure] = []
    rows: list[compare.Row] = []
    for solver, (gap, target, floor) in WANTED.items():
        found = _solves(solver, gap)
        rows += found
        seconds = [row["total_s"] for row in found]
        what = f"jahani_patterns@{solver} at 100 x 400 to {gap:.2%}"
        figures.append((f"{what}, median of {len(found)}", median(seconds), "s", target, floor))
        figures.append((f"{what}, largest of {len(found)}", max(seconds), "s", "", ""))
    literal = _literal()
    memory = literal["peak_memory_mb"] / 1024
    what = "jahani_literal@highs built and handed over at 40 x 400, peak memory"
    figures.append((what, memory, "GiB", "2", "4"))
    overshoots, found = _overshoot()
    return [*figures, *overshoots], [*rows, literal, *found]


def _solves(solver: str, gap: float) -> list[compare.Row]:
    request, limits = parse(f"jahani_patterns@{solver}"), Limits(gap=gap)
    cases = list(product(CATALOGUES, ("base", "tight"), (1, 2, 3)))
    outcomes = []
    for catalogue, due, seed in track(cases, description=solver):
        instance = generate(nodes=100, jobs=400, seed=seed, catalogue=catalogue, due=due)
        outcomes.append(verified_run.run(instance, request, limits))
    rows = compare.rows(outcomes, limits)
    missed = [
        r["instance"] for r in rows if r["own_gap"] is None or r["own_gap"] > gap * (1 + 1e-9)
    ]
    if missed:
        raise SystemExit(f"{request.spelling}: gap {gap:g} not reached on {', '.join(missed)}")
    return rows


def _literal() -> compare.Row:
    limits = Limits(time_limit=120.0)
    instance = generate(nodes=40, jobs=400, seed=1)
    found = verified_run.run(instance, parse("jahani_literal@highs"), limits)
    if found.result.seconds.get("build") is None:
        raise SystemExit(f"jahani_literal was not built: {found.result.message}")
    (row,) = compare.rows([found], limits)
    return row


def _overshoot() -> tuple[list[Figure], list[compare.Row]]:
    """How far beyond a limit of 5 s the literal model ends: build and root take longer."""
    limits, figures, rows = Limits(time_limit=5.0), [], []
    instance = generate(nodes=20, jobs=200, seed=1)
    for solver in ("highs", "scip"):
        spelling = f"jahani_literal@{solver}"
        (row,) = compare.rows([verified_run.run(instance, parse(spelling), limits)], limits)
        rows.append(row)
        beyond = (row["total_s"] or row["process_s"]) - limits.time_limit
        what = f"{spelling} at 20 x 200, beyond its limit of 5 s ({row['stop']})"
        figures.append((what, beyond, "s", "", "2"))
    return figures, rows
