"""
Jobs on the fixed MIG instances of a GPU: which step of which job runs where in which minute.

Konopa, Fesl and Beranek 2025, section 4. A MIG instance is called a unit here. Job j is a chain
of steps k = 0..L_j - 1 of one minute each with memory w_jk, and may begin at r_j = ceil(arrival).

Reading of "interruptible", which the paper leaves open:
    A  between minutes a job may stop, and go on later on any unit with C_i >= w_jk
    B  it may stop, but goes on on its own unit, with C_i >= max_k w_jk
    C  it keeps its unit, C_i >= max_k w_jk, and does not stop
A job that is not interruptible is read as C, one that is not migratable as B at most.

A file, format `rsjs-mig-scheduling/1`, is a set of jobs with three more keys: units, reading and
objective. Problems are refused where a schedule no worse than any other in its terms, which ends
by the last release plus all run time, could have a value that a double does not hold exactly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described, refuse_control
from rsjs.core.types import Bools, Floats, Ints, ReadOnly
from rsjs.instances.io import serialization
from rsjs.instances.io.files import write_document
from rsjs.instances.io.serialization import Document
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.mig import jobs as job_documents
from rsjs.instances.mig.io import built, checked, read
from rsjs.instances.mig.job_files import read_jobs
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.scheduling.objective import ScheduleObjective

MIG_SCHEDULING = "rsjs-mig-scheduling/1"
READINGS = ("A", "B", "C")
PAPER_UNITS = (2000, 1000, 1000)  # MB
LATEST = 10_000_000  # minutes: a release, or all run time
NEVER = 2**62  # minutes: no deadline
MOST_VALUE = 1e14  # of a stage: a double holds it exactly


@dataclass(frozen=True, kw_only=True, eq=False)
class SchedulingProblem(ReadOnly):
    """A set of jobs, the units of a GPU, the reading and the objective."""

    name: str
    units: tuple[str, ...]  #: names
    memory: Ints  #: (I,) C_i > 0 [MB]
    jobs: JobSet  #: with S steps in all; a time unit of the set is called a minute
    reading: str  #: "A" | "B" | "C"
    objective: ScheduleObjective

    def __post_init__(self) -> None:
        _check(self)
        self.memory.setflags(write=False)

    @property
    def steps(self) -> int:
        """Number S of steps of all jobs."""
        return len(self.jobs.memory)

    @cached_property
    def release(self) -> Ints:
        """(J,) r_j, the first minute in which a job may run."""
        return np.ceil(self.jobs.arrival).astype(np.int64)

    @cached_property
    def due(self) -> Ints:
        """(J,) a job is late if it completes after this minute; `NEVER` = no deadline."""
        floor = np.floor(np.minimum(self.jobs.deadline, float(NEVER)))
        return floor.astype(np.int64)

    @cached_property
    def stops(self) -> Bools:
        """(J,) whether a job may be interrupted and resumed later."""
        return self.jobs.interruptible & (self.reading != "C")

    @cached_property
    def moves(self) -> Bools:
        """(J,) whether a job may also change its unit."""
        return self.stops & self.jobs.migratable & (self.reading == "A")

    @cached_property
    def step_job(self) -> Ints:
        """(S,) the job of each step."""
        return np.repeat(np.arange(len(self.jobs)), self.jobs.run_length)

    @cached_property
    def need(self) -> Floats:
        """(S,) memory a unit must have for each step [MB]: of the step, or of the whole job."""
        whole = self.jobs.peak[self.step_job]
        return np.where(self.moves[self.step_job], self.jobs.memory, whole)

    @cached_property
    def sizes(self) -> Ints:
        """Distinct memory sizes of units, increasing."""
        return np.unique(self.memory)

    @cached_property
    def units_from(self) -> Ints:
        """Units with at least each of the `sizes`."""
        return np.array([(self.memory >= size).sum() for size in self.sizes], dtype=np.int64)

    @cached_property
    def size_class(self) -> Ints:
        """(S,) index of the smallest of the `sizes` that holds each step."""
        return np.searchsorted(self.sizes, self.need).astype(np.int64)

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical text of its file, the generator's version left out."""
        return serialization.digest(of_problem(self))


def paper_problem(
    jobs: JobSet, reading: str, objective: ScheduleObjective, memory: tuple[int, ...] = PAPER_UNITS
) -> SchedulingProblem:
    """Build a problem on units named by number: those of the paper's experiment by default."""
    return SchedulingProblem(
        name=jobs.name,
        units=_numbered(memory),
        memory=np.array(memory, dtype=np.int64),
        jobs=jobs,
        reading=reading,
        objective=objective,
    )


