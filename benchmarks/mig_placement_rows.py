"""Placement of workloads on MIG geometry, measured: the exact stages and the rules on every mix."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from statistics import mean
from typing import Any

from rich.progress import track

from rsjs.core.call import Limits
from rsjs.formulations.mig import placement as mig_placement
from rsjs.heuristics.mig.placement import RULES, place
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.placement import check, problem

Row = dict[str, Any]
GPU = gpu_named("A100-40")
MIXES = (
    *(("mixed", n) for n in (50, 200, 500)),
    *((mix, 200) for mix in ("small", "large", "memheavy", "elastic")),
)


def placement() -> list[Row]:
    """Exact stages and rules on seeds 1 to 10 of each mix."""
    rows: list[Row] = []
    mig_placement.solve(problem.generate(GPU, "mixed", 5, 0), Limits())  # imports, tables
    for mix, n in track(MIXES, description="placement"):
        for seed in range(1, 11):
            workloads = problem.generate(GPU, mix, n, seed)
            cpu = time.process_time()
            exact = mig_placement.solve(workloads, Limits(gap=0.0))
            cpu = time.process_time() - cpu
            found = {"ilp": (exact.placement, exact.seconds)}
            found |= {rule: _timed(partial(place, workloads, rule)) for rule in RULES}
            for method, (own, seconds) in found.items():
                bound = exact.gpus_bound
                verdict = check.check(workloads, own, bound=bound)
                assert verdict.feasible, verdict.violations
                row = {"mix": mix, "n": n, "seed": seed, "method": method, "gpus": verdict.gpus}
                row |= {"gpus_bound": bound, "waste": verdict.waste, "seconds": seconds}
                if method == "ilp":
                    row |= {"waste_bound": exact.waste_bound, "stop": exact.stop, "cpu_s": cpu}
                rows.append(row)
    return rows


def placement_table(rows: list[Row]) -> Iterable[str]:
    """Mean GPUs of the optimum and of rules above it, mean wasted slices."""
    yield "| mix, n | optimum (proved) | s | " + " | ".join(RULES) + " |"
    yield "|---|---|---|" + "---|" * len(RULES)
    for mix, n in MIXES:
        of = {
            method: [r for r in rows if (r["mix"], r["n"], r["method"]) == (mix, n, method)]
            for method in ("ilp", *RULES)
        }
        best, least = of["ilp"], mean(r["gpus"] for r in of["ilp"])
        proved = sum(r["stop"] == "optimal" for r in best)
        cells = [
            f"{100 * (mean(r['gpus'] for r in of[rule]) / least - 1):+.1f} %"
            f" (w {mean(r['waste'] for r in of[rule]):.1f})"
            for rule in RULES
        ]
        yield (
            f"| {mix} {n} | {least:.1f}, w {mean(r['waste'] for r in best):.1f} ({proved}/10) "
            f"| {mean(r['seconds'] for r in best):.2f} | {' | '.join(cells)} |"
        )


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    found = call()
    return found, time.perf_counter() - begin
