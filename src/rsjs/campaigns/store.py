"""
The folder of a campaign: one folder per run, each written aside and then given its name.

    store.json          format, and the versions that its runs are made with
    campaign.toml       the campaign as last run
    plan.json           its runs and what it skips, as last expanded
    instances/          problems by sha256, drawn once; index.json: what was drawn or read ->
                        sha256; instance, seed -> sha256 of the permuted instance
    methods/            functions of Python that were compared, pickled: NAME-DIGEST.pkl
    runs/ab/<id>/       records of runs, see `records`
    sessions/           one file for each `rsjs run`, see `session`
    scratch/<id>/       a run in progress
    claims/<id>         locked by whoever carries out that run
    corrupt/            records that could not be read, moved aside
    replaced/           records of runs that were carried out again on request, moved aside

Any number of processes may work on a store: who holds the lock on a claim carries out the run, and
the lock ends with the process that holds it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rsjs.campaigns import records, schema_files
from rsjs.campaigns.records import Record
from rsjs.campaigns.run import Run
from rsjs.campaigns.schema_files import Document
from rsjs.core.errors import InputError, NewerFormat, described, escaped
from rsjs.instances.io.files import write_bytes
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.transform import permuted
from rsjs.runs.kinds.base import Kind, kind

if TYPE_CHECKING:
    from rsjs.campaigns.environments import Environment
    from rsjs.campaigns.runner import Prepared
    from rsjs.campaigns.sources import Source
    from rsjs.campaigns.spec import Campaign

STORE, CAMPAIGN, INDEX = "store.json", "campaign.toml", "instances/index.json"
SHIPPED = "methods"


@dataclass(frozen=True)
class Survey:
    """Survey of some runs in a store."""

    done: list[Record] = field(default_factory=list)
    corrupt: list[tuple[str, str]] = field(default_factory=list)  # id, reason
    missing: list[str] = field(default_factory=list)  # ids of runs without a record
    again: list[str] = field(default_factory=list)  # ids of those to be carried out again
    # of those that are done: id -> file of a session, and which cannot be read with the reason
    sessions: dict[str, Document] = field(default_factory=dict)
    lost: list[tuple[str, str]] = field(default_factory=list)


class Store:
    """The records in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def path(self, run_id: str) -> Path:
        """Return the folder of a run's record."""
        return self.folder / "runs" / run_id[:2] / run_id

    def scratch(self, run_id: str) -> Path:
        """Return the folder in which a run is carried out and its record written."""
        return self.folder / "scratch" / run_id

    def ids(self) -> list[str]:
        """Return the ids of all records."""
        return sorted(path.name for path in (self.folder / "runs").glob("??/*"))

    def survey(
        self, ids: Sequence[str], repeats: Callable[[Record], bool] = lambda _: False
    ) -> Survey:
        """Read records of runs, of which some are to be carried out again, and their sessions."""
        found = Survey()
        for run_id in ids:
            path = self.path(run_id)
            if not path.exists() and not path.is_symlink():
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
        for name in sorted({record.session for record in found.done}):
            try:
                path = self.folder / "sessions" / f"{name}.json"
                found.sessions[name] = schema_files.read(path, "session")
            except NewerFormat:
                raise
            except InputError as error:
                found.lost.append((name, str(error)))
        return found

    def set_aside(self, run_id: str, part: str) -> None:
        """Move a record out of the way, into a part of the store."""
        place = self.folder / part / f"{run_id}-{time.time_ns()}"
        place.parent.mkdir(parents=True, exist_ok=True)
        self.path(run_id).rename(place)

    @contextmanager
    def claimed(self, run_id: str) -> Iterator[Path | None]:
        """Yield an empty folder for a run and remove it; None if the run is taken or done."""
        path, scratch = self.folder / "claims" / run_id, self.scratch(run_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = _lock(path)
        if lock is None:
            yield None
            return
        try:
            _remove(scratch)  # of a process that was killed
            if self.path(run_id).exists():
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
        for part in ("scratch", "claims"):
            for path in [*(self.folder / part).glob("*")]:
                with self.claimed(path.name):
                    pass


def _remove(folder: Path) -> None:
    """Remove a folder, also where a run has taken the permissions from it or folders in it."""
    places = [folder]
    for place in places:
        with suppress(OSError):
            place.chmod(0o700)
            places += [one for one in place.iterdir() if one.is_dir() and not one.is_symlink()]
    shutil.rmtree(folder, ignore_errors=True)


def _lock(path: Path) -> int | None:
    """A descriptor that holds the lock on a file; None if another process holds it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:  # a file system without locks
            os.close(descriptor)
            raise
        with suppress(FileNotFoundError):
            if os.fstat(descriptor).st_ino == path.stat().st_ino:
                return descriptor
        os.close(descriptor)  # removed by the one who held it before: try the new file


def instance_file(store: Path, sha256: str) -> Path:
    """Return where the instance of that digest is, or would be, in the folder of a store."""
    return store / "instances" / f"{sha256}.json.gz"


def refuse_other(problem: Any, sha256: str, path: str | Path) -> None:
    """Raise InputError if a file holds another instance than the one it is named for."""
    if problem.digest != sha256:
        found = described(f"{problem.name} of sha256 {problem.digest}")
        raise InputError("", found, f"the instance of sha256 {sha256}", path)


class InstanceStore:
    """The instances of a kind in the folder of a store; without one in a temporary folder."""

    def __init__(self, store: Path | None, name: Kind = "instance") -> None:
        if store is None:
            self._temporary = TemporaryDirectory(prefix="rsjs-")
            store = Path(self._temporary.name)
        self._store, self._kind = store.absolute(), kind(name)
        self._index: Document = {"drawn": {}, "permuted": {}}
        with suppress(InputError):  # not there, or damaged: drawn again
            self._index = read_index(self._store / INDEX)
        self.loaded = lru_cache(maxsize=8)(self._load)

    def path(self, sha256: str) -> Path:
        """Return the file of an instance."""
        return instance_file(self._store, sha256)

    def entry(self, source: Source) -> Document:
        """Return sha256, name, nodes and jobs of a source's instance, drawn if it is missing."""
        entry: Document = self._index["drawn"].get(source.key)
        if entry is None or not self.path(entry["sha256"]).exists():
            problem = source.make()
            nodes, jobs = self._kind.size(problem)
            entry = {"sha256": problem.digest, "name": problem.name, "nodes": nodes, "jobs": jobs}
            self._keep(problem)
            self._index["drawn"][source.key] = entry
        return entry

    def permuted(self, sha256: str, seed: int) -> str:
        """Return the sha256 of the instance in the order drawn by a seed; 0 = as it is."""
        if seed == 0:
            return sha256
        key = f"{sha256} {seed}"
        known: str | None = self._index["permuted"].get(key)
        if known is None or not self.path(known).exists():
            instance = permuted(self.loaded(sha256), seed).instance
            self._keep(instance)
            known = self._index["permuted"][key] = instance.digest
        return known

    def save(self) -> None:
        """Keep the index, if it has changed."""
        _write_if_new(json.dumps(self._index), self._store / INDEX)

    def _keep(self, problem: Any) -> None:
        if not self.path(problem.digest).exists():
            self._kind.write(problem, self.path(problem.digest))

    def _load(self, sha256: str) -> Any:
        found = self._kind.read(self.path(sha256))
        refuse_other(found, sha256, self.path(sha256))
        return found


def read_index(path: Path) -> dict[str, Any]:
    """Return the index of a store; an InputError tells what is wrong with it."""
    index: dict[str, Any] = read_json(path)
    fit(index, schema_files.schema("index"), path)
    return index


def open_store(folder: Path, campaign: Campaign, environments: Mapping[str, Environment]) -> None:
    """
    Begin a store in a folder, or check that an existing one has these versions.

    InputError for other files, a newer format, another campaign, or runs of other versions.
    """
    path = folder / STORE
    document: Document = {"format": schema_files.name("store"), "campaign": campaign.name}
    document["versions"] = {}
    if path.exists():
        document = read_document(folder, "store")
    elif folder.is_dir() and any(folder.iterdir()) and not (folder / INDEX).is_file():
        found = described("a folder with other files")
        raise InputError("", found, "a store of `rsjs run`, or no such folder", folder)
    if document["campaign"] != campaign.name:
        expected = f"{campaign.name!r}: a folder is for one campaign"
        raise InputError("/campaign", document["campaign"], expected, path)
    for name, environment in environments.items():
        known = document["versions"].setdefault(name, {})
        now = {"rsjs-bench": environment.rsjs_version, **environment.solvers}
        for package, version in now.items():
            if known.setdefault(package, version) != version:
                at = f"/versions/{escaped(name)}/{escaped(package)}"
                expected = f"{version} as installed: another folder, or that version installed"
                raise InputError(at, known[package], expected, path)
    _write_if_new(document, path)


def discard(folder: Path) -> None:
    """Remove a store that has just been begun in an empty folder, with its instances."""
    (folder / STORE).unlink(missing_ok=True)
    shutil.rmtree(folder / "instances", ignore_errors=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def write_plan(folder: Path, prepared: Prepared) -> None:
    """Keep the campaign and what it comes to."""
    document = {
        "format": schema_files.name("plan"),
        "campaign": prepared.campaign.name,
        "runs": [run.id for run in prepared.runs],
        "skipped": [
            {"spec": run.as_document(), "reason": reason}
            for run, reason in prepared.skipped.items()
        ],
    }
    _write_if_new(prepared.campaign.text, folder / CAMPAIGN)
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
