"""
The files of best-known values: `<family>.jsonl`, a line per instance, sorted by name.

A line is a JSON document of format `rsjs-best-known/2`: identity of the instance, best values,
their histories with who found and who confirmed each, a solution of the least cost, and the
instance itself if no generator of this package makes it. A changed value changes one line. A file
is written whole or not at all, and only if it changes.

They are in the source tree. A wheel has the values, bounds and statuses of the same instances by
sha256, in `SUMMARY`, which `setup.py` writes.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from rsjs.bks.entries import CLOSED, DOCUMENTS, OF_SOME, BestKnown, Document
from rsjs.campaigns import schema_files
from rsjs.core.errors import InputError, described, nearest
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import write_bytes
from rsjs.instances.io.serialization import canonical
from rsjs.instances.io.strict_json import read_json_lines
from rsjs.instances.library.sets import library_set, names

KIND = "best-known"
MOST_JOBS = 400  # of a member of a set; of larger ones nothing is asked for
HERE = Path("results/best_known")  # of a checkout, in the working folder
PACKAGE = Path(__file__).resolve().parents[1]
TREE = PACKAGE.parents[1] / HERE  # of the source tree that is imported
SUMMARY = PACKAGE / "best_known.json"  # of a wheel


_READ: ContextVar[Path | None] = ContextVar("reading", default=None)


class KnownValue(NamedTuple):
    """Best-known value of an instance."""

    value: float | None  # least cost [$]
    bound: float | None  # greatest lower bound [$]
    status: str  # "closed" if the bound proves the cost to be the optimum, otherwise "open"


def lookup(instance: Instance | Workload | str) -> KnownValue | None:
    """Return the best-known value of what is given, or has this sha256; None if none is known."""
    digest = instance if isinstance(instance, str) else instance.digest
    return values(known_here().absolute()).get(digest)


def optima() -> dict[str, float]:
    """Return the cost of each instance that is closed, by its sha256."""
    return {
        s: k.value for s, k in values(TREE).items() if k.status == CLOSED and k.value is not None
    }


@cache
def values(folder: Path) -> dict[str, KnownValue]:
    """Return the values in a folder by sha256, or those of the wheel without such a folder."""
    if not folder.is_dir():
        summary = json.loads(SUMMARY.read_text("utf-8")) if SUMMARY.exists() else {}
        return {sha256: KnownValue(*known) for sha256, known in summary.items()}
    heads = {sha256: entry.heads() for sha256, entry in read(folder).items()}
    return {
        s: KnownValue(h["upper_bound"], h["lower_bound"], h["status"]) for s, h in heads.items()
    }


def known_here() -> Path:
    """Return the folder with the histories: `HERE` if it is there, else the source tree's."""
    return _READ.get() or (TREE if TREE.is_dir() and not HERE.is_dir() else HERE)


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Take a folder of best-known values for `known_here`, if it is one."""
    token = _READ.set(folder if folder.is_dir() else None)
    try:
        yield
    finally:
        _READ.reset(token)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder for one process at a time; a new folder is kept if something was written."""
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # ends with the process that holds it
        yield
    finally:
        if new:
            with suppress(OSError):  # no longer empty
                folder.rmdir()
        os.close(descriptor)


def families(folder: Path) -> list[Path]:
    """Return the files with values; InputError if there are none."""
    found = sorted(folder.glob("*.jsonl"))
    if not found:
        expected = "*.jsonl: --folder names that of the sources; see `rsjs bks update`"
        raise InputError("", described("no best-known values"), expected, folder)
    return found


def read_family(path: Path) -> list[Document]:
    """Return the documents on the lines of a file; an InputError names file, line and key."""
    documents = read_json_lines(path)
    for number, document in enumerate(documents, start=1):
        try:
            schema_files.checked(document, KIND, path)
        except InputError as error:
            where = f"line {number}{error.pointer}"
            raise type(error)(where, error.value, error.expected, path) from None
    return documents


def read(folder: Path) -> dict[str, BestKnown]:
    """Return everything known by sha256 of the instance, sorted by name; InputError if nothing."""
    documents = (document for path in families(folder) for document in read_family(path))
    entries = sorted(map(BestKnown.of_document, documents), key=lambda entry: entry.instance)
    return {entry.sha256: entry for entry in entries}


