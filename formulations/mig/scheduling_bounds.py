"""
Combinatorial lower bounds on the terms of a schedule on MIG instances.

Steps are of size c = 0, 1, ...: the smallest size of unit that holds them (for a job that may not
move: its peak); m_c units have at least size c, and n_jc steps of job j at least that size.

    makespan   max_j r_j + L_j, and for every c, head R and tail Q
                   R + ceil(sum of n_jc over jobs with head_jc >= R and tail_jc >= Q / m_c) + Q
               head_jc = r_j + steps before the first one of size c or more, tail_jc = steps after
               the last one
    waste      every step on the smallest unit that holds it
    late       jobs with r_j + L_j > d_j
"""

from __future__ import annotations

from operator import mul

import numpy as np

from rsjs.instances.mig.jobs import Integers
from rsjs.instances.mig.scheduling.problem import SchedulingProblem


def term_bounds(problem: SchedulingProblem) -> dict[str, float]:
    """A lower bound on each term."""
    soonest = problem.release + problem.jobs.run_length
    held = int(problem.sizes[problem.size_class].sum())
    return {
        "late": int((soonest > problem.due).sum()),
        "makespan": makespan_bound(problem),
        "completion": int(soonest.sum()),
        "weighted_completion": sum(map(mul, problem.jobs.priority.tolist(), soonest.tolist())),
        "waste": held - float(problem.jobs.memory.sum()),
        "preemptions": 0,
        "migrations": 0,
    }


def makespan_bound(problem: SchedulingProblem) -> int:
    """A lower bound on max_j C_j."""
    bound = int((problem.release + problem.jobs.run_length).max())
    for size, units in enumerate(problem.units_from.tolist()):
        bound = max(bound, _of_size(problem, size, units))
    return bound


def _of_size(problem: SchedulingProblem, size: int, units: int) -> int:
    large = np.flatnonzero(problem.size_class >= size)
    jobs, first = np.unique(problem.step_job[large], return_index=True)
    if not len(jobs):
        return 0
    count = np.diff(np.append(first, len(large)))
    last = np.append(first[1:], len(large)) - 1
    head = problem.release[jobs] + large[first] - problem.jobs.start[jobs]
    tail = problem.jobs.start[jobs + 1] - 1 - large[last]
    bound = 0
    for least in np.unique(head).tolist():
        among = head >= least
        bound = max(bound, least + _with_tails(tail[among], count[among], units))
    return bound


def _with_tails(tail: Integers, count: Integers, units: int) -> int:
    """The largest ceil(sum of counts with tail >= Q / units) + Q."""
    order = np.argsort(-tail, kind="stable")
    work = -(-np.cumsum(count[order]) // units)
    return int((work + tail[order]).max())
