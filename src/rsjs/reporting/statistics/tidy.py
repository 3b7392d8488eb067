"""
The rows of comparisons as one table of runs: what every statistic starts from.

    problem      an instance, a seed and, in campaigns that repeat runs, a repetition
    valid        the checker confirmed the solution of the run, and none of its claims is false
    best bound   greatest lower bound of the instance that any of the rows proved; of a simulation,
                 under the same options and, where real times differ, with the same seed
    best cost    least cost of the instance that any of the rows reached, as the best bound
    gap to best  (z - b) / max(|z|, |b|), z the checked cost, b the best bound
    own gap      (z - b) / max(|z|, |b|), b the bound of the run itself
    primal gap   |z - z*| / max(|z|, |z*|), z* the best cost (Berthold 2013, eq. 1); 0 if they tie

Bounds and costs are shared again over all rows that are given, so that rows of several comparisons
may be put together. A run is wrong if its bound lies above the best cost, as in a comparison, or if
it calls an instance infeasible for which another run has a solution.

`read_stored` reads the rows of a stored comparison, with the events of each run where they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from rsjs.campaigns import schema_files
from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.instances.io.strict_json import read_json
from rsjs.rows.columns import Row
from rsjs.rows.csv import read_rows
from rsjs.rows.select import competing, distinct, group_by, known, ordered, problem
from rsjs.runs.gap import contradicts, gap, ties

NEEDED = ("instance_sha256", "method", "stop", "status", "time_limit", "seed")
WORDS = {
    "stop": tuple(str(stop) for stop in Stop),
    "status": ("ok", "no_solution", "infeasible", "wrong"),
}
PROBLEM = ["instance", "seed", "repetition"]


class StoredRow(Row, total=False):
    """A row with the trajectory of its run."""

    events: Sequence[Mapping[str, float | None]] | None  # seconds, incumbent, bound


def tidy(rows: Sequence[StoredRow]) -> pd.DataFrame:
    """
    Return one line per run, in the order of `select.ordered`; InputError for rows without sense.

    Columns: instance (a name of its own for each digest), seed, repetition, method; stop, status,
    valid (bool); objective, best_cost, bound, best_bound [$]; gap_to_best, own_gap, primal_gap in
    [0, 1]; seconds, limit [s]; gap_limit; memory [MB]; events. NaN or None where nothing is known.
    """
    if not rows:
        raise InputError("", described("no rows"), "at least one run")
    for i, row in enumerate(rows):
        for key in NEEDED:
            if known(row, key) is None:
                found = described("nothing")
                raise InputError(f"row {i + 1}, {key}", found, "a value, as `rsjs compare` writes")
        for key, words in WORDS.items():
            if (word := row.get(key)) not in words:
                raise InputError(f"row {i + 1}, {key}", word, f"one of {', '.join(words)}")
        if row["time_limit"] <= 0:
            raise InputError(f"row {i + 1}, time_limit", row["time_limit"], "a number > 0")
        if (known(row, "total_s") or 0) < 0:
            raise InputError(f"row {i + 1}, total_s", row["total_s"], "a number >= 0")
    first: dict[tuple[Any, ...], int] = {}
    for i, row in enumerate(rows):
        run = (problem(row), int(row["seed"]), _repetition(row), row["method"])
        if run in first:
            what = f"{row['method']} on {row.get('instance')} with seed {int(row['seed'])}"
            found = described(f"{what} as in row {first[run]}")
            raise InputError(
                f"row {i + 1}",
                found,
                "one row for each method and problem: campaigns that share some are analysed apart",
            )
        first[run] = i + 1
    shared = _shared_bounds(rows)
    compared = competing(ordered(distinct(rows)))
    return pd.DataFrame([_run(row, *shared[problem(row)]) for row in compared])


def methods(runs: pd.DataFrame) -> list[str]:
    """Return the methods in order of first appearance."""
    return list(dict.fromkeys(runs["method"]))


def _shared_bounds(rows: Sequence[Row]) -> dict[tuple[Any, ...], tuple[float, float]]:
    """Best cost and best bound of each problem but for its seed, NaN where there is none."""
    shared = {}
    for key, own in group_by(rows, problem).items():
        costs = [known(row, "objective") for row in own]
        cost = min((cost for cost in costs if cost is not None), default=np.nan)
        bounds = [
            bound
            for row in own
            for bound in (known(row, "bound"), known(row, "best_bound"))
            if bound is not None and row["status"] != "wrong" and not contradicts(cost, bound)
        ]
        shared[key] = cost, max(bounds, default=np.nan)
    return shared


def _run(row: StoredRow, best_cost: float, best_bound: float) -> dict[str, Any]:
    cost, bound = known(row, "objective"), known(row, "bound")
    status = row["status"]
    if bound is not None and contradicts(best_cost, bound):
        status = "wrong"
    if row["stop"] == "infeasible" and not np.isnan(best_cost):
        status = "wrong"
    valid = status == "ok" and cost is not None
    reached = cost if valid else None
    tied = reached is not None and ties(reached, best_cost)
    numbers = {
        "objective": reached,
        "best_cost": best_cost,
        "bound": bound if status != "wrong" else None,
        "best_bound": best_bound,
        "gap_to_best": gap(reached, None if np.isnan(best_bound) else best_bound),
        "own_gap": gap(reached, bound),
        "primal_gap": 0.0 if tied else gap(reached, None if np.isnan(best_cost) else best_cost),
        "seconds": known(row, "total_s"),
        "limit": row["time_limit"],
        "gap_limit": known(row, "gap_limit"),
        "memory": known(row, "peak_memory_mb"),
    }
    return {
        "instance": row["instance"],
        "seed": int(row["seed"]),
        "repetition": _repetition(row),
        "method": row["method"],
        "stop": row["stop"],
        "status": status,
        "valid": valid,
        **{key: np.nan if value is None else float(value) for key, value in numbers.items()},
        "events": row.get("events"),
    }


def _repetition(row: Row) -> int:
    return int(known(row, "repetition") or 1)


ROWS, EVENTS = "rows.csv", "events.json"
KEY = ("instance_sha256", "method")
NEEDED_IN_FILE = ("instance", *KEY)
KEYS = (("run_id",), (*KEY, "seed"))  # what trajectories may be told apart by, best first


def read_stored(path: str | Path) -> list[StoredRow]:
    """
    Return the rows of `rsjs compare` or `rsjs collect`, with events where events.json is beside.

    `path` is a folder with rows.csv, or such a file. InputError for a file without rows, or events
    of a run that is told twice.
    """
    path = Path(path)
    if (path / "runs").is_dir() and not (path / ROWS).exists():
        raise InputError("", described("a store"), "tables: `rsjs collect` makes them", path)
    path = path / ROWS if path.is_dir() else path
    rows = cast(list[StoredRow], read_rows(path))
    if not rows or not all(key in rows[0] for key in NEEDED_IN_FILE):
        found = described("no rows" if not rows else "other columns")
        raise InputError("", found, "rows as `rsjs compare` writes them", path)
    file = path.with_name(EVENTS)
    if not file.exists():
        return rows
    trajectories = read_json(file)
    schema_files.fit_schema(trajectories, "courses", file)
    names = next((names for names in KEYS if all(names[-1] in run for run in trajectories)), KEY)
    of_run: dict[tuple[str, ...], list[Any]] = {}
    for i, run in enumerate(trajectories):
        key = tuple(str(run.get(name)) for name in names)
        if key in of_run:
            found = described(f"{run.get('method')} on {run.get('instance')} a second time")
            raise InputError(f"/{i}", found, "one trajectory for each run", file)
        of_run[key] = run["events"]
    return [
        {**row, "events": of_run.get(tuple(str(row.get(name)) for name in names))} for row in rows
    ]
