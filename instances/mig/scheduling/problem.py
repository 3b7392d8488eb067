"""
Jobs on the fixed MIG instances of a GPU: which step of which job runs where in which minute.

Konopa, Fesl and Beranek 2025, section 4. A MIG instance is called a unit here. Job j is a chain
of steps k = 0..L_j - 1 of one minute each with memory w_jk, and may begin at r_j = ceil(arrival).

Reading of "interruptible", which the paper leaves open:
    A  between minutes a job may stop, and go on later on any unit with C_i >= w_jk
    B  it may stop, but goes on on its own unit, with C_i >= max_k w_jk
    C  it keeps its unit, C_i >= max_k w_jk, and does not stop
A job that is not interruptible is read as C, one that is not migratable as B at most.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.errors import InputError, described, refuse_control
from rsjs.instances.mig.jobs import Floats, Integers, JobSet
from rsjs.instances.mig.scheduling.objective import ScheduleObjective
from rsjs.instances.mig.scheduling.value_limits import refuse_inexact
from rsjs.instances.read_only import ReadOnly

READINGS = ("A", "B", "C")
PAPER_UNITS = (2000, 1000, 1000)  # MB
LATEST = 10_000_000  # minutes: a release, or all run time
NEVER = 2**62  # minutes: no deadline


@dataclass(frozen=True, kw_only=True, eq=False)
class SchedulingProblem(ReadOnly):
    """
    A set of jobs, the units of a GPU, what jobs may do, and what counts.

    Attributes
    ----------
    name : str
    units : tuple of str
        Names.
    memory : (I,) int > 0 [MB]
        C_i.
    jobs : JobSet
        With S steps in all; a time unit of the set is called a minute.
    reading : "A" | "B" | "C"
    objective : ScheduleObjective
    """

    name: str
    units: tuple[str, ...]
    memory: Integers
    jobs: JobSet
    reading: str
    objective: ScheduleObjective

    def __post_init__(self) -> None:
        _check(self)
        self.memory.setflags(write=False)

    @property
    def steps(self) -> int:
        """S, the steps of all jobs."""
        return len(self.jobs.memory)

    @cached_property
    def release(self) -> Integers:
        """(J,) r_j, the first minute in which a job may run."""
        return np.ceil(self.jobs.arrival).astype(np.int64)

    @cached_property
    def due(self) -> Integers:
        """(J,) a job is late if it completes after this minute; `NEVER` = no deadline."""
        floor = np.floor(np.minimum(self.jobs.deadline, float(NEVER)))
        return floor.astype(np.int64)

    @cached_property
    def stops(self) -> NDArray[np.bool_]:
        """(J,) whether a job may stop and go on later."""
        return self.jobs.interruptible & (self.reading != "C")

    @cached_property
    def moves(self) -> NDArray[np.bool_]:
        """(J,) whether a job may also change its unit."""
        return self.stops & self.jobs.migratable & (self.reading == "A")

    @cached_property
    def step_job(self) -> Integers:
        """(S,) the job of each step."""
        return np.repeat(np.arange(len(self.jobs)), self.jobs.run_length)

    @cached_property
    def need(self) -> Floats:
        """(S,) memory a unit must have for each step [MB]: of the step, or of the whole job."""
        whole = self.jobs.peak[self.step_job]
        return np.where(self.moves[self.step_job], self.jobs.memory, whole)

    @cached_property
    def sizes(self) -> Integers:
        """Distinct memory sizes of units, increasing."""
        return np.unique(self.memory)

    @cached_property
    def units_from(self) -> Integers:
        """Units with at least each of the `sizes`."""
        return np.array([(self.memory >= size).sum() for size in self.sizes], dtype=np.int64)

    @cached_property
    def size_class(self) -> Integers:
        """(S,) index of the smallest of the `sizes` that holds each step."""
        return np.searchsorted(self.sizes, self.need).astype(np.int64)

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical text of its file, the generator's version left out."""
        from rsjs.instances.mig.scheduling.schedule_documents import problem_digest

        return problem_digest(self)


def paper_problem(
    jobs: JobSet, reading: str, objective: ScheduleObjective, memory: tuple[int, ...] = PAPER_UNITS
) -> SchedulingProblem:
    """Jobs on units that are named by number: those of the paper's experiment by default."""
    return SchedulingProblem(
        name=jobs.name,
        units=numbered(len(memory)),
        memory=np.array(memory, dtype=np.int64),
        jobs=jobs,
        reading=reading,
        objective=objective,
    )


def named(problem: SchedulingProblem, goal: str | None = None) -> SchedulingProblem:
    """
    The same problem, named for what tells it from others on the same jobs.

    Parameters
    ----------
    goal : str, optional
        The objective as it was asked for.

    Returns
    -------
    SchedulingProblem
        `mig-READING-OBJECTIVE-JOBS`, with the memory of other units than the paper's.
    """
    parts = ["mig", problem.reading, re.sub(r"[*\s]", "", goal or str(problem.objective))]
    if tuple(problem.memory.tolist()) != PAPER_UNITS:
        parts.append("+".join(map(str, problem.memory.tolist())))
    return replace(problem, name="-".join([*parts, problem.name.removeprefix("mig-")]))


def numbered(units: int) -> tuple[str, ...]:
    """Names of units that have none."""
    return tuple(str(i) for i in range(units))


def _check(problem: SchedulingProblem) -> None:
    """Raise InputError at the first entry that makes no sense."""
    jobs = problem.jobs
    refuse_control("/name", problem.name)
    refuse_control("/units", *problem.units)
    if problem.reading not in READINGS:
        raise InputError("/reading", problem.reading, f"one of {', '.join(READINGS)}")
    if not len(problem.memory):
        raise InputError("/units", described("no units"), "at least one")
    if (problem.memory <= 0).any():
        i = int((problem.memory <= 0).argmax())
        raise InputError(f"/units/{i}/memory", int(problem.memory[i]), "an integer of MB > 0")
    counted = Counter(problem.units)
    if len(counted) < len(problem.units):
        twice = next(name for name, count in counted.items() if count > 1)
        raise InputError("/units", twice, "names that differ")
    if not len(jobs):
        raise InputError("/jobs", described("no jobs"), "at least one")
    largest = int(problem.memory.max())
    if (jobs.memory > largest).any():
        s = int((jobs.memory > largest).argmax())
        j = int(np.searchsorted(jobs.start, s, side="right")) - 1
        place = f"/jobs/{j}/memory/{s - int(jobs.start[j])}"
        raise InputError(place, float(jobs.memory[s]), f"at most {largest} MB, the largest unit")
    if jobs.arrival[-1] > LATEST or len(jobs.memory) > LATEST:
        found = described(f"{float(jobs.arrival[-1]):g} and {len(jobs.memory)} steps")
        raise InputError(f"/jobs/{len(jobs) - 1}/arrival", found, f"both at most {LATEST}")
    if "weighted_completion" in problem.objective.terms and (jobs.priority < 0).any():
        j = int((jobs.priority < 0).argmax())
        expected = "a priority >= 0 as a weight of completion times"
        raise InputError(f"/jobs/{j}/priority", int(jobs.priority[j]), expected)
    refuse_inexact(problem)
