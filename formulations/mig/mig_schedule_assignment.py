"""
Bound on the sum of completion times where no job stops, by an assignment of jobs to places.

All jobs are released at r_min = min_j r_j. On a unit the q-th job from the end delays q jobs by
L_j, itself included: so sum C_j = n r_min + sum over jobs of q L_j, and the least sum is an
assignment problem of jobs to (unit, q), a job on units that hold its peak (Horn 1973, with
eligible machines). Later releases only raise it.
"""

from __future__ import annotations

import numpy as np

from rsjs.instances.errors import InputError, described
from rsjs.instances.mig.scheduling.problem import SchedulingProblem

MOST_CELLS = 20_000_000


def assignment_bound(problem: SchedulingProblem) -> int:
    """A lower bound on sum_j C_j of a problem whose jobs do not stop."""
    from scipy.optimize import linear_sum_assignment

    if problem.stops.any():
        j = int(problem.stops.argmax())
        raise InputError(f"/jobs/{j}", described("a job that may stop"), "reading C for this bound")
    jobs, units = len(problem.jobs), len(problem.memory)
    if jobs**2 * units > MOST_CELLS:
        found = described(f"{jobs} jobs, {units} units")
        raise InputError("", found, f"jobs * jobs * units of at most {MOST_CELLS} for this bound")
    position = np.tile(np.arange(1.0, jobs + 1), units)
    cost = problem.jobs.run_length[:, None] * position
    cost[problem.jobs.peak[:, None] > np.repeat(problem.memory, jobs)] = np.inf
    row, column = linear_sum_assignment(cost)
    return int(cost[row, column].sum()) + jobs * int(problem.release.min())
