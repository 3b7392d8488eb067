"""
Every schedule of a tiny problem on MIG instances, minute by minute: the oracle.

A state is the minute, the next step of each job, and the unit of each job's last step if it ran in
the minute before, or has to be kept. What follows adds up over minutes, so the best continuation
of a state is the one with the least stages in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule

MOST_STEPS, MOST_JOBS = 16, 5

Values = tuple[float, ...]
State = tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...]]
Units = tuple[int, ...]
IDLE = -1


def best_values(problem: SchedulingProblem) -> Values:
    """Return the value of each stage of an optimal schedule."""
    return _best(problem)[0]


def best_schedule(problem: SchedulingProblem) -> Schedule:
    """Return an optimal schedule."""
    rows: list[list[tuple[int, int]]] = [[] for _ in range(len(problem.jobs))]
    for t, units in enumerate(_best(problem)[1]):
        for row, unit in zip(rows, units, strict=True):
            row += [] if unit == IDLE else [(t, unit)]
    minute, unit = np.array([step for row in rows for step in row], dtype=np.int64).T.copy()
    return Schedule(minute=minute, unit=unit)


def _best(problem: SchedulingProblem) -> tuple[Values, list[Units]]:
    """Return the stages of an optimal schedule, and the units of the jobs in each minute."""
    if problem.steps > MOST_STEPS or len(problem.jobs) > MOST_JOBS:
        found = described(f"{len(problem.jobs)} jobs, {problem.steps} steps")
        raise InputError("/jobs", found, f"at most {MOST_JOBS} jobs and {MOST_STEPS} steps")
    jobs = range(len(problem.jobs))
    length, start = problem.jobs.run_length.tolist(), problem.jobs.start.tolist()
    release, due = problem.release.tolist(), problem.due.tolist()
    sizes, memory = problem.memory.tolist(), problem.jobs.memory.tolist()
    end = int(problem.release.max()) + problem.steps

    def choices(t: int, state: State) -> Iterator[Units]:
        """Yield a unit or IDLE for every job."""
        step, last, ran = state

        def of_job(j: int, taken: Units) -> Iterator[Units]:
            if j == len(step):
                yield taken
                return
            ready = step[j] < length[j] and t >= release[j]
            must = ready and step[j] > 0 and not problem.stops[j]
            if not must:
                yield from of_job(j + 1, (*taken, IDLE))
            if not ready or (must and not ran[j]):
                return
            for i, size in enumerate(sizes):
                kept = step[j] == 0 or problem.moves[j] or last[j] == i
                if size >= problem.need[start[j] + step[j]] and i not in taken and kept:
                    yield from of_job(j + 1, (*taken, i))

        return of_job(0, ())

    def after(state: State, units: Units) -> State:
        """Return the state one minute later."""
        step, last, _ = state
        return (
            tuple(step[j] + (units[j] != IDLE) for j in jobs),
            tuple(last[j] if units[j] == IDLE else units[j] for j in jobs),
            tuple(unit != IDLE for unit in units),
        )

    def costs(t: int, state: State, units: Units) -> Values:
        """Return what the minute adds to each stage."""
        step, last, ran = state
        cost = dict.fromkeys(TERMS, 0.0)
        for j in jobs:
            if units[j] == IDLE:
                continue
            if step[j] == length[j] - 1:
                cost["late"] += t + 1 > due[j]
                cost["completion"] += t + 1
                cost["weighted_completion"] += int(problem.jobs.priority[j]) * (t + 1)
            cost["waste"] += sizes[units[j]] - memory[start[j] + step[j]]
            cost["preemptions"] += step[j] > 0 and not ran[j]
            cost["migrations"] += step[j] > 0 and units[j] != last[j]
        if all(step[j] + (units[j] != IDLE) == length[j] for j in jobs):
            cost["makespan"] = t + 1
        return problem.objective.values(cost)

    @cache
    def best(t: int, state: State) -> tuple[Values, Units] | None:
        """Return values from here on, and the units of this minute; no units where all is done."""
        if all(state[0][j] == length[j] for j in jobs):
            return (0,) * len(problem.objective.stages), ()
        if t == end:
            return None
        cheapest: tuple[Values, Units] | None = None
        for units in choices(t, state):
            rest = best(t + 1, after(state, units))
            if rest is not None:
                minute = costs(t, state, units)
                whole = tuple(a + b for a, b in zip(minute, rest[0], strict=True))
                if cheapest is None or whole < cheapest[0]:
                    cheapest = whole, units
        return cheapest

    # Follow the best units from minute to minute.
    state: State = (0,) * len(jobs), (IDLE,) * len(jobs), (False,) * len(jobs)
    first = best(0, state)
    if first is None:
        raise ValueError(f"{problem.name}: no schedule within {end} minutes")
    trajectory: list[Units] = []
    units = first[1]
    while units:
        trajectory.append(units)
        state = after(state, units)
        following = best(len(trajectory), state)
        assert following is not None  # the minute before was chosen since there is one
        units = following[1]
    return first[0], trajectory
