"""Units for steps of which only the minutes are known."""

from __future__ import annotations

import numpy as np

from rsjs.instances.mig.jobs import Integers
from rsjs.instances.mig.scheduling.problem import SchedulingProblem


def fitted_units(problem: SchedulingProblem, minute: Integers) -> Integers:
    """
    (S,) unit of each step, for jobs that may move.

    In every minute the step with the most memory takes the smallest free unit that holds it, its
    last one if there are several of a size. No step is left without one if for every size of unit
    no more steps need at least that size than there are units: a unit that holds a step holds all
    that follow.
    """
    by_size = np.argsort(problem.memory, kind="stable").tolist()
    unit = np.full(problem.steps, -1)
    begins = np.isin(np.arange(problem.steps), problem.jobs.start[:-1])
    busy: dict[int, int] = {}
    for s in np.lexsort([-problem.need, minute]).tolist():
        t, last = int(minute[s]), -1 if begins[s] else int(unit[s - 1])
        free = [i for i in by_size if problem.memory[i] >= problem.need[s] and busy.get(i) != t]
        same = [i for i in free if problem.memory[i] == problem.memory[free[0]]]
        unit[s] = last if last in same else same[0]
        busy[int(unit[s])] = t
    return unit
