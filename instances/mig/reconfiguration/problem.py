"""
Jobs for one GPU that is divided anew while it works: problems, random ones, schedules, their files.

An instance is made for each job and destroyed after it. Making one takes delta, during which its
memory slices are taken but nothing runs; instances beside it keep running. A job of duration d
that begins at time t on a placement takes its slices in [t - delta, t + d). A static partition is
a set of placements that stay (`geometry`).

A problem is a file of format `rsjs-mig-repartition/1`; a schedule, `rsjs-mig-repartitioned/1`,
names its problem by sha256. Random jobs have

    memory need  3, 4.5, 8, 9, 15, 18 or 30 GB of the 40 of an A100-40, in proportion elsewhere
    work         an integer, uniform on [10, 120]
    options      each profile but the media one that has the memory: ceil(work / compute^alpha)
                 time units; rigid jobs have that of least memory, then most compute, alone
    release      0, or an integer, uniform on [0, `releases`]

`whole=False` draws from the first six needs: then no job needs the whole GPU. The scaling exponent
alpha = 0.8 and the needs are a choice; nothing here is measured.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described, refuse_control
from rsjs.core.types import Ints, ReadOnly
from rsjs.instances.generators.assemble import made_by
from rsjs.instances.generators.random_streams import choice, integer, uniforms
from rsjs.instances.io import serialization
from rsjs.instances.io.files import write_document
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig.geometry import geometry, spelled
from rsjs.instances.mig.gpus import MigGpu, document_of, gpu_of
from rsjs.instances.mig.io import read, read_solution, write_solution

PROBLEM, SCHEDULE = "rsjs-mig-repartition/1", "rsjs-mig-repartitioned/1"
_KEYS = "mig-repartitioned", "repartition", "jobs"  # schema, problem and rows of a schedule
NEEDS = tuple(need * 1024 / 40192 for need in (3, 4.5, 8, 9, 15, 18, 30))  # of the largest profile
WORK = (10, 120)
ALPHA = 0.8
LATEST = 10**9  # of any time in a file


@dataclass(frozen=True, kw_only=True, eq=False)
class ReconfigurationProblem(ReadOnly):
    """J jobs with O options in all; the makespan is to be minimal."""

    name: str
    time_unit: str  #: what 1 is in all times below
    gpu: MigGpu
    delta: int  #: >= 0, time to make an instance
    id: tuple[str, ...]
    release: Ints  #: (J,) >= 0, when a job may begin; its instance may be made before
    job: Ints  #: (O,) the job of each option, job after job
    profile: Ints  #: (O,) its profile
    duration: Ints  #: (O,) how long the job then takes
    generator: Mapping[str, Any] | None = None  #: what made the jobs: name, parameters, version

    def __post_init__(self) -> None:
        refuse_control("/name", self.name)
        refuse_control("/jobs", *self.id)
        for name in ("release", "job", "profile", "duration"):
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.id)

    def options(self, job: int) -> list[tuple[int, int]]:
        """Return profile and duration of each option of a job."""
        own = self.job == job
        return list(zip(self.profile[own].tolist(), self.duration[own].tolist(), strict=True))

    def least(self, values: Ints) -> Ints:
        """Return the minimum value among the options of each job."""
        first = np.searchsorted(self.job, np.arange(len(self)))
        return np.asarray(np.minimum.reduceat(values, first))

    @property
    def least_times(self) -> Ints:
        """(J,) shortest duration of each job."""
        return self.least(self.duration)

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical text of its file, the generator's version left out."""
        return serialization.digest(of_problem(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class ReconfigurationSchedule(ReadOnly):
    """Schedule of jobs on a GPU that is repartitioned."""

    profile: Ints  #: (J,) the profile of each job's instance
    start: Ints  #: (J,) its first memory slice
    begin: Ints  #: (J,) when the job itself begins, its instance being ready

    @staticmethod
    def of(
        jobs: ReconfigurationProblem, placed: Mapping[int, tuple[int, int, int]]
    ) -> ReconfigurationSchedule:
        """Build a schedule from profile, start and begin of each job."""
        rows = np.array([placed[j] for j in range(len(jobs))], dtype=np.int64).reshape(-1, 3)
        return ReconfigurationSchedule(profile=rows[:, 0], start=rows[:, 1], begin=rows[:, 2])


def durations(jobs: ReconfigurationProblem, profile: Ints) -> Ints:
    """Return (J,) how long each job takes on its profile; -1 where that is no option of it."""
    table = np.full((len(jobs), len(jobs.gpu.profiles)), -1)
    table[jobs.job, jobs.profile] = jobs.duration
    return np.asarray(table[np.arange(len(jobs)), profile])


def makespan(jobs: ReconfigurationProblem, schedule: ReconfigurationSchedule) -> int:
    """Return when the last job ends."""
    return int((schedule.begin + durations(jobs, schedule.profile)).max())


def job_placements(
    jobs: ReconfigurationProblem, job: int, allowed: Collection[int] | None
) -> list[tuple[int, int]]:
    """
    Return placement and duration of each way to run a job.

    Parameters
    ----------
    allowed : collection of int or None
        The only placements there are, those of a static partition; None = all of the GPU.

    Raises
    ------
    InputError
        If there is no way.
    """
    all_placements = geometry(jobs.gpu)
    own = [
        (q, lasts)
        for p, lasts in jobs.options(job)
        for q in all_placements.places(p).tolist()
        if allowed is None or q in allowed
    ]
    if not own:
        names = ", ".join(jobs.gpu.profiles[p].name for p, _ in jobs.options(job))
        expected = f"one of them in the partition {spelled(jobs.gpu, tuple(allowed or ()))}"
        raise InputError(f"/jobs/{job}/options", described(names), expected)
    return own


def generate(
    gpu: MigGpu,
    n: int,
    seed: int,
    *,
    rigid: bool = False,
    whole: bool = True,
    releases: int = 0,
    delta: int = 0,
) -> ReconfigurationProblem:
    """Draw `n` jobs; the first jobs of a larger set are those of a smaller one."""
    for option, value, least, most in (
        ("-n", n, 1, LATEST),
        ("--seed", seed, 0, 2**63 - 1),
        ("--releases", releases, 0, LATEST),
        ("--delta", delta, 0, LATEST),
    ):
        if not least <= value <= most:
            raise InputError(option, value, f"an integer from {least} to {most}")
    largest = max(profile.memory_mib for profile in gpu.profiles)
    needs = choice(uniforms("mig-repartition", seed, "memory", n), NEEDS if whole else NEEDS[:-1])
    works = integer(uniforms("mig-repartition", seed, "work", n), *WORK).tolist()
    release = integer(uniforms("mig-repartition", seed, "release", n), 0, releases).tolist()
    kind = "rigid" if rigid else "moldable"
    name = f"repartition-{gpu.name}-{kind}-{'' if whole else 'part-'}r{releases}-d{delta}"
    return to_problem(
        {
            "format": PROBLEM,
            "name": f"{name}-J{n}-s{seed}",
            "time_unit": "minute",
            "generator": made_by(
                "mig-repartition",
                gpu=gpu.name,
                jobs=n,
                seed=seed,
                rigid=rigid,
                whole=whole,
                releases=releases,
                delta=delta,
            ),
            "gpu": document_of(gpu),
            "delta": delta,
            "jobs": [
                {
                    "id": f"j{j + 1}",
                    "release": release[j],
                    "options": _options(gpu, needs[j] * largest, works[j], rigid),
                }
                for j in range(n)
            ],
        }
    )


def _options(gpu: MigGpu, memory: float, work: int, rigid: bool) -> list[dict[str, object]]:
    profiles = [p for p in gpu.profiles if p.memory_mib >= memory and not p.name.endswith("+me")]
    if rigid:
        profiles = [min(profiles, key=lambda p: (p.memory_slices, -p.compute_slices))]
    return [{"profile": p.name, "duration": ceil(work / p.compute_slices**ALPHA)} for p in profiles]


def of_problem(problem: ReconfigurationProblem) -> Document:
    """Return the document of a problem."""
    rows: list[Document] = [
        {"id": name, "release": release, "options": []}
        for name, release in zip(problem.id, problem.release.tolist(), strict=True)
    ]
    columns = (problem.job.tolist(), problem.profile.tolist(), problem.duration.tolist())
    for j, p, d in zip(*columns, strict=True):
        rows[j]["options"].append({"profile": problem.gpu.profiles[p].name, "duration": d})
    return {
        "format": PROBLEM,
        "name": problem.name,
        "time_unit": problem.time_unit,
        "delta": problem.delta,
        **({"generator": dict(problem.generator)} if problem.generator else {}),
        "gpu": document_of(problem.gpu),
        "jobs": rows,
    }


def to_problem(document: Document) -> ReconfigurationProblem:
    """Build the problem of a document that fits its schema; InputError if it makes no sense."""
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
    """Read a problem; see `io.read` for errors."""
    return read(path, PROBLEM, "mig-repartition", to_problem)


def write_problem(problem: ReconfigurationProblem, path: str | Path) -> None:
    """Write a problem; a `.gz` name compresses."""
    write_document(of_problem(problem), path)


def read_schedule(
    problem: ReconfigurationProblem, path: str | Path
) -> tuple[ReconfigurationSchedule, Document]:
    """Read a schedule of this problem, and what its file claims about it."""
    return read_solution(ReconfigurationSchedule, problem, path, SCHEDULE, *_KEYS)


def write_schedule(
    problem: ReconfigurationProblem,
    schedule: ReconfigurationSchedule,
    path: str | Path,
    *,
    method: str | None = None,
    makespan: int | None = None,
    bound: int | None = None,
) -> None:
    """Write a schedule with what is claimed about it."""
    claims = {"method": method, "makespan": makespan, "bound": bound}
    write_solution(schedule, problem, path, SCHEDULE, *_KEYS[1:], claims)
