"""
Jobs on the fixed MIG instances of a GPU: which step of which job runs where in which minute.

Konopa, Fesl and Beranek 2025, section 4. A MIG instance is called a unit here. Job j is a chain
of steps k = 0..L_j - 1 of one minute each with memory w_jk, and may begin at r_j = ceil(arrival).

Reading of "interruptible", which the paper leaves open:
    A  between minutes a job may stop, and go on later on any unit with C_i >= w_jk
    B  it may stop, but goes on on its own unit, with C_i >= max_k w_jk
    C  it keeps its unit, C_i >= max_k w_jk, and does not stop
A job that is not interruptible is read as C, one that is not migratable as B at most.

Objectives whose values a double holds exactly: no schedule needs a value above 10^14.

A schedule on the units of a GPU, and its terms: each formula once.

What a method says about the schedule it made; a missing number is None.

Scheduling problems and schedules as JSON documents, and back.

A problem, `rsjs-mig-scheduling/1`, is a set of jobs with three more keys: units, reading and
objective. A schedule, `rsjs-mig-schedule/1`, names its problem by sha256.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from operator import mul

import numpy as np

from rsjs.core.errors import InputError, described, refuse_control
from rsjs.core.method import Stop
from rsjs.core.types import Bools, Floats, Ints, ReadOnly
from rsjs.instances.io import serialization
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig import jobs as job_documents
from rsjs.instances.mig.io import schema_text
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.scheduling.objective import ScheduleObjective

MOST_VALUE = 1e14


def refuse_inexact(problem: SchedulingProblem) -> None:
    """
    Raise InputError at a stage that weights, priorities, memory and times could take above it.

    A schedule that is not worse than any other in its terms ends by the last release plus all run
    time.
    """
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
            found = described(f"values up to {value:.2g}")
            raise InputError(f"/objective/{stage}", found, f"at most {MOST_VALUE:g}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Schedule(ReadOnly):
    """
    When and where every step runs; steps are those of job 0, then of job 1, ...

    Attributes
    ----------
    minute : (S,) int
        The step takes [minute, minute + 1).
    unit : (S,) int
    """

    minute: Ints
    unit: Ints

    def __post_init__(self) -> None:
        for array in (self.minute, self.unit):
            array.setflags(write=False)


def completion(problem: SchedulingProblem, schedule: Schedule) -> Ints:
    """(J,) C_j, the end of the last step of each job, in minutes from the start."""
    return schedule.minute[problem.jobs.start[1:] - 1] + 1


def terms(problem: SchedulingProblem, schedule: Schedule) -> dict[str, float]:
    """The terms of a feasible schedule; see `schedule_objective.TERMS`."""
    ends = completion(problem, schedule)
    within = problem.step_job[1:] == problem.step_job[:-1]
    gaps = within & (np.diff(schedule.minute) > 1)
    changes = within & (np.diff(schedule.unit) != 0)
    return {
        "late": int((ends > problem.due).sum()),
        "makespan": int(ends.max()),
        "completion": sum(ends.tolist()),
        "weighted_completion": sum(map(mul, problem.jobs.priority.tolist(), ends.tolist())),
        "waste": int(problem.memory[schedule.unit].sum()) - float(problem.jobs.memory.sum()),
        "preemptions": int(gaps.sum()),
        "migrations": int(changes.sum()),
    }


def better(problem: SchedulingProblem, one: Schedule, other: Schedule) -> Schedule:
    """The schedule of the lower objective, stage by stage; the first of equal ones."""
    return min(one, other, key=lambda made: problem.objective.values(terms(problem, made)))


MIG_SCHEDULING, MIG_SCHEDULE = "rsjs-mig-scheduling/1", "rsjs-mig-schedule/1"


@dataclass(frozen=True, kw_only=True)
class ScheduleFile:
    """A schedule and what its file claims about it: a number per stage of the objective."""

    schedule: Schedule
    problem_digest: str
    method: str | None = None
    objective: tuple[float, ...] | None = None
    bound: tuple[float | None, ...] | None = None


def of_problem(problem: SchedulingProblem) -> Document:
    """The document of a problem."""
    units = zip(problem.units, problem.memory.tolist(), strict=True)
    return job_documents.document(problem.jobs) | {
        "format": MIG_SCHEDULING,
        "name": problem.name,
        "units": [{"name": name, "memory": memory} for name, memory in units],
        "reading": problem.reading,
        "objective": [dict(stage) for stage in problem.objective.stages],
    }


def problem_digest(problem: SchedulingProblem) -> str:
    """sha256 of the canonical text, the generator's version left out."""
    return serialization.digest(of_problem(problem))


