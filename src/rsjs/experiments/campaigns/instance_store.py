"""
The instances or workloads of a store: drawn once, kept under their sha256, found again without
drawing them.

    instances/<sha256>.json.gz
    instances/index.json        what was drawn or read -> sha256; instance, seed -> permuted sha256
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rsjs.experiments.campaigns.instance_files import refuse_other
from rsjs.experiments.campaigns.sources import Source
from rsjs.experiments.simulations import refusal
from rsjs.instances.documents import INSTANCE, SOLUTION, WORKLOAD
from rsjs.instances.errors import InputError
from rsjs.instances.files import SolutionFile, read_any, write_bytes, write_instance, write_workload
from rsjs.instances.permutation import permuted
from rsjs.instances.schema import Instance, Workload
from rsjs.methods import Request


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What is known of an instance without reading it."""

    sha256: str
    name: str
    nodes: int
    jobs: int


class InstanceStore:
    """
    The instances in the folder of a store; with no folder they are kept in memory alone.

    Parameters
    ----------
    folder : path or None
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else folder.absolute() / "instances"
        self._index = self._read()
        self._read_before = json.dumps(self._index)
        self._made: dict[str, Instance | Workload] = {}
        self._loaded = lru_cache(maxsize=8)(self._load)

    def path(self, sha256: str) -> Path:
        """The file of an instance."""
        assert self.folder is not None
        return self.folder / f"{sha256}.json.gz"

    def entry(self, source: Source) -> Entry:
        """The instance that a source stands for, drawn if it is not there."""
        known = self._index["drawn"].get(source.key)
        if known is not None and self._is_kept(known["sha256"]):
            return Entry(**known)
        instance = source.make()
        entry = Entry(
            sha256=self._keep(instance),
            name=instance.name,
            nodes=instance.cluster.nodes,
            jobs=len(instance.jobs),
        )
        self._index["drawn"][source.key] = asdict(entry)
        return entry

    def permuted(self, entry: Entry, seed: int) -> str:
        """sha256 of the instance in the order that a seed draws; 0 = as it is."""
        if seed == 0:
            return entry.sha256
        key = f"{entry.sha256} {seed}"
        known: str | None = self._index["permuted"].get(key)
        if known is None or not self._is_kept(known):
            instance = self._loaded(entry.sha256)
            assert isinstance(instance, Instance)
            known = self._keep(permuted(instance, seed).instance)
            self._index["permuted"][key] = known
        return known

    def refusal(self, request: Request, entry: Entry) -> str | None:
        """Why a method does not serve an instance, or a policy a workload; None if it does."""
        subject = self._loaded(entry.sha256)
        if isinstance(subject, Workload):
            return refusal(request, subject)
        return request.method.refusal(subject)

    def save(self) -> None:
        """Keep the index, if it has changed."""
        text = json.dumps(self._index)
        if self.folder is not None and text != self._read_before:
            write_bytes(text.encode(), self.folder / "index.json")

    def _read(self) -> dict[str, Any]:
        if self.folder is not None:
            with suppress(OSError, ValueError):  # not there, or damaged: drawn again
                index = json.loads((self.folder / "index.json").read_text("utf-8"))
                return {"drawn": dict(index["drawn"]), "permuted": dict(index["permuted"])}
        return {"drawn": {}, "permuted": {}}

    def _is_kept(self, sha256: str) -> bool:
        return sha256 in self._made if self.folder is None else self.path(sha256).exists()

    def _keep(self, subject: Instance | Workload) -> str:
        if self.folder is None:
            self._made[subject.digest] = subject
        elif not self._is_kept(subject.digest):
            path = self.path(subject.digest)
            if isinstance(subject, Workload):
                write_workload(subject, path)
            else:
                write_instance(subject, path)
        return subject.digest

    def _load(self, sha256: str) -> Instance | Workload:
        if self.folder is None:
            return self._made[sha256]
        found = read_any(self.path(sha256))
        if isinstance(found, SolutionFile):
            raise InputError("/format", SOLUTION, f"{INSTANCE} or {WORKLOAD}", self.path(sha256))
        refuse_other(found, sha256, self.path(sha256))
        return found