def named(known: Iterable[BestKnown], instance: str) -> BestKnown:
    """Return the entry of an instance; an unknown name is refused with the nearest known ones."""
    entries = {entry.instance: entry for entry in known}
    if instance not in entries:
        raise InputError("", instance, f"an instance, e.g. {nearest(instance, entries)}")
    return entries[instance]


def write(folder: Path, known: Iterable[BestKnown]) -> None:
    """Write everything known."""
    entries = sorted(known, key=lambda entry: (entry.family, entry.instance))
    for family, members in groupby(entries, key=lambda entry: entry.family):
        path, data = folder / f"{family}.jsonl", "".join(map(as_line, members)).encode()
        if not path.is_file() or path.read_bytes() != data:
            write_bytes(data, path)
    values.cache_clear()


def as_line(entry: BestKnown) -> str:
    """Return the line of an entry, with its line end."""
    documents = {
        key: canonical(document)
        for key in DOCUMENTS
        if (document := getattr(entry, key)) is not None or key not in OF_SOME
    }
    document = {"format": schema_files.name(KIND), **entry.as_document(), **documents}
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


def solu(known: Iterable[BestKnown]) -> list[str]:
    """Return lines as MIPLIB has them, =opt= or =best= with the least cost, or =unkn=, by name."""
    lines = []
    for entry in sorted(known, key=lambda entry: entry.instance):
        if entry.cost is None:
            lines.append(f"=unkn=  {entry.instance}")
        else:
            word = "=opt=" if entry.closed else "=best="
            lines.append(f"{word}  {entry.instance} {entry.cost.value!r}")
    return lines


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Coverage of a set by best-known values: its instances of at most `MOST_JOBS` jobs."""

    name: str
    members: int
    closed: int  # whose least cost is proved
    confirmed: int  # closed ones that another method or solver proves, too
    two_solvers: int  # closed ones that two solvers prove
    certified: int  # whose greatest bound has a certificate, open ones among them
    open: int  # with a cost or a bound, and a gap
    unknown: int  # members without any value
    gap: float | None  # largest of the open ones; 1 where cost or bound is missing


def coverage(known: Iterable[BestKnown]) -> list[Coverage]:
    """
    Return a row per set that has instances of at most `MOST_JOBS` jobs, and one for all of these.

    Sets of workloads have one once there is a value of a member.
    """
    entries = {entry.sha256: entry for entry in known}
    sets: dict[str, set[str]] = {}
    every: set[str] = set()  # instance
    of_workloads: dict[str, set[str]] = {}
    for name in names():
        members = library_set(name).members
        instances = {m.sha256 for m in members if m.kind == "instances" and m.jobs <= MOST_JOBS}
        workloads = {m.sha256 for m in members if m.kind == "workloads"}
        if entries.keys().isdisjoint(workloads):
            workloads.clear()
        (sets if instances else of_workloads)[name] = instances | workloads
        every |= instances
    rows = []
    for name, wanted in {**sets, "all": every, **of_workloads}.items():
        found = [entries[sha256] for sha256 in wanted if sha256 in entries]
        closed = [entry for entry in found if entry.closed]
        gaps = (entry.heads()["gap"] for entry in found if not entry.closed)
        row = Coverage(
            name=name,
            members=len(wanted),
            closed=len(closed),
            confirmed=sum(entry.confirmed for entry in closed),
            two_solvers=len(closed) - len(of_one_solver(closed)),
            certified=sum(entry.certificate is not None for entry in found),
            open=len(found) - len(closed),
            unknown=len(wanted) - len(found),
            gap=max((1.0 if gap is None else gap for gap in gaps), default=None),
        )
        rows.append(row)
    return [row for row in rows if row.members]


def unsettled(known: Iterable[BestKnown]) -> list[BestKnown]:
    """Return entries that are open, and those that a single method and solver closed."""
    return [entry for entry in known if not (entry.closed and entry.confirmed)]


def of_one_solver(known: Iterable[BestKnown]) -> list[BestKnown]:
    """Return closed entries that no two solvers prove."""
    return [entry for entry in known if entry.closed and len(entry.solvers) < 2]
