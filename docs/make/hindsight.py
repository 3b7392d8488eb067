"""
Tables of docs/results/hindsight.md.

They are made from rows of `python -m benchmarks.hindsight`, and from best-known values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd

from docs.make.tables import RESULTS, share, stored, table
from rsjs.bks import storage
from rsjs.bks.entries import BestKnown
from rsjs.instances.library.sets import calls, library_set
from rsjs.reporting.tables.formats import MISSING, significant

DIGITS, PROVED = 5, 1e-5
BENCHMARK, OPEN = "workloads-benchmark", "workloads-open"


def runs(variant: str) -> pd.DataFrame:
    """Return the rows of a variant by workload."""
    rows = stored("hindsight/rows.csv")
    return rows[rows["variant"] == variant].set_index("instance")


def cost(value: Any) -> str:
    """Return a cost."""
    return MISSING if pd.isna(value) else significant(float(value), DIGITS)


def named(name: Any, row: Any) -> str:
    """Return jobs and seed of a workload, ...-s<seed>-steps1."""
    return f"{row['jobs']} jobs, seed {name.split('-')[-2].removeprefix('s')}"


def optimum(row: Any) -> str:
    """Return what the program proves: its optimum, or a range."""
    best, bound = row["program"], row["program_bound"]
    if pd.isna(best) or best - bound <= PROVED * best:
        return cost(best)
    return f"{cost(bound)} to {cost(best)}"


def runs_table() -> str:
    """Return the table of schedules without preemption."""
    heads = ["workload", "bound", "relaxation", "optimum", "optimum / bound - 1"]
    heads += ["EDF", "FIFO"]
    rows = [
        [
            named(name, row),
            cost(row["bound"]),
            cost(row["relaxation"]),
            optimum(row),
            share(row["program_bound"] / row["bound"] - 1),
            cost(row["queue:edf"]),
            cost(row["queue:fifo"]),
        ]
        for name, row in runs("no_preemption").iterrows()
    ]
    return table(heads, rows)


def free_table() -> str:
    """Return the table of schedules with preemption and changes of mode."""
    heads = ["workload", "bound", "schedule", "schedule / bound - 1"]
    one_mode = runs("one_mode")
    heads += ["bound in one mode", "without preemption"]
    runs_bound = runs("no_preemption")["bound"]
    rows = [
        [
            named(name, row),
            cost(row["bound"]),
            cost(row["schedule"]),
            share(row["schedule"] / row["bound"] - 1),
            cost(one_mode["bound"][name]),
            cost(runs_bound[name]),
        ]
        for name, row in runs("free").iterrows()
    ]
    return table(heads, rows)


def members(name: str) -> Iterator[tuple[dict[str, Any], BestKnown | None]]:
    """Yield the parameters of the members of a set, and what is known of each."""
    known = storage.read(RESULTS / "best_known")
    for member, (_, given) in zip(library_set(name).members, calls(name), strict=True):
        yield given, known.get(member.sha256)


def mix(given: Mapping[str, Any]) -> str:
    """Return the GPUs of a workload, and its speed-ups if these are a power of k GPUs."""
    gpus = {"km": "K80, M60", "a100": "A100", "kma": "K80, M60, A100"}[given["mix"]]
    power = re.fullmatch(r"p(.+)", given.get("speedup", ""))
    return f"{gpus}; speed-up k^{power[1]}" if power else gpus


def distance(entry: BestKnown | None) -> str:
    """Return how far the schedule is above the bound."""
    if entry is None or entry.cost is None or entry.bound is None:
        return MISSING
    return share(max(0.0, entry.cost.value / entry.bound.value - 1))


def benchmark_table() -> str:
    """Return what is known of each member of `workloads-benchmark`."""
    heads = ["GPUs", "offered load", "nodes", "bound", "schedule", "schedule / bound - 1"]
    rows = []
    for given, entry in members(BENCHMARK):
        values = (None, None) if entry is None else (entry.bound, entry.cost)
        shown = [MISSING if one is None else significant(one.value, DIGITS + 2) for one in values]
        head = mix(given), f"{given['offered_load']:g}", given["nodes"]
        rows.append([*head, *shown, distance(entry)])
    return table(heads, rows)


def open_table() -> str:
    """Return how far bounds and schedules of `workloads-open` are apart, by gap and nodes."""
    cells: dict[tuple[str, float], dict[int, list[str]]] = {}
    for given, entry in members(OPEN):
        by_nodes = cells.setdefault((mix(given), given["gap_seconds"]), {})
        by_nodes.setdefault(given["nodes"], []).append(distance(entry))
    sizes = sorted({nodes for by_nodes in cells.values() for nodes in by_nodes})
    heads = ["GPUs", "N x mean time between arrivals [s]", *(f"N = {nodes}" for nodes in sizes)]
    return table(
        heads,
        [
            [gpus, f"{gap:g}", *(", ".join(by_nodes[nodes]) for nodes in sizes)]
            for (gpus, gap), by_nodes in cells.items()
        ],
    )


TABLES: Mapping[str, Callable[[], str]] = {
    "runs": runs_table,
    "free": free_table,
    "benchmark": benchmark_table,
    "open": open_table,
}