def to_problem(document: Document) -> SchedulingProblem:
    """The problem of a document that fits its schema; InputError if it makes no sense."""
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


def of_schedule(
    problem: SchedulingProblem,
    schedule: Schedule,
    *,
    method: str | None = None,
    objective: Sequence[float] | None = None,
    bound: Sequence[float | None] | None = None,
) -> Document:
    """The document of a schedule, with what is claimed about it."""
    cuts = problem.jobs.start[1:-1]
    minutes, units = np.split(schedule.minute, cuts), np.split(schedule.unit, cuts)
    document: Document = {
        "format": MIG_SCHEDULE,
        "problem": problem.digest,
        "jobs": [
            {"minutes": minute.tolist(), "units": unit.tolist()}
            for minute, unit in zip(minutes, units, strict=True)
        ],
    }
    known = {"method": method, "objective": objective, "bound": bound}
    return document | {key: value for key, value in known.items() if value is not None}


def to_schedule(document: Document, problem: SchedulingProblem) -> ScheduleFile:
    """
    The schedule of a document that fits its schema, for its problem.

    Raises
    ------
    InputError
        If it is one for another problem, or a job has too few or too many minutes or units.
    """
    if document["problem"] != problem.digest:
        expected = f"{problem.digest}, the sha256 of {problem.name}"
        raise InputError("/problem", document["problem"], expected)
    rows = document["jobs"]
    if len(rows) != len(problem.jobs):
        raise InputError("/jobs", described(f"{len(rows)} jobs"), f"{len(problem.jobs)} jobs")
    for j, row in enumerate(rows):
        length = int(problem.jobs.run_length[j])
        for name in ("minutes", "units"):
            if len(row[name]) != length:
                found = described(f"{len(row[name])} {name}")
                raise InputError(f"/jobs/{j}/{name}", found, f"{length}, one per step")
    objective, bound = document.get("objective"), document.get("bound")
    return ScheduleFile(
        schedule=Schedule(
            minute=np.array([t for row in rows for t in row["minutes"]], dtype=np.int64),
            unit=np.array([i for row in rows for i in row["units"]], dtype=np.int64),
        ),
        problem_digest=document["problem"],
        method=document.get("method"),
        objective=None if objective is None else tuple(objective),
        bound=None if bound is None else tuple(bound),
    )


@cache
def problem_schema() -> str:
    """The JSON Schema of a problem, with that of sets of jobs, to which it refers."""
    schema = json.loads(schema_text("mig-scheduling"))
    jobs = json.loads(schema_text("mig-jobs")) | {"$id": "mig-jobs.schema.json"}
    return json.dumps(schema | {"$defs": schema["$defs"] | {"mig-jobs": jobs}})


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
    memory: Ints
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
        """(J,) whether a job may stop and go on later."""
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


EQUAL = 1e-6  # values of a stage that differ less are the same
ROUNDING = 1e-15  # relative, of values and bounds with memory that is no integer


@dataclass(frozen=True, kw_only=True, eq=False)
class ScheduleResult:
    """
    The end of a method.

    Attributes
    ----------
    stop : Stop
    schedule : Schedule or None
        The best one found.
    bound : tuple of float or None
        A lower bound on each stage of the objective. That of a later stage holds for schedules
        that are optimal in all stages before.
    seconds : mapping
        Phase -> wall-clock seconds.
    counts : mapping
        iterations, branches, columns, ..., as far as they apply.
    """

    stop: Stop
    schedule: Schedule | None
    bound: tuple[float | None, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)


def met(value: float, bound: float | None) -> bool:
    """Whether a bound proves a value."""
    return bound is not None and bound >= value - EQUAL - ROUNDING * abs(value)
