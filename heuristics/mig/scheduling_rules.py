"""
Best-fit rules for jobs on MIG instances: every minute the ready jobs in the order of a key, each on
the smallest free unit that holds its next step (a job that may not move: its peak).

Konopa, Fesl and Beranek 2025 name the heuristic "Best-Fit" and no order of the jobs; `fcfs` is the
usual one. A step is *big* by the smallest unit that holds it: sizes 0 (the smallest unit), 1, ...

    fcfs            arrival
    srpt, lrpt      fewest, most remaining steps
    bigrem          most remaining steps of the largest size, then of the next, ..., then of all
    ramdec          largest memory of the next step
    edd             earliest deadline, then fewest remaining steps
    bigfirst_srpt   largest size of the next step, then fewest remaining steps
    bigfirst_lrpt   largest size of the next step, then most remaining steps
    bigfirst_srbig  largest size of the next step, then as `bigrem`, but fewest first

Where jobs do not stop, `srpt` is the rule known as SPT and `lrpt` as LPT.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.mig.kernels import schedule, simulate, tables
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule

Keys = list[Ints]


def _remaining(p: SchedulingProblem) -> Ints:
    return p.jobs.start[1:][p.step_job] - np.arange(p.steps)


def _remaining_by_size(p: SchedulingProblem) -> Keys:
    """Return the remaining steps of each size, the largest first, and of all."""
    counts = []
    for size in range(len(p.sizes) - 1, 0, -1):
        done = np.append(0, np.cumsum(p.size_class == size))
        counts.append(done[p.jobs.start[1:]][p.step_job] - done[:-1])
    return [*counts, _remaining(p)]


RULES: dict[str, Callable[[SchedulingProblem], Keys]] = {
    "fcfs": lambda p: [p.step_job],
    "srpt": lambda p: [_remaining(p)],
    "lrpt": lambda p: [-_remaining(p)],
    "bigrem": lambda p: [-key for key in _remaining_by_size(p)],
    "ramdec": lambda p: [np.argsort(np.argsort(-p.need, kind="stable"), kind="stable")],
    "edd": lambda p: [p.due[p.step_job], _remaining(p)],
    "bigfirst_srpt": lambda p: [-p.size_class, _remaining(p)],
    "bigfirst_lrpt": lambda p: [-p.size_class, -_remaining(p)],
    "bigfirst_srbig": lambda p: [-p.size_class, *_remaining_by_size(p)],
}


def ranks(problem: SchedulingProblem, rule: str) -> Ints:
    """Return (S,) the place of each step in the order of a rule's key, ties by job."""
    if rule not in RULES:
        raise ValueError(f"unknown rule {rule!r} of best fit; known: {', '.join(RULES)}")
    keys = RULES[rule](problem)
    order = np.lexsort([problem.step_job, *keys[::-1]])
    rank = np.empty(problem.steps, dtype=np.int64)
    rank[order] = np.arange(problem.steps)
    return rank


def best_fit(problem: SchedulingProblem, rule: str = "fcfs", poll: int = 1) -> Schedule:
    """
    Build the schedule of a rule.

    Parameters
    ----------
    rule : one of RULES
    poll : int
        Minutes between two looks into the queue; see `kernels.tables`.
    """
    rank = ranks(problem, rule)
    minute, unit = np.empty((2, problem.steps), dtype=np.int64)
    simulate(tables(problem, poll), rank, False, minute, unit)
    return schedule(problem, minute, unit)
