"""A schedule on the units of a GPU, and its terms: each formula once."""

from __future__ import annotations

from dataclasses import dataclass
from operator import mul

import numpy as np

from rsjs.instances.mig.jobs import Integers
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.read_only import ReadOnly


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

    minute: Integers
    unit: Integers

    def __post_init__(self) -> None:
        for array in (self.minute, self.unit):
            array.setflags(write=False)


def completion(problem: SchedulingProblem, schedule: Schedule) -> Integers:
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
