"""Repartitioning of one GPU, measured: sets of jobs, and static partitions beside dynamic ones."""

from __future__ import annotations

import time
from collections.abc import Iterable
from statistics import mean
from typing import Any

from rich.progress import track

from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.mig import reconfiguration
from rsjs.heuristics.mig.reconfiguration import best_greedy
from rsjs.instances.mig.geometry import maximal_partitions, spelled
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.reconfiguration import check
from rsjs.instances.mig.reconfiguration.problem import ReconfigurationProblem, generate, makespan

Row = dict[str, Any]
GPU = gpu_named("A100-40")
SETS: tuple[tuple[Row, tuple[int, ...], float], ...] = (  # generator's options, seeds, seconds
    ({"n": 10, "rigid": True}, (1, 2, 3), 20.0),
    ({"n": 10}, (1, 2, 3), 20.0),
    ({"n": 20, "rigid": True}, (1, 2, 3), 30.0),
    ({"n": 20}, tuple(range(1, 11)), 30.0),
    ({"n": 50, "rigid": True}, (1, 2, 3), 60.0),
    ({"n": 50}, (1, 2, 3, 4, 5), 60.0),
    ({"n": 100}, (1, 2, 3), 60.0),
    ({"n": 20, "delta": 2}, (1, 2, 3), 30.0),
    ({"n": 50, "delta": 2}, (1, 2, 3), 60.0),
    ({"n": 20, "releases": 150}, (1, 2, 3), 60.0),
    ({"n": 50, "releases": 150}, (1, 2, 3), 60.0),
)
PROFILES = ("1g", "1g2m", "2g", "3g", "4g", "7g")
BEST_OF = 6  # static partitions that greedy likes best are solved


def repartition() -> list[Row]:
    """Greedy and the exact method on the sets."""
    rows: list[Row] = []
    backend("cpsat").load()
    for options, seeds, limit in track(SETS, description="repartition"):
        rows += [_solved(generate(GPU, seed=seed, **options), options, limit) for seed in seeds]
    return rows


def repartition_table(rows: list[Row]) -> Iterable[str]:
    """A line per kind of set."""
    yield "| jobs | limit s | greedy above bound | found, mean / max | optimal | s used | of CPU |"
    yield "|---|---|---|---|---|---|---|"
    for options, seeds, limit in SETS:
        own = [r for r in rows if r["set"] == _set(options)]
        greedy = mean(100 * (r["greedy"] / r["bound"] - 1) for r in own)
        gaps = [100 * (r["makespan"] / r["bound"] - 1) for r in own]
        proved = sum(r["stop"] == "optimal" for r in own)
        yield (
            f"| {_set(options)} | {limit:g} | {greedy:.1f} % "
            f"| {mean(gaps):.2f} / {max(gaps):.2f} % | {proved}/{len(seeds)} "
            f"| {mean(r['seconds'] for r in own):.1f} | {mean(r['cpu_s'] for r in own):.1f} |"
        )


def static() -> list[Row]:
    """Dynamic against the best static partition, jobs that need no whole GPU."""
    rows: list[Row] = []
    backend("cpsat").load()
    for n in track((20, 30), description="static"):
        for seed in (1, 2, 3):
            jobs = generate(GPU, n, seed, whole=False)
            row = _solved(jobs, {"n": n, "whole": False}, 30.0)
            rows.append(row | {"partition": "dynamic"})
            tried = []
            for partition in maximal_partitions(GPU, PROFILES):
                try:
                    tried.append((makespan(jobs, best_greedy(jobs, partition)[1]), partition))
                except InputError:
                    continue  # some job fits none of its placements
            for _, partition in sorted(tried)[:BEST_OF]:
                own = _solved(jobs, {"n": n, "whole": False}, 10.0, partition)
                rows.append(own | {"partition": spelled(GPU, partition)})
    return rows


def static_table(rows: list[Row]) -> Iterable[str]:
    """A line per set: dynamic, and the best static partition found."""
    yield "| jobs | seed | dynamic (bound) | best static (bound) | partition | gain |"
    yield "|---|---|---|---|---|---|"
    for n, seed in dict.fromkeys((r["n"], r["seed"]) for r in rows):
        own = [r for r in rows if (r["n"], r["seed"]) == (n, seed)]
        free = next(r for r in own if r["partition"] == "dynamic")
        best = min((r for r in own if r is not free), key=lambda r: r["makespan"])
        gain = 100 * (best["makespan"] / free["makespan"] - 1)
        yield (
            f"| {n} | {seed} | {free['makespan']} ({free['bound']}) "
            f"| {best['makespan']} ({best['bound']}) | {best['partition']} | {gain:.1f} % |"
        )


def _solved(
    jobs: ReconfigurationProblem,
    options: Row,
    limit: float,
    partition: tuple[int, ...] | None = None,
) -> Row:
    _, start = best_greedy(jobs, partition)
    cpu = time.process_time()
    limits = Limits(gap=0.0, time_limit=limit)
    found = reconfiguration.solve(jobs, limits, start=start, partition=partition)
    cpu = time.process_time() - cpu
    verdict = check.check(jobs, found.schedule, bound=found.bound)
    assert verdict.feasible, verdict.violations
    return {
        "set": _set(options),
        "n": len(jobs),
        "seed": jobs.generator["parameters"]["seed"],
        "greedy": makespan(jobs, start),
        "makespan": verdict.makespan,
        "bound": found.bound,
        "stop": found.stop,
        "limit": limit,
        "seconds": found.seconds,
        "cpu_s": cpu,
    }


def _set(options: Row) -> str:
    words = [str(options["n"]), "rigid" if options.get("rigid") else "moldable"]
    words += [f"{name} {options[name]}" for name in ("releases", "delta") if name in options]
    return ", ".join(words)
