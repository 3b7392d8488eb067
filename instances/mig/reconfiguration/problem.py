"""
Jobs for one GPU that is divided anew while it works, and a schedule of them.

An instance is made for each job and destroyed after it. Making one takes delta, during which its
memory slices are taken but nothing runs; instances beside it keep running. A job of duration d
that begins at time t on a placement takes its slices in [t - delta, t + d).

Files of jobs for a GPU that is divided anew, `rsjs-mig-repartition/1`, and of schedules.

Static partitions of a GPU: sets of placements that stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described, refuse_control
from rsjs.core.types import Ints, ReadOnly
from rsjs.instances.io.files import write_document
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig.geometry import geometry
from rsjs.instances.mig.gpus import MigGpu, document_of, gpu_of
from rsjs.instances.mig.io import read_document

JOBS, SCHEDULE = "rsjs-mig-repartition/1", "rsjs-mig-repartitioned/1"


@dataclass(frozen=True, kw_only=True)
class ReconfigurationFile:
    """A schedule and what its file claims about it."""

    schedule: ReconfigurationSchedule
    digest: str
    method: str | None
    makespan: float | None
    bound: float | None


def document(jobs: ReconfigurationProblem) -> Document:
    """The document of a set of jobs."""
    rows: list[Document] = [
        {"id": name, "release": release, "options": []}
        for name, release in zip(jobs.id, jobs.release.tolist(), strict=True)
    ]
    for j, p, d in zip(
        jobs.job.tolist(), jobs.profile.tolist(), jobs.duration.tolist(), strict=True
    ):
        rows[j]["options"].append({"profile": jobs.gpu.profiles[p].name, "duration": d})
    head = {"format": JOBS, "name": jobs.name, "time_unit": jobs.time_unit, "delta": jobs.delta}
    made = {"generator": dict(jobs.generator)} if jobs.generator else {}
    return {**head, **made, "gpu": document_of(jobs.gpu), "jobs": rows}


def to_problem(document: Document) -> ReconfigurationProblem:
    """The jobs of a document that fits its schema; InputError if they make no sense."""
    gpu = gpu_of(document["gpu"], "/gpu")
    columns: list[tuple[int, int, int]] = []
    known: set[str] = set()
    for j, row in enumerate(document["jobs"]):
        if row["id"] in known:
            raise InputError(f"/jobs/{j}/id", row["id"], "an id of its own")
        known.add(row["id"])
        seen: set[int] = set()
        for k, option in enumerate(row["options"]):
            where = f"/jobs/{j}/options/{k}/profile"
            p = gpu.index(option["profile"], where)
            if p in seen:
                raise InputError(where, option["profile"], "a profile once")
            seen.add(p)
            columns.append((j, p, int(option["duration"])))
    job, profile, duration = np.array(columns, dtype=np.int64).T.copy()
    return ReconfigurationProblem(
        name=document["name"],
        time_unit=document["time_unit"],
        gpu=gpu,
        delta=int(document["delta"]),
        id=tuple(row["id"] for row in document["jobs"]),
        release=np.array([row["release"] for row in document["jobs"]], dtype=np.int64),
        job=job,
        profile=profile,
        duration=duration,
        generator=document.get("generator"),
    )


def read_problem(path: str | Path) -> ReconfigurationProblem:
    """Read jobs; an InputError names file, pointer, value and what was expected."""
    found = read_document(path, JOBS, "mig-repartition")
    try:
        return to_problem(found)
    except InputError as error:
        raise error.at(path) from None


def write_problem(jobs: ReconfigurationProblem, path: str | Path) -> None:
    """Write jobs; a `.gz` name compresses."""
    write_document(document(jobs), path)


def write_schedule(
    jobs: ReconfigurationProblem,
    schedule: ReconfigurationSchedule,
    path: str | Path,
    *,
    method: str | None = None,
    makespan: int | None = None,
    bound: int | None = None,
) -> None:
    """Write a schedule with what is claimed about it."""
    columns = (schedule.profile.tolist(), schedule.start.tolist(), schedule.begin.tolist())
    rows = [
        {"profile": jobs.gpu.profiles[p].name, "start": start, "begin": begin}
        for p, start, begin in zip(*columns, strict=True)
    ]
    claimed = {"method": method, "makespan": makespan, "bound": bound}
    head = {"format": SCHEDULE, "repartition": jobs.digest}
    write_document({**head, **claimed, "jobs": rows}, path)


def read_schedule(jobs: ReconfigurationProblem, path: str | Path) -> ReconfigurationFile:
    """Read a schedule of these jobs."""
    found = read_document(path, SCHEDULE, "mig-repartitioned")
    if found["repartition"] != jobs.digest:
        expected = f"{jobs.digest}, the sha256 of {jobs.name}"
        raise InputError("/repartition", found["repartition"], expected, path)
    if len(found["jobs"]) != len(jobs):
        raise InputError("/jobs", len(found["jobs"]), f"{len(jobs)} entries", path)
    try:
        placed = {
            j: (jobs.gpu.index(row["profile"], f"/jobs/{j}/profile"), row["start"], row["begin"])
            for j, row in enumerate(found["jobs"])
        }
    except InputError as error:
        raise error.at(path) from None
    return ReconfigurationFile(
        schedule=ReconfigurationSchedule.of(jobs, placed),
        digest=found["repartition"],
        method=found["method"],
        makespan=found["makespan"],
        bound=found["bound"],
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ReconfigurationProblem(ReadOnly):
    """
    J jobs with O options in all; makespan is to be small.

    Attributes
    ----------
    name : str
    time_unit : str
        What 1 is in all times below.
    gpu : MigGpu
    delta : int >= 0
        Time to make an instance.
    id : tuple of str
    release : (J,) int >= 0
        Earliest time at which a job begins; its instance may be made before.
    job, profile, duration : (O,) int
        The options, job after job: a profile and how long the job then takes.
    generator : mapping or None
        What made the jobs: name, parameters, version.
    """

    name: str
    time_unit: str
    gpu: MigGpu
    delta: int
    id: tuple[str, ...]
    release: Ints
    job: Ints
    profile: Ints
    duration: Ints
    generator: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        refuse_control("/name", self.name)
        refuse_control("/jobs", *self.id)
        for name in ("release", "job", "profile", "duration"):
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.id)

    def options(self, job: int) -> list[tuple[int, int]]:
        """Profile and duration of each option of a job."""
        own = self.job == job
        return list(zip(self.profile[own].tolist(), self.duration[own].tolist(), strict=True))

    @property
    def least_times(self) -> Ints:
        """(J,) shortest duration of each job."""
        return np.asarray(np.minimum.reduceat(self.duration, np.searchsorted(self.job, self._jobs)))

    @property
    def _jobs(self) -> Ints:
        return np.arange(len(self))

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical text of its file, the generator's version left out."""
        from rsjs.instances.io.serialization import digest

        return digest(document(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class ReconfigurationSchedule(ReadOnly):
    """
    When and where jobs run.

    Attributes
    ----------
    profile, start : (J,) int
        The placement of each job: profile, first memory slice.
    begin : (J,) int
        When the job itself begins, its instance being ready.
    """

    profile: Ints
    start: Ints
    begin: Ints

    @staticmethod
    def of(
        jobs: ReconfigurationProblem, placed: Mapping[int, tuple[int, int, int]]
    ) -> ReconfigurationSchedule:
        """From profile, start and begin of each job."""
        rows = np.array([placed[j] for j in range(len(jobs))], dtype=np.int64).reshape(-1, 3)
        return ReconfigurationSchedule(profile=rows[:, 0], start=rows[:, 1], begin=rows[:, 2])


def durations(jobs: ReconfigurationProblem, profile: Ints) -> Ints:
    """(J,) how long each job takes on its profile; -1 where that is no option of it."""
    table = np.full((len(jobs), len(jobs.gpu.profiles)), -1)
    table[jobs.job, jobs.profile] = jobs.duration
    return np.asarray(table[np.arange(len(jobs)), profile])


def makespan(jobs: ReconfigurationProblem, schedule: ReconfigurationSchedule) -> int:
    """When the last job ends."""
    return int((schedule.begin + durations(jobs, schedule.profile)).max())


Partition = tuple[int, ...]


def partition_of(gpu: MigGpu, names: str) -> Partition:
    """
    Placements of the profiles in a text like "4g,2g,1g": those that strand fewest slices.

    Raises
    ------
    InputError
        If a profile is unknown, or no placement has them all.
    """
    found, parts = geometry(gpu), [name.strip() for name in names.split(",")]
    wanted = Counter(gpu.index(name, "--partition") for name in parts)
    counts = [wanted[p] for p in range(len(gpu.profiles))]
    sets = np.flatnonzero((found.counts == counts).all(axis=1))
    if not sets.size:
        shown = described(names)
        raise InputError("--partition", shown, f"profiles that fit {gpu.name} together")
    best = sets[found.stranded[sets].sum(axis=1).argmin()]
    return _placements(found.chosen[best])


def maximal_partitions(gpu: MigGpu, profiles: tuple[str, ...]) -> list[Partition]:
    """A partition for each multiset of these profiles that no other one of them contains."""
    found = geometry(gpu)
    own = np.isin([profile.name for profile in gpu.profiles], profiles)
    sets = np.flatnonzero((found.counts[:, ~own] == 0).all(axis=1))
    counts, first = np.unique(found.counts[sets], axis=0, return_index=True)
    return [
        _placements(found.chosen[sets[at]])
        for at, row in zip(first.tolist(), counts, strict=True)
        if ((counts >= row).all(axis=1)).sum() == 1
    ]


def candidates(
    jobs: ReconfigurationProblem, job: int, allowed: Collection[int] | None
) -> list[tuple[int, int]]:
    """
    Placement and duration of each way to run a job.

    Parameters
    ----------
    allowed : collection of int or None
        The only placements there are, those of a static partition; None = all of the GPU.

    Raises
    ------
    InputError
        If there is no way.
    """
    found = geometry(jobs.gpu)
    own = [
        (q, lasts)
        for p, lasts in jobs.options(job)
        for q in found.places(p).tolist()
        if allowed is None or q in allowed
    ]
    if not own:
        names = ", ".join(jobs.gpu.profiles[p].name for p, _ in jobs.options(job))
        expected = f"one of them in the partition {spelled(jobs.gpu, tuple(allowed or ()))}"
        raise InputError(f"/jobs/{job}/options", described(names), expected)
    return own


def spelled(gpu: MigGpu, partition: Partition) -> str:
    """The profiles of a partition, largest first, e.g. 4g,2g,1g."""
    found = geometry(gpu)
    names = [gpu.profiles[found.profile[q]] for q in partition]
    return ",".join(p.name for p in sorted(names, key=lambda p: (-p.memory_slices, p.name)))


def _placements(chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Partition:
    return tuple(np.flatnonzero(chosen).tolist())
