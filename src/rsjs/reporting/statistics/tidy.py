"""
The rows of comparisons as one table of runs: what every statistic starts from.

    problem      an instance, a seed and, in campaigns that repeat runs, a repetition
    valid        the checker confirmed the solution of the run, and none of its claims is false
    best bound   greatest lower bound of the instance that any of the rows or the library of
                 best-known values has; of a simulation, that of the rows under the same options
                 and, where real times differ, with the same seed
    best cost    the library's best-known cost of the instance, of others the least of the rows
    gap to best  (z - b) / max(|z|, |b|), z the checked cost, b the best bound
    own gap      (z - b) / max(|z|, |b|), b the bound of the run itself
    primal gap   (z - z*) / max(|z|, |z*|), z* the best cost (Berthold 2013, eq. 1); 0 if they tie,
                 below 0 if z is less than the library's

Bounds and costs are shared again over all rows that are given, so that rows of several comparisons
may be put together. A run is wrong if its bound lies above the best cost, as in a comparison, or if
it calls an instance infeasible for which another run has a solution.

`read_stored` reads the rows of a stored comparison, with the events of each run where they are;
`matrix` has one row per problem and one column per method.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import pandas as pd

from rsjs.campaigns import schema_files
from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.strict_json import read_json
from rsjs.reporting.references import Reference, cost_ratio, primal_gap, references, spent
from rsjs.rows.columns import Row
from rsjs.rows.csv import read_rows
from rsjs.rows.select import (
    competing,
    distinct,
    is_best,
    known,
    method_places,
    ordered,
    problem,
    stages,
)
from rsjs.runs.gap import contradicts, gap

NEEDED = ("instance_sha256", "method", "stop", "status", "time_limit", "seed")
WORDS = {
    "stop": tuple(str(stop) for stop in Stop),
    "status": ("ok", "no_solution", "infeasible", "wrong"),
}
JSON = {"options": dict, "simulation": dict, "stages": list}  # columns of JSON
JSON_NAMES = {dict: "object", list: "array"}
PROBLEM = ["instance", "seed", "repetition"]
GAP_LIMIT = 1e-4  # where a row does not tell its own
ROUNDING = 1e-9  # a gap of 0 may be one of rounding
Success = Literal["proved", "reached"]


class StoredRow(Row, total=False):
    """A row with the trajectory of its run."""

    events: Sequence[Mapping[str, float | None]] | None  # seconds, incumbent, bound


def tidy(rows: Sequence[StoredRow]) -> pd.DataFrame:
    """
    Return one line per run, in the order of `select.ordered`; InputError for rows without sense.

    Columns: instance (a name of its own for each digest), seed, repetition, method; stop, status,
    valid (bool); is_least (bool), whether no run of the problem has a lower cost, stage by stage of
    a schedule; objective, best_cost, bound, best_bound [$]; cost_ratio, objective / best_cost;
    spent_ratio, that without postponement; late, share of the jobs; gap_to_best, own_gap in [0, 1];
    primal_gap in [-1, 1]; seconds [s], of the process where it was ended from outside; limit [s];
    gap_limit; memory [MB]; events. NaN or None where nothing is known.
    """
    if not rows:
        raise InputError("", described("no rows"), "at least one run")
    first: dict[tuple[Any, ...], int] = {}
    for i, row in enumerate(rows, start=1):
        _refuse(row, f"row {i}")
        run = (problem(row), int(row["seed"]), _repetition(row), row["method"])
        if first.setdefault(run, i) != i:
            what = f"{row['method']} on {row.get('instance')} with seed {int(row['seed'])}"
            expected = "one row for each method and problem: campaigns that share some are analysed"
            found = described(f"{what} as in row {first[run]}")
            raise InputError(f"row {i}", found, f"{expected} apart")
    best = references(rows)
    compared = competing(ordered(distinct(rows)))
    place = method_places(rows)
    made = [{**_run(row, best[problem(row)]), "place": place[row["method"]]} for row in compared]
    least: dict[tuple[Any, ...], StoredRow] = {}
    for row, line in zip(compared, made, strict=True):
        if line["valid"]:
            of = tuple(line[key] for key in PROBLEM)
            least[of] = min(least.get(of, row), row, key=stages)
    for row, line in zip(compared, made, strict=True):
        of = tuple(line[key] for key in PROBLEM)
        line["is_least"] = line["valid"] and is_best(row, least.get(of))
    runs = pd.DataFrame(made)
    return runs.astype(dict.fromkeys(runs.loc[:, "objective":"memory"], float))


def _refuse(row: StoredRow, place: str, file: Path | None = None) -> None:
    for key in NEEDED:
        if known(row, key) is None:
            expected = "a value, as `rsjs compare` writes"
            raise InputError(f"{place}, {key}", described("nothing"), expected, file)
    for key, words in WORDS.items():
        if (word := row.get(key)) not in words:
            raise InputError(f"{place}, {key}", word, f"one of {', '.join(words)}", file)
    for key, kind in JSON.items():
        if (text := known(row, key)) is not None and not isinstance(_parsed(text), kind):
            raise InputError(f"{place}, {key}", text, f"a JSON {JSON_NAMES[kind]}", file)
    if row["time_limit"] <= 0:
        raise InputError(f"{place}, time_limit", row["time_limit"], "a number > 0", file)
    if row["status"] == "ok" and known(row, "objective") is None:
        raise InputError(f"{place}, objective", described("nothing"), "the checked cost", file)
    if (known(row, "total_s") or 0) < 0:
        raise InputError(f"{place}, total_s", row["total_s"], "a number >= 0", file)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _repetition(row: Row) -> int:
    return int(known(row, "repetition") or 1)


def _run(row: StoredRow, best: Reference) -> dict[str, Any]:
    cost, bound = known(row, "objective"), known(row, "bound")
    status = "wrong" if contradicts(best.lowest, bound) else row["status"]
    if row["stop"] == "infeasible" and best.lowest is not None:
        status = "wrong"
    cost = cost if status == "ok" else None
    late, jobs = known(row, "late"), known(row, "jobs")
    # of a schedule the gap of the first stage that is not proved, which the run tells
    own_gap = known(row, "own_gap") if known(row, "stages") else gap(cost, bound)
    return {
        "instance": row["instance"],
        "seed": int(row["seed"]),
        "repetition": _repetition(row),
        "method": row["method"],
        "stop": row["stop"],
        "status": status,
        "valid": cost is not None,
        "objective": cost,
        "best_cost": best.cost,
        "bound": bound if status != "wrong" else None,
        "best_bound": best.bound,
        "cost_ratio": cost_ratio(cost, best.cost),
        "spent_ratio": cost_ratio(spent(row) if status == "ok" else None, best.cost),
        "late": late / jobs if status == "ok" and late is not None and jobs else None,
        "gap_to_best": gap(cost, best.bound),
        "own_gap": own_gap,
        "primal_gap": primal_gap(cost, best.cost),
        "seconds": known(row, "total_s" if known(row, "total_s") is not None else "process_s"),
        "limit": row["time_limit"],
        "gap_limit": known(row, "gap_limit"),
        "memory": known(row, "peak_memory_mb"),
        "events": row.get("events"),
    }


def methods(runs: pd.DataFrame) -> list[str]:
    """Return the methods in the campaign's order, see `rsjs.rows.select.method_places`."""
    first = runs.drop_duplicates("method").sort_values("place", kind="stable")
    return [str(method) for method in first["method"]]