def named(problem: SchedulingProblem, goal: str | None = None) -> SchedulingProblem:
    """
    Return the problem named `mig-READING-OBJECTIVE-JOBS`, for what tells it from others.

    The objective is as it was asked for, `goal`; units other than the paper's come before the jobs.
    """
    parts = ["mig", problem.reading, re.sub(r"[*\s]", "", goal or str(problem.objective))]
    if tuple(problem.memory.tolist()) != PAPER_UNITS:
        parts.append("+".join(map(str, problem.memory.tolist())))
    return replace(problem, name="-".join([*parts, problem.name.removeprefix("mig-")]))


def of_problem(problem: SchedulingProblem) -> Document:
    """Return the document of a problem."""
    units = zip(problem.units, problem.memory.tolist(), strict=True)
    return job_documents.document(problem.jobs) | {
        "format": MIG_SCHEDULING,
        "name": problem.name,
        "units": [{"name": name, "memory": memory} for name, memory in units],
        "reading": problem.reading,
        "objective": [dict(stage) for stage in problem.objective.stages],
    }


def to_problem(document: Document) -> SchedulingProblem:
    """Build the problem of a document that fits its schema; InputError if it makes no sense."""
    return SchedulingProblem(
        name=document["name"],
        units=tuple(unit["name"] for unit in document["units"]),
        memory=np.array([unit["memory"] for unit in document["units"]], dtype=np.int64),
        jobs=job_documents.to_jobs(document),
        reading=document["reading"],
        objective=ScheduleObjective(
            tuple({term: int(w) for term, w in stage.items()} for stage in document["objective"])
        ),
    )


def read_problem(path: str | Path) -> SchedulingProblem:
    """Read an `rsjs-mig-scheduling/1` file; see `io.read` for errors."""
    return read(path, MIG_SCHEDULING, "mig-scheduling", to_problem)


def write_problem(problem: SchedulingProblem, path: str | Path) -> None:
    """Write a problem; a `.gz` name compresses."""
    write_document(of_problem(problem), path)


def is_problem(document: Any) -> bool:
    """Return whether a document is one of a problem, not of a set of jobs."""
    return isinstance(document, dict) and document.get("format") == MIG_SCHEDULING


def read_problem_or_jobs(
    path: str | Path,
    *,
    reading: str | None = None,
    objective: ScheduleObjective | None = None,
    memory: Sequence[int] | None = None,
) -> SchedulingProblem:
    """
    Read a problem, or a set of jobs as one; what is given replaces what is in the file.

    A set of jobs has no units, reading or objective: 2000, 1000 and 1000 MB, A and the
    makespan if not given.
    """
    document = read_json(path)

    def build(document: Any) -> SchedulingProblem:
        if not is_problem(document):
            default = ScheduleObjective(({"makespan": 1},))
            sizes = PAPER_UNITS if memory is None else tuple(memory)
            return paper_problem(read_jobs(path), reading or "A", objective or default, sizes)
        given: dict[str, Any] = {"reading": reading, "objective": objective}
        if memory is not None:
            given |= {"memory": np.array(memory, dtype=np.int64), "units": _numbered(memory)}
        problem = to_problem(checked(document, MIG_SCHEDULING, "mig-scheduling", path))
        changes = {key: value for key, value in given.items() if value is not None}
        return replace(problem, **changes) if changes else problem

    return built(document, build, path)


def _numbered(memory: Sequence[int]) -> tuple[str, ...]:
    """Return names of units that have none."""
    return tuple(map(str, range(len(memory))))


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
    # The first step that no unit holds.
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
    _refuse_inexact(problem)


def _refuse_inexact(problem: SchedulingProblem) -> None:
    """Raise InputError at a stage that could be above `MOST_VALUE`."""
    jobs, steps = len(problem.jobs), problem.steps
    latest = int(problem.release.max()) + steps
    most = {
        "late": jobs,
        "makespan": latest,
        "completion": jobs * latest,
        "weighted_completion": sum(problem.jobs.priority.tolist()) * latest,
        "waste": steps * int(problem.memory.max()),
        "preemptions": steps,
        "migrations": steps,
    }
    for stage, value in enumerate(problem.objective.values(most)):
        if value > MOST_VALUE:
            shown = described(f"values up to {value:.2g}")
            raise InputError(f"/objective/{stage}", shown, f"at most {MOST_VALUE:g}")
