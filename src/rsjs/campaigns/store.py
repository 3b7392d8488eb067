"""
The folder of a campaign: one folder per run, each written aside and then given its name.

    store.json          format, and the versions that its runs are made with
    campaign.toml       the campaign as last run
    plan.json           its runs and what it skips, as last expanded
    instances/          see `instance_store`
    runs/ab/<id>/       records of runs, see `records`
    sessions/           one file for each `rsjs run`, see `provenance`
    scratch/<id>/       a run in progress
    claims/<id>         locked by whoever carries out that run
    corrupt/            records that could not be read, moved aside
    replaced/           records of runs that were carried out again on request, moved aside

Any number of processes may work on a store: who holds the lock on a claim carries out the run, and
the lock ends with the process that holds it.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.campaigns import records, schema_files
from rsjs.campaigns.records import Record
from rsjs.campaigns.run import Run
from rsjs.campaigns.schema_files import Document
from rsjs.core.errors import InputError, NewerFormat, described, escaped
from rsjs.instances.io.files import write_bytes

if TYPE_CHECKING:
    from rsjs.campaigns.environments import Environment
    from rsjs.campaigns.runner import Plan
    from rsjs.campaigns.spec import Campaign

STORE, CAMPAIGN = "store.json", "campaign.toml"
CORRUPT, REPLACED = "corrupt", "replaced"


@dataclass(frozen=True)
class Survey:
    """What a store has of some runs."""

    done: list[Record] = field(default_factory=list)
    corrupt: list[tuple[str, str]] = field(default_factory=list)  # id, reason
    missing: list[str] = field(default_factory=list)  # ids of runs without a record
    again: list[str] = field(default_factory=list)  # ids of those to be carried out again


class Store:
    """The records in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def path(self, run_id: str) -> Path:
        """The record of a run, if it is there."""
        return self.folder / "runs" / run_id[:2] / run_id

    def scratch(self, run_id: str) -> Path:
        """Where a run is carried out and its record written."""
        return self.folder / "scratch" / run_id

    def ids(self) -> list[str]:
        """Of all records."""
        return sorted(path.name for path in (self.folder / "runs").glob("??/*"))

    def survey(
        self, ids: Sequence[str], repeats: Callable[[Record], bool] = lambda _: False
    ) -> Survey:
        """Read the records of some runs, of which some are to be carried out again."""
        found = Survey()
        for run_id in ids:
            path = self.path(run_id)
            if not path.exists():
                found.missing.append(run_id)
                continue
            try:
                record = records.read(path)
                if repeats(record):
                    found.again.append(run_id)
                else:
                    found.done.append(record)
            except NewerFormat:
                raise
            except InputError as error:
                found.corrupt.append((run_id, str(error)))
        return found

    def set_aside(self, run_id: str, part: str) -> None:
        """Move a record out of the way, into a part of the store."""
        place = self.folder / part / f"{run_id}-{time.time_ns()}"
        place.parent.mkdir(parents=True, exist_ok=True)
        self.path(run_id).rename(place)

    @contextmanager
    def claimed(self, run: Run) -> Iterator[Path | None]:
        """
        An empty scratch folder for a run that nobody else carries out or has carried out.

        None if somebody does or has; the folder is removed afterwards.
        """
        path = self.folder / "claims" / run.id
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = _locked(path)
        if lock is None:
            yield None
            return
        scratch = self.scratch(run.id)
        try:
            _remove(scratch)  # of a process that was killed
            if self.path(run.id).exists():
                yield None
            else:
                (scratch / "work").mkdir(parents=True)
                (scratch / "record").mkdir()
                yield scratch
        finally:
            _remove(scratch)
            path.unlink(missing_ok=True)
            os.close(lock)

    def commit(self, run: Run) -> None:
        """Give the record in a run's scratch folder its name: from now on it is there."""
        path = self.path(run.id)
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.scratch(run.id) / "record").rename(path)
        if run.isolation == "process":
            descriptor = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def sweep(self) -> None:
        """Remove what killed processes left: scratch folders and claims that nobody holds."""
        parts = (self.folder / "scratch", self.folder / "claims")
        for run_id in {path.name for part in parts for path in part.glob("*")}:
            path = self.folder / "claims" / run_id
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = _locked(path)
            if lock is not None:
                _remove(self.scratch(run_id))
                path.unlink(missing_ok=True)
                os.close(lock)


def _remove(folder: Path) -> None:
    """Remove a folder, also where a run has taken the permissions from it or folders in it."""
    with suppress(OSError):
        folder.chmod(0o700)
    for place, folders, _ in os.walk(folder):
        for path in (Path(place, name) for name in folders):
            with suppress(OSError):
                if not path.is_symlink():
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _locked(path: Path) -> int | None:
    """A descriptor that holds the lock on a file; None if another process holds it."""
    import fcntl

    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        with suppress(FileNotFoundError):
            if os.fstat(descriptor).st_ino == path.stat().st_ino:
                return descriptor
        os.close(descriptor)  # removed by the one who held it before: try the new file


def open_store(folder: Path, campaign: Campaign, environments: Mapping[str, Environment]) -> None:
    """
    Begin a store in a folder, or make sure that one there goes on with the same versions.

    Raises
    ------
    InputError
        If the folder holds something else, a store of a newer format, runs of other versions, or
        another campaign.
    """
    path = folder / STORE
    now = {
        name: {"rsjs-bench": environment.rsjs_version, **environment.solvers}
        for name, environment in environments.items()
    }
    if not path.exists():
        if folder.is_dir() and any(folder.iterdir()) and not (folder / "instances").is_dir():
            found = described("a folder with other files")
            raise InputError("", found, "a store of `rsjs run`, or no such folder", folder)
        new = {"format": schema_files.name("store"), "campaign": campaign.name, "versions": now}
        _write_if_new(new, path)
        return
    document = read_document(folder, "store")
    if document["campaign"] != campaign.name:
        expected = f"{campaign.name!r}: a folder is for one campaign"
        raise InputError("/campaign", document["campaign"], expected, path)
    versions = document["versions"]
    for name, packages in now.items():
        for package, version in packages.items():
            before = versions.get(name, {}).get(package, version)
            if before != version:
                at = f"/versions/{escaped(name)}/{escaped(package)}"
                expected = f"{version} as installed: another folder, or that version installed"
                raise InputError(at, before, expected, path)
    merged = {name: {**versions.get(name, {}), **found} for name, found in now.items()}
    _write_if_new({**document, "versions": {**versions, **merged}}, path)


def write_plan(folder: Path, campaign: Campaign, plan: Plan) -> None:
    """Keep the campaign and what it comes to."""
    document = {
        "format": schema_files.name("plan"),
        "campaign": campaign.name,
        "runs": [run.id for run in plan.runs],
        "skipped": [
            {"spec": run.as_document(), "reason": reason} for run, reason in plan.skipped.items()
        ],
    }
    _write_if_new(campaign.text, folder / CAMPAIGN)
    _write_if_new(document, folder / "plan.json")


def read_document(folder: Path, kind: str) -> Document:
    """Read store.json or plan.json of a store."""
    path = folder / f"{kind}.json"
    if not path.is_file():
        raise InputError("", described("No such file"), "a store of `rsjs run`", path)
    return schema_files.read(path, kind)


def _write_if_new(content: str | Document, path: Path) -> None:
    """A store that is finished may be read-only."""
    text = content if isinstance(content, str) else json.dumps(content, indent=1) + "\n"
    if not path.is_file() or path.read_bytes() != text.encode():
        write_bytes(text.encode(), path)
