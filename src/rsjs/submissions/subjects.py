"""
Instances and workloads that a submission may be about, by sha256.

Those of the library are drawn, those with best-known values made again; any other comes with the
submission. Such a one is of the family `other`, whatever generator it names: no generator is run
with the parameters in a stranger's file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from rsjs.bks import storage
from rsjs.bks.entries import CLOSED, BestKnown, Step
from rsjs.bks.merge import NAME
from rsjs.bks.regenerate import made_again
from rsjs.bks.storage import KnownValue
from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io import deserialization
from rsjs.instances.io.serialization import INSTANCE, WORKLOAD
from rsjs.instances.io.strict_json import Reader
from rsjs.instances.library.sets import Member, library_set, names
from rsjs.submissions.files import Files

OTHER = "other"
SUMMARY = "the best-known values"  # whose a value of a wheel is
Subject = Instance | Workload


@dataclass(frozen=True, kw_only=True)
class Known:
    """What the suite knows of instances: the library, and a folder of best-known values."""

    entries: Mapping[str, BestKnown] = field(repr=False)
    values: Mapping[str, KnownValue] = field(repr=False)  # of a wheel, which has no entries

    @staticmethod
    def of(folder: Path | None = None) -> Known:
        """Read the best-known values of a folder; by default those here, of sources or wheel."""
        place = folder or storage.known_here()
        if any(place.glob("*.jsonl")):
            return Known(entries=storage.read(place), values={})
        return Known(entries={}, values={} if folder else storage.values(place.absolute()))

    def cost(self, sha256: str) -> tuple[float, str] | None:
        """Return the lowest cost that is known [$], and whose it is."""
        entry, value = self.entries.get(sha256), self.values.get(sha256)
        if entry is not None and entry.cost is not None:
            return entry.cost.value, _told(entry.cost)
        return None if value is None or value.value is None else (value.value, SUMMARY)

    def bound(self, sha256: str) -> tuple[float, str] | None:
        """Return the greatest lower bound that is known [$], and whose it is."""
        entry, value = self.entries.get(sha256), self.values.get(sha256)
        if entry is not None and entry.bound is not None:
            return entry.bound.value, _told(entry.bound)
        return None if value is None or value.bound is None else (value.bound, SUMMARY)

    def closed(self, sha256: str) -> bool:
        """Return whether the bound proves the cost to be the optimum."""
        entry, value = self.entries.get(sha256), self.values.get(sha256)
        return entry.closed if entry else value is not None and value.status == CLOSED

    def family(self, sha256: str) -> str:
        """Return the family of an instance: its generator, or `other`."""
        if (entry := self.entries.get(sha256)) is not None:
            return entry.family
        found = members().get(sha256)
        return OTHER if found is None else found[0].generator

    def subject(self, sha256: str) -> Subject | None:
        """Return an instance or a workload; None if it has to come with the submission."""
        if sha256 in members():
            return _drawn(sha256)
        return made_again(self.entries[sha256]) if sha256 in self.entries else None

    def refuse_name(self, subject: Subject, path: Path) -> None:
        """Refuse an instance by a name that names no file, or that another instance has."""
        name = subject.name
        if not re.fullmatch(NAME, name, re.ASCII) or len(name) > 150:
            raise InputError("/name", name, f"text like {NAME}: it names files", path)
        taken = {entry.instance: sha256 for sha256, entry in self.entries.items()}
        if (other := taken.get(name) or _names().get(name, subject.digest)) != subject.digest:
            raise InputError("/name", name, f"another name: that is of {other}", path)


def _told(step: Step) -> str:
    """Return whose a best-known value is, and how many confirm it."""
    source = step.name if step.run_id is None else f"{step.name}, {step.source}"
    witnesses = len(step.confirmed_by)
    return f"{source}, confirmed by {witnesses}" if witnesses else source


@cache
def members() -> Mapping[str, tuple[Member, tuple[str, ...]]]:
    """Return the instances and workloads of the library by sha256, with the names of their sets."""
    found: dict[str, tuple[Member, tuple[str, ...]]] = {}
    for name in names():
        for member in library_set(name).members:
            if member.kind == "MIG jobs":
                continue
            first, sets = found.get(member.sha256, (member, ()))
            found[member.sha256] = first, (*sets, name)
    return found


@cache
def _names() -> Mapping[str, str]:
    return {member.name: sha256 for sha256, (member, _) in members().items()}


@lru_cache(maxsize=64)
def _drawn(sha256: str) -> Subject:
    drawn = members()[sha256][0].draw()
    assert isinstance(drawn, Instance | Workload), "no set of MIG jobs"
    return drawn


def sets_of(sha256: str) -> tuple[str, ...]:
    """Return the names of the library's sets that an instance is in."""
    found = members().get(sha256)
    return () if found is None else found[1]


def read(files: Files, name: str, known: Known) -> Subject:
    """Read an instance or a workload that comes with a submission, named by its sha256."""
    path = files.path(name)
    document = parsed(files, name)
    builders: Mapping[str, Callable[[dict[str, Any]], Subject]] = {
        INSTANCE: deserialization.to_instance,
        WORKLOAD: deserialization.to_workload,
    }
    if document["format"] not in builders:
        raise InputError("/format", document["format"], " or ".join(builders), path)
    try:
        subject = builders[document["format"]](document)
    except InputError as error:
        raise error.at(path) from None
    sha256 = Path(name).name.partition(".")[0]
    if subject.digest != sha256:
        found = described(f"{subject.name} of sha256 {subject.digest}")
        expected = f"the instance of sha256 {sha256}: name the file by its sha256"
        raise InputError("", found, expected, path)
    known.refuse_name(subject, path)
    return subject


def parsed(files: Files, name: str) -> dict[str, Any]:
    """Return the JSON document in a file that fits the schema of the format it names."""
    path = files.path(name)
    try:
        return Reader(Path(str(path).removesuffix(".gz")), files.text(name)).document()
    except InputError as error:
        raise error.at(path) from None
