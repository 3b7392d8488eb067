"""
A schedule on the units of a GPU: its terms, its file, and what a method says about it.

A file, format `rsjs-mig-schedule/1`, names its problem by sha256 and has minutes and units of each
job. It may claim a value and a lower bound for each stage of the objective.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul
from pathlib import Path

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.core.types import Ints, ReadOnly
from rsjs.instances.io.files import write_document
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig.io import read
from rsjs.instances.mig.scheduling.problem import SchedulingProblem

MIG_SCHEDULE = "rsjs-mig-schedule/1"
EQUAL = 1e-6  # values of a stage that differ less are the same
ROUNDING = 1e-15  # relative, of values and bounds with memory that is no integer


@dataclass(frozen=True, kw_only=True, eq=False)
class Schedule(ReadOnly):
    """Minute and unit of every step; steps are those of job 0, then of job 1, ..."""

    minute: Ints  #: (S,) the step takes [minute, minute + 1)
    unit: Ints  #: (S,)

    def __post_init__(self) -> None:
        for array in (self.minute, self.unit):
            array.setflags(write=False)


@dataclass(frozen=True, kw_only=True)
class ScheduleFile:
    """A schedule and the values that its file reports: a number per stage of the objective."""

    schedule: Schedule
    method: str | None = None
    objective: tuple[float, ...] | None = None
    bound: tuple[float | None, ...] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ScheduleResult:
    """Result of a scheduling method; a missing number is None."""

    stop: Stop
    schedule: Schedule | None  #: the best one found
    #: a lower bound on each stage; that of a later one holds for schedules optimal in those before
    bound: tuple[float | None, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)  #: phase -> wall-clock seconds
    #: iterations, branches, columns, ..., as far as they apply
    counts: Mapping[str, int] = field(default_factory=dict)


def completion(problem: SchedulingProblem, schedule: Schedule) -> Ints:
    """Return (J,) C_j, the end of the last step of each job, in minutes from the start."""
    return schedule.minute[problem.jobs.start[1:] - 1] + 1


def terms(problem: SchedulingProblem, schedule: Schedule) -> dict[str, float]:
    """Return the terms of a feasible schedule; `objective.TERMS` has their formulas."""
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


def stage_values(problem: SchedulingProblem, schedule: Schedule) -> tuple[float, ...]:
    """Return the value of each stage of the objective."""
    return problem.objective.values(terms(problem, schedule))


def best_of(problem: SchedulingProblem, *schedules: Schedule) -> Schedule:
    """Return the schedule of the lowest objective, stage by stage; the first of equal ones."""
    return min(schedules, key=lambda schedule: stage_values(problem, schedule))


def met(value: float, bound: float | None) -> bool:
    """Return whether a bound proves a value."""
    return bound is not None and bound >= value - EQUAL - ROUNDING * abs(value)


def read_schedule(path: str | Path, problem: SchedulingProblem) -> ScheduleFile:
    """
    Read an `rsjs-mig-schedule/1` file of this problem.

    Raises
    ------
    InputError
        Also if it is one for another problem, or a job has too few or too many minutes or units.
    """

    def build(document: Document) -> ScheduleFile:
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
                    shown = described(f"{len(row[name])} {name}")
                    raise InputError(f"/jobs/{j}/{name}", shown, f"{length}, one per step")
        objective, bound = document.get("objective"), document.get("bound")
        return ScheduleFile(
            schedule=Schedule(
                minute=np.array([t for row in rows for t in row["minutes"]], dtype=np.int64),
                unit=np.array([i for row in rows for i in row["units"]], dtype=np.int64),
            ),
            method=document.get("method"),
            objective=None if objective is None else tuple(objective),
            bound=None if bound is None else tuple(bound),
        )

    return read(path, MIG_SCHEDULE, "mig-schedule", build)


def write_schedule(
    problem: SchedulingProblem,
    schedule: Schedule,
    path: str | Path,
    *,
    method: str | None = None,
    objective: Sequence[float] | None = None,
    bound: Sequence[float | None] | None = None,
) -> None:
    """Write a schedule with what is claimed about it; a `.gz` name compresses."""
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
    claims = {"method": method, "objective": objective, "bound": bound}
    document |= {key: value for key, value in claims.items() if value is not None}
    write_document(document, path)