def matrix(runs: pd.DataFrame, values: str | pd.Series) -> pd.DataFrame:
    """Return a column, or values, of runs by problem and method in order of first appearance."""
    values = runs[values] if isinstance(values, str) else values
    wide = runs.assign(value=values).pivot(index=PROBLEM, columns="method", values="value")
    problems = pd.MultiIndex.from_frame(runs[PROBLEM].drop_duplicates())
    return wide.loc[problems, methods(runs)].rename_axis(columns=None)


def solved(
    runs: pd.DataFrame, success: Success = "reached", target: float | None = None
) -> pd.Series:
    """
    Return whether each run has a gap of at most the target, or its own gap limit without one.

    proved, the own gap: the method itself proved it; reached, the gap to the best bound: any did.
    """
    limit = runs["gap_limit"].fillna(GAP_LIMIT) if target is None else target
    found = runs["own_gap" if success == "proved" else "gap_to_best"]
    return runs["valid"] & (found <= limit + ROUNDING)


ROWS, EVENTS = "rows.csv", "events.json"
KEY = ("instance_sha256", "method")
NEEDED_IN_FILE = ("instance", *NEEDED)
KEYS = (("run_id",), (*KEY, "seed"))  # what trajectories may be told apart by, best first


def read_stored(path: str | Path, *, events: bool = True) -> list[StoredRow]:
    """
    Return the rows of `rsjs compare` or `rsjs collect`, with `events` where events.json is beside.

    `path` is a folder with rows.csv, or such a file. InputError for a file without rows, or events
    of a run that is told twice.
    """
    path = Path(path)
    if (path / "runs").is_dir() and not (path / ROWS).exists():
        raise InputError("", described("a store"), "tables: `rsjs collect` makes them", path)
    path = path / ROWS if path.is_dir() else path
    rows = cast(list[StoredRow], read_rows(path))
    missing = [key for key in NEEDED_IN_FILE if not rows or key not in rows[0]]
    if missing:
        found = described(f"no column {missing[0]}" if rows else "no rows")
        raise InputError("", found, "rows as `rsjs compare` writes them", path)
    for i, row in enumerate(rows, start=1):
        _refuse(row, f"row {i}", path)
    file = path.with_name(EVENTS)
    if not events or not file.exists():
        return rows
    trajectories = read_json(file)
    fit(trajectories, schema_files.schema("courses"), file)
    names = next((names for names in KEYS if all(names[-1] in run for run in trajectories)), KEY)

    def key(run: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(str(run.get(name)) for name in names)

    of_run: dict[tuple[str, ...], list[Any]] = {}
    for i, run in enumerate(trajectories):
        if key(run) in of_run:
            found = described(f"{run.get('method')} on {run.get('instance')} a second time")
            raise InputError(f"/{i}", found, "one trajectory for each run", file)
        of_run[key(run)] = run["events"]
    return [{**row, "events": of_run.get(key(row))} for row in rows]
