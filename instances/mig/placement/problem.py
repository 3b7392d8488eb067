"""
Placement of static workloads on identical GPUs: problems, random ones, placements and their files.

A problem is a file of format `rsjs-mig-placement/1`; a placement, `rsjs-mig-placed/1`, names its
problem by sha256. Each random workload draws its profile from a mix:

    mixed      all sizes, most of them small
    small      one or two slices
    large      halves and whole GPUs are frequent
    memheavy   one compute slice with two memory slices is the most frequent
    elastic    mixed, but a workload of 1g2m or 2g takes either, and so does one of 3g or 4g

`mixed` has the shares of the design; those of the others are chosen here. Profiles are those of
the GPUs of NVIDIA with eight memory slices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, refuse_control
from rsjs.core.types import Bools, Ints, ReadOnly
from rsjs.instances.generators.assemble import made_by
from rsjs.instances.generators.random_streams import uniforms
from rsjs.instances.io import serialization
from rsjs.instances.io.files import write_document
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig.geometry import slices
from rsjs.instances.mig.gpus import MigGpu, document_of, gpu_of
from rsjs.instances.mig.io import nearest_first, read, read_solution, write_solution

PROBLEM, PLACEMENT = "rsjs-mig-placement/1", "rsjs-mig-placed/1"
_KEYS = "mig-placed", "placement", "workloads"  # schema, problem and rows of a placement
_MIXED = {"7g": 0.03, "4g": 0.07, "3g": 0.2, "2g": 0.25, "1g2m": 0.15, "1g": 0.3}
MIXES = {
    "mixed": _MIXED,
    "small": {"2g": 0.25, "1g2m": 0.15, "1g": 0.6},
    "large": {"7g": 0.1, "4g": 0.2, "3g": 0.35, "2g": 0.2, "1g2m": 0.05, "1g": 0.1},
    "memheavy": {"7g": 0.02, "4g": 0.03, "3g": 0.15, "2g": 0.1, "1g2m": 0.5, "1g": 0.2},
    "elastic": _MIXED,
}
EITHER = (("1g2m", "2g"), ("3g", "4g"))


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacementProblem(ReadOnly):
    """W workloads in order of arrival, each of which needs one instance for good."""

    name: str
    gpu: MigGpu  #: the model of all GPUs; there are as many as needed
    id: tuple[str, ...]
    admissible: Bools  #: (W, P) the profiles that serve each workload, at least one
    #: what made the workloads: name, parameters, version
    generator: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        refuse_control("/name", self.name)
        refuse_control("/workloads", *self.id)
        self.admissible.setflags(write=False)

    def __len__(self) -> int:
        return len(self.id)

    @cached_property
    def needs(self) -> Ints:
        """(W, 2) compute and memory slices: each the minimum over the admissible profiles."""
        size = np.where(self.admissible[:, :, None], slices(self.gpu), np.iinfo(np.int64).max)
        return np.asarray(size.min(axis=1))

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical text of its file, the generator's version left out."""
        return serialization.digest(of_problem(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class MigPlacement(ReadOnly):
    """Placement of each workload."""

    gpu: Ints  #: (W,) number of its GPU, from 0; GPUs without a workload do not count
    profile: Ints  #: (W,) the profile of its instance
    start: Ints  #: (W,) the first memory slice of its instance

    @staticmethod
    def of(rows: Mapping[int, tuple[int, int, int]]) -> MigPlacement:
        """Build a placement from GPU, profile and start of each workload."""
        columns = np.array([rows[w] for w in range(len(rows))], dtype=np.int64).reshape(-1, 3)
        return MigPlacement(gpu=columns[:, 0], profile=columns[:, 1], start=columns[:, 2])


def generate(gpu: MigGpu, mix: str, n: int, seed: int) -> PlacementProblem:
    """Draw `n` workloads of a mix; the first of a larger set are those of a smaller one."""
    if mix not in MIXES:
        raise InputError("--mix", mix, f"one of {nearest_first(mix, MIXES)}")
    if n < 1:
        raise InputError("-n", n, "a number of workloads >= 1")
    if seed < 0:
        raise InputError("--seed", seed, "an integer >= 0")
    profiles = np.array([gpu.index(name, "--gpu") for name in MIXES[mix]])
    edges = np.cumsum(list(MIXES[mix].values()))[:-1]
    drawn = np.searchsorted(edges, uniforms("mig-placement", seed, "profile", n), side="right")
    admissible = np.zeros((n, len(gpu.profiles)), dtype=bool)
    admissible[np.arange(n), profiles[drawn]] = True
    if mix == "elastic":
        for names in EITHER:
            pair = [gpu.index(name, "--gpu") for name in names]
            admissible[:, pair] |= admissible[:, pair].any(axis=1, keepdims=True)
    return PlacementProblem(
        name=f"placement-{gpu.name}-{mix}-W{n}-s{seed}",
        gpu=gpu,
        id=tuple(f"w{w + 1}" for w in range(n)),
        admissible=admissible,
        generator=made_by("mig-placement", gpu=gpu.name, mix=mix, workloads=n, seed=seed),
    )


def of_problem(problem: PlacementProblem) -> Document:
    """Return the document of a problem."""
    names = [profile.name for profile in problem.gpu.profiles]
    rows = [
        {"id": name, "profiles": [names[p] for p in np.flatnonzero(admissible).tolist()]}
        for name, admissible in zip(problem.id, problem.admissible, strict=True)
    ]
    generator = {"generator": dict(problem.generator)} if problem.generator else {}
    head = {"format": PROBLEM, "name": problem.name, **generator}
    return {**head, "gpu": document_of(problem.gpu), "workloads": rows}


def to_problem(document: Document) -> PlacementProblem:
    """Build the problem of a document that fits its schema; InputError if it makes no sense."""
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
    """Read a problem; see `io.read` for errors."""
    return read(path, PROBLEM, "mig-placement", to_problem)


def write_problem(problem: PlacementProblem, path: str | Path) -> None:
    """Write a problem; a `.gz` name compresses."""
    write_document(of_problem(problem), path)


def read_placement(problem: PlacementProblem, path: str | Path) -> tuple[MigPlacement, Document]:
    """Read a placement of this problem, and what its file claims about it."""
    return read_solution(MigPlacement, problem, path, PLACEMENT, *_KEYS)


def write_placement(
    problem: PlacementProblem,
    placement: MigPlacement,
    path: str | Path,
    *,
    method: str | None = None,
    gpus: int | None = None,
    bound: int | None = None,
) -> None:
    """Write a placement with what is claimed about it."""
    claims = {"method": method, "gpus": gpus, "bound": bound}
    write_solution(placement, problem, path, PLACEMENT, *_KEYS[1:], claims)
