"""Tables of docs/results/hindsight.md from rows of `python -m benchmarks.hindsight`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from docs.make.tables import share, stored, table
from rsjs.reporting.tables.formats import MISSING, significant

DIGITS, PROVED = 5, 1e-5


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


TABLES: Mapping[str, Callable[[], str]] = {"runs": runs_table, "free": free_table}
