"""
Static workloads to be placed on identical GPUs, and where they are.

Files of workloads to be placed, `rsjs-mig-placement/1`, and of where they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described, refuse_control
from rsjs.core.types import Bools, Ints, ReadOnly
from rsjs.instances.io.files import write_document
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig.geometry import slices
from rsjs.instances.mig.gpus import MigGpu, document_of, gpu_of
from rsjs.instances.mig.io import read_document

WORKLOADS, PLACED = "rsjs-mig-placement/1", "rsjs-mig-placed/1"


@dataclass(frozen=True, kw_only=True)
class PlacementFile:
    """A placement and what its file claims about it."""

    placement: MigPlacement
    method: str | None
    gpus: float | None
    bound: float | None


def document(workloads: PlacementProblem) -> Document:
    """The document of workloads."""
    names = [profile.name for profile in workloads.gpu.profiles]
    rows = [
        {"id": name, "profiles": [names[p] for p in np.flatnonzero(own).tolist()]}
        for name, own in zip(workloads.id, workloads.admissible, strict=True)
    ]
    made = {"generator": dict(workloads.generator)} if workloads.generator else {}
    head = {"format": WORKLOADS, "name": workloads.name, **made}
    return {**head, "gpu": document_of(workloads.gpu), "workloads": rows}


def to_problem(document: Document) -> PlacementProblem:
    """The workloads of a document that fits its schema; InputError if they make no sense."""
    gpu, rows = gpu_of(document["gpu"], "/gpu"), document["workloads"]
    admissible = np.zeros((len(rows), len(gpu.profiles)), dtype=bool)
    known: set[str] = set()
    for w, row in enumerate(rows):
        if row["id"] in known:
            raise InputError(f"/workloads/{w}/id", row["id"], "an id of its own")
        known.add(row["id"])
        for k, name in enumerate(row["profiles"]):
            admissible[w, gpu.index(name, f"/workloads/{w}/profiles/{k}")] = True
    return PlacementProblem(
        name=document["name"],
        gpu=gpu,
        id=tuple(row["id"] for row in rows),
        admissible=admissible,
        generator=document.get("generator"),
    )


def read_problem(path: str | Path) -> PlacementProblem:
    """Read workloads; an InputError names file, pointer, value and what was expected."""
    found = read_document(path, WORKLOADS, "mig-placement")
    try:
        return to_problem(found)
    except InputError as error:
        raise error.at(path) from None


def write_problem(workloads: PlacementProblem, path: str | Path) -> None:
    """Write workloads; a `.gz` name compresses."""
    write_document(document(workloads), path)


def write_placement(
    workloads: PlacementProblem,
    placement: MigPlacement,
    path: str | Path,
    *,
    method: str | None = None,
    gpus: int | None = None,
    bound: int | None = None,
) -> None:
    """Write a placement with what is claimed about it."""
    columns = (placement.gpu.tolist(), placement.profile.tolist(), placement.start.tolist())
    rows = [
        {"gpu": gpu, "profile": workloads.gpu.profiles[p].name, "start": start}
        for gpu, p, start in zip(*columns, strict=True)
    ]
    head = {"format": PLACED, "placement": workloads.digest}
    claimed = {"method": method, "gpus": gpus, "bound": bound}
    write_document({**head, **claimed, "workloads": rows}, path)


def read_placement(workloads: PlacementProblem, path: str | Path) -> PlacementFile:
    """Read a placement of these workloads."""
    found = read_document(path, PLACED, "mig-placed")
    rows = found["workloads"]
    if found["placement"] != workloads.digest:
        expected = f"{workloads.digest}, the sha256 of {workloads.name}"
        raise InputError("/placement", found["placement"], expected, path)
    if len(rows) != len(workloads):
        shown = described(f"an array of {len(rows)}")
        raise InputError("/workloads", shown, f"{len(workloads)} entries", path)
    try:
        index = workloads.gpu.index
        placed = {
            w: (row["gpu"], index(row["profile"], f"/workloads/{w}/profile"), row["start"])
            for w, row in enumerate(rows)
        }
    except InputError as error:
        raise error.at(path) from None
    return PlacementFile(
        placement=MigPlacement.of(placed),
        method=found["method"],
        gpus=found["gpus"],
        bound=found["bound"],
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacementProblem(ReadOnly):
    """
    W workloads in order of arrival, each of which needs one instance for good.

    Attributes
    ----------
    name : str
    gpu : MigGpu
        The model of all GPUs; there are as many as needed.
    id : tuple of str
    admissible : (W, P) bool
        The profiles that serve each workload, at least one.
    generator : mapping or None
        What made the workloads: name, parameters, version.
    """

    name: str
    gpu: MigGpu
    id: tuple[str, ...]
    admissible: Bools
    generator: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        refuse_control("/name", self.name)
        refuse_control("/workloads", *self.id)
        self.admissible.setflags(write=False)

    def __len__(self) -> int:
        return len(self.id)

    @cached_property
    def needs(self) -> Ints:
        """(W, 2) compute and memory slices: each the least among the admissible profiles."""
        size = np.where(self.admissible[:, :, None], slices(self.gpu), np.iinfo(np.int64).max)
        return np.asarray(size.min(axis=1))

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical text of its file, the generator's version left out."""
        from rsjs.instances.io.serialization import digest

        return digest(document(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class MigPlacement(ReadOnly):
    """
    Where each workload is.

    Attributes
    ----------
    gpu : (W,) int
        Number of its GPU, from 0; GPUs without a workload do not count.
    profile, start : (W,) int
        Its instance: profile, first memory slice.
    """

    gpu: Ints
    profile: Ints
    start: Ints

    @staticmethod
    def of(rows: Mapping[int, tuple[int, int, int]]) -> MigPlacement:
        """From GPU, profile and start of each workload."""
        columns = np.array([rows[w] for w in range(len(rows))], dtype=np.int64).reshape(-1, 3)
        return MigPlacement(gpu=columns[:, 0], profile=columns[:, 1], start=columns[:, 2])
