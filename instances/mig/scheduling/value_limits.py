"""Objectives whose values a double holds exactly: no schedule needs a value above 10^14."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rsjs.instances.errors import InputError, described

if TYPE_CHECKING:
    from rsjs.instances.mig.scheduling.problem import SchedulingProblem


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
