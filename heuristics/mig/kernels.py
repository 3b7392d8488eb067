"""A scheduling problem on MIG instances as arrays for kernels, units in order of memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.mig.jobs import Floats, Integers
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule


class MigTables(NamedTuple):
    """
    Attributes
    ----------
    first : (J + 1,) int
        The first step of each job; the last is S.
    release, due, priority : (J,) int
    need : (S,) float [MB]
    size_class : (S,) int
        Index of the smallest size of unit that holds the step.
    stops, moves : (J,) bool
    memory : (I,) int [MB]
        Increasing.
    weights : (stages, terms) int
        Of the objective, terms in the order of `TERMS`.
    constant : float
        Memory in use over all steps [MB * minutes], which waste leaves out.
    """

    first: Integers
    release: Integers
    due: Integers
    priority: Integers
    need: Floats
    size_class: Integers
    stops: NDArray[np.bool_]
    moves: NDArray[np.bool_]
    memory: Integers
    weights: Integers
    constant: float


def tables(problem: SchedulingProblem, poll: int = 1) -> MigTables:
    """
    The arrays of a problem.

    Parameters
    ----------
    poll : int
        A job is seen at the first multiple of so many minutes that is no earlier than it arrives:
        the consumer of the paper, 4.2, who empties the queue "at fixed time intervals".
    """
    return MigTables(
        first=problem.jobs.start,
        release=-(-problem.release // poll) * poll,
        due=problem.due,
        priority=problem.jobs.priority,
        need=problem.need,
        size_class=problem.size_class,
        stops=problem.stops,
        moves=problem.moves,
        memory=np.sort(problem.memory),
        weights=np.array(
            [[stage.get(term, 0) for term in TERMS] for stage in problem.objective.stages],
            dtype=np.int64,
        ),
        constant=float(problem.jobs.memory.sum()),
    )


def schedule(problem: SchedulingProblem, minute: Integers, unit: Integers) -> Schedule:
    """The schedule, units in the order of the problem again."""
    order = np.argsort(problem.memory, kind="stable")
    return Schedule(minute=minute.copy(), unit=order[unit])
