"""The records of one store or several as rows, with what the runs say of each other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rsjs.campaigns.pool_worker import priced_again
from rsjs.campaigns.records import Record
from rsjs.campaigns.run import Run
from rsjs.campaigns.store import Store, read_document
from rsjs.core.entry_points import source_text
from rsjs.core.report import Stop
from rsjs.instances.check import TOLERANCE
from rsjs.rows.build import quality, row_of, share_bounds, skipped_row
from rsjs.rows.columns import Row
from rsjs.rows.select import epochs_known, group_by, is_reference, problem
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
    sessions: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    lost: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # ids of runs that a plan has and no store


def collect(folders: Sequence[Path]) -> Collected:
    """
    Return the rows of one store, or of several as of one: a run that two stores have counts once.

    InputError for a folder that is no store, or one that a newer version wrote.
    """
    found = Collected()
    records: dict[str, tuple[Record, Store]] = {}
    planned: dict[str, None] = {}
    skipped: dict[str, Row] = {}
    for folder in folders:
        store, campaign = Store(folder), read_document(folder, "store")["campaign"]
        plan = read_document(folder, "plan")
        planned |= dict.fromkeys(plan["runs"])
        for entry in plan["skipped"]:
            run = Run.of_document(entry["spec"])
            skipped[run.id] = {**skipped_row(run, entry["reason"]), "campaign": campaign}
        survey = store.survey(store.ids())
        found.corrupt.extend((str(store.path(run_id)), why) for run_id, why in survey.corrupt)
        found.sessions.update(survey.sessions)
        found.lost.extend(survey.lost)
        for record in survey.done:
            if record.run.id not in records:
                records[record.run.id] = record, store
                row = row_of(record, survey.sessions.get(record.session))
                found.rows.append({**row, "campaign": campaign})
    place = {run_id: number for number, run_id in enumerate(planned)}
    found.rows.sort(key=lambda row: place.get(row["run_id"], len(place)))  # the campaign's order
    for group in group_by(found.rows, problem).values():  # in whatever order of its jobs
        _doubt(group, records)
    share_bounds(found.rows)
    for row in found.rows:
        row["quality"] = quality(row)
    _name(found.rows)
    for row in found.rows:
        record, _ = records[row["run_id"]]
        trajectory = {key: row.get(key) for key in TRAJECTORY}
        events = [vars(event) for event in record.result.events]
        found.trajectories.append({**trajectory, "seconds": row["total_s"], "events": events})
    found.skipped.extend(row for run_id, row in skipped.items() if run_id not in records)
    found.missing.extend(run_id for run_id in planned if run_id not in records)
    return found


def _doubt(group: list[Row], records: Mapping[str, tuple[Record, Store]]) -> None:
    """
    Price solutions again whose cost refutes a bound: one of the two records is wrong.

    A solution whose cost holds refutes that there is none.
    """
    bound = max((row["bound"] for row in group if row["bound"] is not None), default=None)
    for row in group:
        claimed = row["objective"]
        if claimed is None or not contradicts(claimed, bound):
            continue
        record, store = records[row["run_id"]]
        cost = priced_again(record.run, store)
        if cost is None or abs(cost - claimed) > TOLERANCE * max(1.0, abs(cost)):
            costs = "cannot be checked" if cost is None else f"costs {cost:.15g}"
            row["objective"] = row["own_gap"] = None
            _refute(row, f"its record says {claimed:.15g}, the solution {costs}")
    if any(row["objective"] is not None for row in group):
        for row in group:
            if row["stop"] == Stop.INFEASIBLE:
                _refute(row, "says infeasible, which another run's solution refutes")


def _refute(row: Row, reason: str) -> None:
    row["status"] = "wrong"
    row["message"] = "; ".join(filter(None, [row["message"], reason]))


LIMITS = {  # columns that tell runs of a method apart -> how they are told in its name
    "time_limit": "{:g} s",
    "gap_limit": "gap {:g}",
    "memory_limit_mb": "{:g} MB",
    "timing": "{}",
}


def _name(rows: Sequence[Row]) -> None:
    """Name methods by what they differ in besides the specification."""
    several = len({row["threads"] for row in rows}) > 1
    for group in group_by(rows, lambda row: row["spelling"]).values():
        codes = {row.get("plugins") for row in group}
        for row in group:
            parts = [row["environment"]] if row["environment"] else []
            parts += [f"{row['threads']} threads"] if several else []
            parts += ["epochs known"] if epochs_known(row) and not is_reference(row) else []
            if len(codes) > 1:
                sources = json.loads(row.get("plugins") or "{}").values()
                parts += [source_text(source, digits=8) for source in sources]
            row["method"] += f" [{', '.join(parts)}]" if parts else ""
    for group in group_by(rows, lambda row: row["method"]).values():
        runs = {(problem(row), row["seed"], row["repetition"]) for row in group}
        if len(runs) < len(group):  # of several campaigns, or of one method with several limits
            apart = [key for key in LIMITS if len({row.get(key) for row in group}) > 1]
            for row in group:
                parts = [LIMITS[key].format(row.get(key)) for key in apart]
                row["method"] += f" [{', '.join(parts)}]" if apart else ""
