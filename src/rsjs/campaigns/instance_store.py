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
from typing import TYPE_CHECKING, Any

from rsjs.campaigns import schema_files
from rsjs.core.errors import InputError
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.transform import permuted
from rsjs.runs.kinds.base import Kind, kind

if TYPE_CHECKING:  # processes that carry out runs draw no instances: they start faster without
    from rsjs.campaigns.sources import Source
    from rsjs.methods import Request


def instance_file(store: Path, sha256: str) -> Path:
    """Return where the instance of that digest is, or would be, in the folder of a store."""
    return store / "instances" / f"{sha256}.json.gz"


def refuse_other(problem: Any, sha256: str, path: str | Path) -> None:
    """Raise InputError if a file holds another instance than the one it is named for."""
    if problem.digest != sha256:
        raise InputError("", problem.digest, f"the instance of sha256 {sha256}", path)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What is known of an instance without reading it; units are nodes."""

    sha256: str
    name: str
    nodes: int
    jobs: int


class InstanceStore:
    """The instances of a kind in the folder of a store; without one they stay in memory."""

    def __init__(self, folder: Path | None, name: Kind = "instance") -> None:
        self.folder = None if folder is None else folder.absolute() / "instances"
        self._index = self._read()
        self._read_before = json.dumps(self._index)
        self._kind = kind(name)
        self._made: dict[str, Any] = {}
        self._loaded = lru_cache(maxsize=8)(self._load)

    def path(self, sha256: str) -> Path:
        """The file of an instance."""
        assert self.folder is not None
        return instance_file(self.folder.parent, sha256)

    def entry(self, source: Source) -> Entry:
        """The instance that a source stands for, drawn if it is not there."""
        known = self._index["drawn"].get(source.key)
        if known is not None and self._is_kept(known["sha256"]):
            return Entry(**known)
        problem = source.make()
        nodes, jobs = self._kind.size(problem)
        entry = Entry(sha256=self._keep(problem), name=problem.name, nodes=nodes, jobs=jobs)
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
        return self._kind.refusal(request, self._loaded(entry.sha256))

    def save(self) -> None:
        """Keep the index, if it has changed."""
        text = json.dumps(self._index)
        if self.folder is not None and text != self._read_before:
            write_bytes(text.encode(), self.folder / "index.json")

    def _read(self) -> dict[str, Any]:
        if self.folder is not None:
            with suppress(InputError):  # not there, or damaged: drawn again
                return read_index(self.folder / "index.json")
        return {"drawn": {}, "permuted": {}}

    def _is_kept(self, sha256: str) -> bool:
        return sha256 in self._made if self.folder is None else self.path(sha256).exists()

    def _keep(self, problem: Any) -> str:
        digest: str = problem.digest
        if self.folder is None:
            self._made[digest] = problem
        elif not self._is_kept(digest):
            self._kind.write(problem, self.path(digest))
        return digest

    def _load(self, sha256: str) -> Any:
        if self.folder is None:
            return self._made[sha256]
        found = self._kind.read(self.path(sha256))
        refuse_other(found, sha256, self.path(sha256))
        return found


def read_index(path: Path) -> dict[str, Any]:
    """Return the index of a store; an InputError tells what is wrong with it."""
    index: dict[str, Any] = read_json(path)
    schema_files.fit_schema(index, "index", path)
    return index
