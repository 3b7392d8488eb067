"""
Figures of `jahani_dual` at 1000 x 4000 and 10 000 x 40 000.

Two catalogues x base due dates x 3 seeds, each solve to 0.01 % in a fresh worker process with one
thread; the clock starts with the build.
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

CATALOGUES, SEEDS = ("table2", "server2-11usd"), (1, 2, 3)
LIMITS = Limits(gap=1e-4, time_limit=60.0)
SECONDS = {(1000, 4000): ("3", "6"), (10_000, 40_000): ("15", "60")}  # target, floor


def measure() -> tuple[list[Figure], list[compare.Row]]:
    """Seconds, gaps and memory, and the rows they are made of."""
    figures: list[Figure] = []
    rows: list[compare.Row] = []
    for (nodes, jobs), (target, floor) in SECONDS.items():
        found = _solves(nodes, jobs)
        rows += found
        missed = [r["instance"] for r in found if r["own_gap"] is None or r["own_gap"] > LIMITS.gap]
        if missed:
            raise SystemExit(f"jahani_dual: gap {LIMITS.gap:g} not reached on {', '.join(missed)}")
        seconds, memory = ([r[key] for r in found] for key in ("total_s", "peak_memory_mb"))
        what = f"jahani_dual at {nodes} x {jobs} to {LIMITS.gap:.2%}"
        figures += [
            (f"{what}, median of {len(found)}", median(seconds), "s", target, floor),
            (f"{what}, largest of {len(found)}", max(seconds), "s", "", ""),
            (f"{what}, largest gap", 100 * max(r["own_gap"] for r in found), "%", "0.01", "0.1"),
            (f"{what}, largest peak memory", max(memory) / 1024, "GiB", "", "4"),
        ]
    return figures, rows


def _solves(nodes: int, jobs: int) -> list[compare.Row]:
    request, outcomes = parse("jahani_dual@highs"), []
    cases = list(product(CATALOGUES, SEEDS))
    for catalogue, seed in track(cases, description=f"jahani_dual, {nodes} nodes"):
        instance = generate(nodes=nodes, jobs=jobs, seed=seed, catalogue=catalogue)
        outcomes.append(verified_run.run(instance, request, LIMITS))
    return compare.rows(outcomes, LIMITS)
