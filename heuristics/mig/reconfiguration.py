"""
Greedy reconfiguration of one GPU: a list of jobs, scanned whenever slices become free.

At a time t the jobs that are released and not placed are scanned in the order of a rule. A job
takes, of the placements that are free at t, the one with the least d m, duration times memory
slices; ties: least d, then the highest start. Its instance is made at t, and it begins at
t + delta or at its release.

    area      decreasing least d m of a job
    shortest  increasing least d
    longest   decreasing least d

No rule keeps slices free for a job that is larger than what is free.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache

import numpy as np

from rsjs.core.types import Ints
from rsjs.instances.mig.geometry import Geometry, geometry, slices
from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
    job_placements,
    makespan,
)

RULES: dict[str, Callable[[ReconfigurationProblem], Ints]] = {
    "area": lambda jobs: -jobs.least(jobs.duration * slices(jobs.gpu)[jobs.profile, 1]),
    "shortest": lambda jobs: jobs.least_times,
    "longest": lambda jobs: -jobs.least_times,
}


def greedy(
    jobs: ReconfigurationProblem, rule: str, allowed: Collection[int] | None = None
) -> ReconfigurationSchedule:
    """
    Build the schedule of a rule.

    Parameters
    ----------
    allowed : collection of int or None
        The only placements there are, those of a static partition; None = all of the GPU.
    """
    found = geometry(jobs.gpu)
    # Jobs in the order of the rule; their placements, best first, as lists and as bits.
    waiting = np.argsort(RULES[rule](jobs), kind="stable").tolist()
    wanted = [_wanted(found, job_placements(jobs, j, allowed)) for j in range(len(jobs))]
    asked = [sum(1 << q for q, _ in own) for own in wanted]
    free = _free(found)
    ready = np.maximum(jobs.release - jobs.delta, 0).tolist()
    placed: dict[int, tuple[int, int, int]] = {}
    running: list[tuple[int, int]] = []  # (end, placement)
    state, time = 0, 0
    while waiting:
        # Scan the jobs that are released: each takes its best placement that is free.
        for j in list(waiting):
            if ready[j] > time or not asked[j] & free[state]:
                continue
            q, lasts = next(option for option in wanted[j] if free[state] >> option[0] & 1)
            begin = max(time + jobs.delta, int(jobs.release[j]))
            placed[j] = int(found.profile[q]), int(found.start[q]), begin
            running.append((begin + lasts, q))
            state = int(found.following[state, q])
            waiting.remove(j)
        # The next time at which slices become free or a job is released.
        events = [end for end, _ in running] + [ready[j] for j in waiting if ready[j] > time]
        if not waiting:
            break
        time = min(events)
        running = [(end, q) for end, q in running if end > time]
        # The set of placements that still run.
        state = 0
        for _, q in running:
            state = int(found.following[state, q])
    return ReconfigurationSchedule.of(jobs, placed)


def best_greedy(
    jobs: ReconfigurationProblem, allowed: Collection[int] | None = None
) -> tuple[str, ReconfigurationSchedule]:
    """Return the best of all rules and its schedule; the first of equal ones."""
    schedules = {rule: greedy(jobs, rule, allowed) for rule in RULES}
    rule = min(schedules, key=lambda name: makespan(jobs, schedules[name]))
    return rule, schedules[rule]


@lru_cache(maxsize=8)
def _free(found: Geometry) -> list[int]:
    """Return for each feasible set the placements beside it, bit q for placement q."""
    bits = np.array([1 << q for q in range(found.following.shape[1])], dtype=object)
    return list((found.following >= 0) @ bits)


def _wanted(found: Geometry, own: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return placements and durations of a job, best first."""

    def worth(option: tuple[int, int]) -> tuple[int, int, int]:
        q, lasts = option
        return lasts * int(found.mask[q]).bit_count(), lasts, -int(found.start[q])

    return sorted(own, key=worth)
