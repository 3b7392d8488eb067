"""
Every schedule of a tiny problem on MIG instances, minute by minute: the oracle.

A state is the minute, the next step of each job, and the unit of each job's last step if it ran in
the minute before, or has to be kept. What follows adds up over minutes, so the best continuation
of a state is the one with the least stages in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from rsjs.instances.errors import InputError, described
from rsjs.instances.mig.schedule_objective import TERMS
from rsjs.instances.mig.scheduling import SchedulingProblem

MOST_STEPS, MOST_JOBS = 16, 5

Values = tuple[float, ...]
State = tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...]]
IDLE = -1


def best_values(problem: SchedulingProblem) -> Values:
    """The value of each stage of an optimal schedule."""
    if problem.steps > MOST_STEPS or len(problem.jobs) > MOST_JOBS:
        found = described(f"{len(problem.jobs)} jobs, {problem.steps} steps")
        raise InputError("/jobs", found, f"at most {MOST_JOBS} jobs and {MOST_STEPS} steps")
    jobs = range(len(problem.jobs))
    length, start = problem.jobs.run_length.tolist(), problem.jobs.start.tolist()
    release, due = problem.release.tolist(), problem.due.tolist()
    sizes, memory = problem.memory.tolist(), problem.jobs.memory.tolist()
    end = int(problem.release.max()) + problem.steps

    def choices(t: int, state: State) -> Iterator[tuple[int, ...]]:
        """A unit or IDLE for every job."""
        step, last, ran = state

        def of_job(j: int, taken: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
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

    @cache
    def best(t: int, state: State) -> Values | None:
        step, last, ran = state
        if all(step[j] == length[j] for j in jobs):
            return (0,) * len(problem.objective.stages)
        if t == end:
            return None
        found: Values | None = None
        for units in choices(t, state):
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
            after = tuple(step[j] + (units[j] != IDLE) for j in jobs)
            if all(after[j] == length[j] for j in jobs):
                cost["makespan"] = t + 1
            rest = best(
                t + 1,
                (
                    after,
                    tuple(last[j] if units[j] == IDLE else units[j] for j in jobs),
                    tuple(units[j] != IDLE for j in jobs),
                ),
            )
            if rest is not None:
                here = problem.objective.values(cost)
                whole = tuple(a + b for a, b in zip(here, rest, strict=True))
                found = whole if found is None else min(found, whole)
        return found

    none = (0,) * len(problem.jobs), (IDLE,) * len(problem.jobs), (False,) * len(problem.jobs)
    values = best(0, none)
    if values is None:
        raise ValueError(f"{problem.name}: no schedule within {end} minutes")
    return values
