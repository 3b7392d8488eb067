"""The records of one store or several as rows, with what the runs say of each other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rsjs.experiments import comparison
from rsjs.experiments.campaigns import manifest, session
from rsjs.experiments.campaigns.record_rows import row_of, skipped_row
from rsjs.experiments.campaigns.records import Record
from rsjs.experiments.campaigns.runs import Run
from rsjs.experiments.campaigns.statuses import quality
from rsjs.experiments.campaigns.store import Store
from rsjs.experiments.comparison import Row
from rsjs.experiments.problems import problem
from rsjs.instances.entry_points import source_text
from rsjs.instances.solution import Stop


@dataclass(frozen=True, kw_only=True)
class Collected:
    """
    What stores hold.

    Attributes
    ----------
    rows : list of Row
        Runs that were carried out.
    skipped : list of Row
        Runs that were not: what was asked, and in `message` why not.
    courses : list of mapping
        instance, instance_sha256, method, seed, best_bound, seconds and events of each run.
    corrupt : list of (path, reason)
    sessions : mapping
        Id -> file of a session, of those that can be read.
    lost : list of (id, reason)
        Sessions whose file cannot be read: their rows lack what it told.
    missing : list of str
        Ids of runs that a plan has and no store.
    """

    rows: list[Row] = field(default_factory=list)
    skipped: list[Row] = field(default_factory=list)
    courses: list[dict[str, Any]] = field(default_factory=list)
    corrupt: list[tuple[str, str]] = field(default_factory=list)
    sessions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lost: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def collect(folders: Sequence[Path]) -> Collected:
    """
    The rows of one store, or of several as of one: a run that two stores have counts once.

    Raises
    ------
    InputError
        For a folder that is no store, or one that a newer version wrote.
    """
    found: dict[str, tuple[Record, Row]] = {}
    planned: dict[str, None] = {}
    skipped: dict[str, Row] = {}
    corrupt: list[tuple[str, str]] = []
    lost: list[tuple[str, str]] = []
    sessions: dict[str, Mapping[str, Any]] = {}
    for folder in folders:
        store, campaign = Store(folder), manifest.read(folder, "store")["campaign"]
        plan = manifest.read(folder, "plan")
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
            row = {**row_of(record, made_by.get(record.session)), "campaign": campaign}
            found.setdefault(record.run.id, (record, row))
    rows = [row for _, row in found.values()]
    _share(rows)
    _name(rows)
    return Collected(
        rows=rows,
        skipped=[row for run_id, row in skipped.items() if run_id not in found],
        courses=[_course(record, row) for record, row in found.values()],
        corrupt=corrupt,
        sessions=sessions,
        lost=lost,
        missing=[run_id for run_id in planned if run_id not in found],
    )


def _share(rows: Sequence[Row]) -> None:
    """Bounds between the runs of an instance, in whatever order its jobs stood; false claims."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(problem(row), []).append(row)
    for group in groups.values():
        reached = any(row["objective"] is not None for row in group)
        for row in group:
            if row["stop"] == Stop.INFEASIBLE and reached:
                row["status"] = "wrong"
                told = "says infeasible, which another run's decision refutes"
                row["message"] = "; ".join(filter(None, [row["message"], told]))
        comparison.share_bounds(group)
    for row in rows:
        row["quality"] = quality(row)


def _name(rows: Sequence[Row]) -> None:
    """Methods by what they differ in besides the spelling."""
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


def _course(record: Record, row: Row) -> dict[str, Any]:
    return {
        **{key: row[key] for key in ("run_id", "instance", "instance_sha256", "method", "seed")},
        "best_bound": row["best_bound"],
        "seconds": row["total_s"],
        "events": [vars(event) for event in record.result.events],
    }
