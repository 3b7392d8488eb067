"""What stores hold, campaign by campaign, and what speaks against publishing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rsjs.campaigns.collection import Collected, collect
from rsjs.campaigns.store import CAMPAIGN, read_document
from rsjs.core.errors import InputError, described
from rsjs.reporting.tables.formats import counted
from rsjs.rows.columns import Row
from rsjs.rows.select import failure, ordered


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One campaign: what was asked and what came of it."""

    name: str
    text: str  # the campaign file as last run
    stores: Sequence[Path]  # of its shards
    found: Collected
    sessions: Sequence[Mapping[str, Any]]  # the `rsjs run` that made its rows, in order of time

    @cached_property
    def rows(self) -> list[Row]:
        """Rows of all runs, in the order of `select.ordered`, whatever that of the stores."""
        return ordered(self.found.rows)

    @property
    def trajectories(self) -> list[dict[str, Any]]:
        """Trajectories of the rows, in their order."""
        of_run = {trajectory["run_id"]: trajectory for trajectory in self.found.trajectories}
        return [of_run[row["run_id"]] for row in self.rows]


def experiments(stores: Sequence[Path]) -> list[Experiment]:
    """
    Return the campaigns of stores by name; stores of one name are shards of one campaign.

    InputError for a folder that is no store, for what cannot be read, and for stores of one name
    with campaigns that differ.
    """
    shards: dict[str, list[Path]] = {}
    for folder in stores:
        shards.setdefault(read_document(folder, "store")["campaign"], []).append(folder)
    return [_experiment(name, folders) for name, folders in sorted(shards.items())]


def _experiment(name: str, folders: Sequence[Path]) -> Experiment:
    found = collect(folders)
    for path, reason in found.corrupt:
        raise InputError("", described(f"a corrupt record: {reason}"), "sound records", path)
    if not found.rows:
        raise InputError("", described("no records"), "runs; see `rsjs run`", folders[0])
    texts = {(folder / CAMPAIGN).read_text("utf-8") for folder in folders}
    if len(texts) > 1:
        told = described(f"{len(texts)} campaigns that differ")
        raise InputError("", told, f"one campaign of the name {name}", folders[-1])
    for session, reason in found.lost:
        told = described(f"session {session}: {reason}")
        raise InputError("", told, "sound sessions", folders[0])
    return Experiment(
        name=name,
        text=texts.pop(),
        stores=folders,
        found=found,
        sessions=sorted(found.sessions.values(), key=lambda one: (one["begun"], one["id"])),
    )


def doubts(found: Sequence[Experiment]) -> list[str]:
    """Return what keeps others from trusting the results or making them again, in sentences."""
    rows = [row for experiment in found for row in experiment.rows]
    missing = sum(len(experiment.found.missing) for experiment in found)
    failed = Counter(filter(None, map(failure, rows)))
    dirty = sum(row["dirty"] is True for row in rows)
    told = [f"{counted(missing, 'run')} of the plan not carried out."] if missing else []
    if failed:
        causes = ", ".join(f"{count} {cause}" for cause, count in sorted(failed.items()))
        told.append(f"{counted(failed.total(), 'run')} failed: {causes}.")
    if dirty:
        told.append(f"{counted(dirty, 'run')} made from source with changes that no commit holds.")
    for key, what in (("commit", "commits"), ("rsjs_version", "versions")):
        values = sorted({str(row.get(key)) for row in rows})
        if len(values) > 1:
            told.append(f"Runs made at several {what}: {', '.join(values)}.")
    return told


def last_session(found: Sequence[Experiment]) -> Mapping[str, Any]:
    """Return the session that began last: its commit and date are those of the archive."""
    every = [one for experiment in found for one in experiment.sessions]
    return max(every, key=lambda one: (one["begun"], one["id"]))
