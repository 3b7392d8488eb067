"""The records of one store or several as rows, with what the runs say of each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from rsjs.campaigns import session
from rsjs.campaigns.pool_worker import priced_again
from rsjs.campaigns.records import Record
from rsjs.campaigns.run import Run
from rsjs.campaigns.store import Store, read_document
from rsjs.core.entry_points import source_text
from rsjs.core.report import Stop
from rsjs.instances.check import TOLERANCE
from rsjs.rows.build import quality, row_of, share_bounds, skipped_row
from rsjs.rows.columns import Row
from rsjs.rows.select import group_by, problem
from rsjs.runs.gap import contradicts

TRAJECTORY = ("run_id", "instance", "instance_sha256", "method", "seed", "best_bound")  # of a row


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What stores hold."""

    rows: list[Row] = field(default_factory=list)  # runs that were carried out
    skipped: list[Row] = field(default_factory=list)  # what was asked, and in `message` why not
    # instance, instance_sha256, method, seed, best_bound, seconds and events of each run
    trajectories: list[dict[str, Any]] = field(default_factory=list)
    corrupt: list[tuple[str, str]] = field(default_factory=list)  # path, reason
    # id -> file of a session; ids of those that cannot be read, whose rows lack what they told
    sessions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lost: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # ids of runs that a plan has and no store


def collect(folders: Sequence[Path]) -> Collected:
    """
    Return the rows of one store, or of several as of one: a run that two stores have counts once.

    Raises
    ------
    InputError
        For a folder that is no store, or one that a newer version wrote.
    """
    found: dict[str, tuple[Record, Row]] = {}
    places: dict[str, Store] = {}
    planned: dict[str, None] = {}
    skipped: dict[str, Row] = {}
    corrupt: list[tuple[str, str]] = []
    lost: list[tuple[str, str]] = []
    sessions: dict[str, Mapping[str, Any]] = {}
    for folder in folders:
        store, campaign = Store(folder), read_document(folder, "store")["campaign"]
        plan = read_document(folder, "plan")
        planned |= dict.fromkeys(plan["runs"])
        for entry in plan["skipped"]:
            run = Run.of_document(entry["spec"])
            skipped[run.id] = {**skipped_row(run, entry["reason"]), "campaign": campaign}
        survey = store.survey(store.ids())
        corrupt += [(str(store.path(run_id)), reason) for run_id, reason in survey.corrupt]
        made_by, without = session.read_some(folder, (one.session for one in survey.done))
        sessions |= made_by
        lost += without
        for record in survey.done:
            row: Row = {**row_of(record, made_by.get(record.session)), "campaign": campaign}
            found.setdefault(record.run.id, (record, row))
            places.setdefault(record.run.id, store)
    rows = [row for _, row in found.values()]
    for group in group_by(rows, problem).values():  # of an instance, in whatever order of its jobs
        _doubt(group, lambda run_id: priced_again(found[run_id][0].run, places[run_id]))
        reached = any(row["objective"] is not None for row in group)
        for row in group:
            if row["stop"] == Stop.INFEASIBLE and reached:
                _refute(row, "says infeasible, which another run's solution refutes")
    share_bounds(rows)
    for row in rows:
        row["quality"] = quality(row)
    _name(rows)
    return Collected(
        rows=rows,
        skipped=[row for run_id, row in skipped.items() if run_id not in found],
        trajectories=[
            {
                **{key: row.get(key) for key in TRAJECTORY},
                "seconds": row["total_s"],
                "events": [vars(event) for event in record.result.events],
            }
            for record, row in found.values()
        ],
        corrupt=corrupt,
        sessions=sessions,
        lost=lost,
        missing=[run_id for run_id in planned if run_id not in found],
    )


def _doubt(group: list[Row], cost_again: Callable[[str], float | None]) -> None:
    """
    Price solutions again whose cost refutes a bound: one of the two records is wrong.

    `cost_again` gives the cost of the solution in a record, None if it cannot be checked.
    """
    bounds = [row["bound"] for row in group if row["bound"] is not None]
    for row in sorted(group, key=lambda row: inf if row["objective"] is None else row["objective"]):
        claimed = row["objective"]
        if claimed is None or not any(contradicts(claimed, bound) for bound in bounds):
            return
        cost = cost_again(row["run_id"])
        if cost is None or abs(cost - claimed) > TOLERANCE * max(1.0, abs(cost)):
            costs = "cannot be checked" if cost is None else f"costs {cost:.15g}"
            row["objective"] = row["own_gap"] = None
            _refute(row, f"its record says {claimed:.15g}, the solution {costs}")


def _refute(row: Row, reason: str) -> None:
    row["status"] = "wrong"
    row["message"] = "; ".join(filter(None, [row["message"], reason]))


LIMITS = {  # columns that tell runs of a method apart -> how they are told in its name
    "time_limit": "{} s",
    "gap_limit": "gap {}",
    "memory_limit_mb": "{} MB",
    "timing": "{}",
}


def _name(rows: Sequence[Row]) -> None:
    """Name methods by what they differ in besides the specification."""
    several = len({row["threads"] for row in rows}) > 1
    sources: dict[str, set[str | None]] = {}
    for row in rows:
        sources.setdefault(row["spelling"], set()).add(row.get("plugins"))
    for row in rows:
        parts = [row["environment"]] if row["environment"] else []
        parts += [f"{row['threads']} threads"] if several else []
        if len(sources[row["spelling"]]) > 1:
            found = json.loads(row.get("plugins") or "{}")
            parts += [source_text(source, digits=8) for source in found.values()]
        row["method"] += f" [{', '.join(parts)}]" if parts else ""
    for group in group_by(rows, lambda row: row["method"]).values():
        runs = {(problem(row), row["seed"], row["repetition"]) for row in group}
        if len(runs) < len(group):  # of several campaigns, or of one method with several limits
            apart = [key for key in LIMITS if len({row.get(key) for row in group}) > 1]
            for row in group:
                limits = ((key, row.get(key)) for key in apart)
                told = (
                    LIMITS[key].format(f"{limit:g}" if isinstance(limit, float) else limit)
                    for key, limit in limits
                )
                row["method"] += f" [{', '.join(told)}]" if apart else ""
