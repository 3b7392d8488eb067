"""
Jobs for one GPU that is divided anew while it works, and a schedule of them.

An instance is made for each job and destroyed after it. Making one takes delta, during which its
memory slices are taken but nothing runs; instances beside it keep running. A job of duration d
that begins at time t on a placement takes its slices in [t - delta, t + d).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.errors import refuse_control
from rsjs.instances.mig.gpus import MigGpu
from rsjs.instances.read_only import ReadOnly

Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Repartition(ReadOnly):
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
    release: Integers
    job: Integers
    profile: Integers
    duration: Integers
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
    def least_times(self) -> Integers:
        """(J,) shortest duration of each job."""
        return np.asarray(np.minimum.reduceat(self.duration, np.searchsorted(self.job, self._jobs)))

    @property
    def _jobs(self) -> Integers:
        return np.arange(len(self))

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical text of its file, the generator's version left out."""
        from rsjs.instances.io.serialization import digest
        from rsjs.instances.mig.reconfiguration.repartition_documents import document

        return digest(document(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class Schedule(ReadOnly):
    """
    When and where jobs run.

    Attributes
    ----------
    profile, start : (J,) int
        The placement of each job: profile, first memory slice.
    begin : (J,) int
        When the job itself begins, its instance being ready.
    """

    profile: Integers
    start: Integers
    begin: Integers

    @staticmethod
    def of(jobs: Repartition, placed: Mapping[int, tuple[int, int, int]]) -> Schedule:
        """From profile, start and begin of each job."""
        rows = np.array([placed[j] for j in range(len(jobs))], dtype=np.int64).reshape(-1, 3)
        return Schedule(profile=rows[:, 0], start=rows[:, 1], begin=rows[:, 2])


def durations(jobs: Repartition, profile: Integers) -> Integers:
    """(J,) how long each job takes on its profile; -1 where that is no option of it."""
    table = np.full((len(jobs), len(jobs.gpu.profiles)), -1)
    table[jobs.job, jobs.profile] = jobs.duration
    return np.asarray(table[np.arange(len(jobs)), profile])


def makespan(jobs: Repartition, schedule: Schedule) -> int:
    """When the last job ends."""
    return int((schedule.begin + durations(jobs, schedule.profile)).max())
