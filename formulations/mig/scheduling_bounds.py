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

Bound on the sum of completion times where no job stops, by an assignment of jobs to places.

All jobs are released at r_min = min_j r_j. On a unit the q-th job from the end delays q jobs by
L_j, itself included: so sum C_j = n r_min + sum over jobs of q L_j, and the least sum is an
assignment problem of jobs to (unit, q), a job on units that hold its peak (Horn 1973, with
eligible machines). Later releases only raise it.

A lower bound on each stage of the objective, put together from bounds on its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from operator import mul

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Ints
from rsjs.formulations.mig.scheduling_lagrangian import ADDITIVE, lagrangian_bound
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import EQUAL, Schedule, met, terms


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


def _with_tails(tail: Ints, count: Ints, units: int) -> int:
    """The largest ceil(sum of counts with tail >= Q / units) + Q."""
    order = np.argsort(-tail, kind="stable")
    work = -(-np.cumsum(count[order]) // units)
    return int((work + tail[order]).max())


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


SUMMED = 1e-12  # relative, what sums of prices may lose


def quick_bounds(problem: SchedulingProblem) -> tuple[float, ...]:
    """Combinatorial bounds, each valid for every schedule."""
    known = term_bounds(problem)
    if "completion" in problem.objective.terms and not problem.stops.any():
        known["completion"] = max(known["completion"], assignment_bound(problem))
    return tuple(_sum(stage, known) for stage in problem.objective.stages)


def stage_bounds(
    problem: SchedulingProblem,
    schedule: Schedule,
    *,
    iterations: int = 1500,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[float, ...]:
    """
    The same, with the Lagrangian bound where the schedule does not meet them.

    Parameters
    ----------
    problem
    schedule : Schedule
        A good one: prices aim at its values.
    iterations : int
        Most for each stage.
    stop : callable
        Polled in every iteration.
    """
    known, found = term_bounds(problem), list(quick_bounds(problem))
    reached = terms(problem, schedule)
    values = problem.objective.values(reached)
    for stage, weights in enumerate(problem.objective.stages):
        additive = {term: weight for term, weight in weights.items() if term in ADDITIVE}
        if not additive or met(values[stage], found[stage]):
            continue
        bound = lagrangian_bound(
            problem,
            additive,
            target=sum(weight * reached[term] for term, weight in additive.items()),
            horizon=int(reached["makespan"]),
            iterations=iterations,
            stop=stop,
        )
        rest = {term: weight for term, weight in weights.items() if term not in ADDITIVE}
        whole = ceil(bound - EQUAL - SUMMED * abs(bound)) + _sum(rest, known)
        found[stage] = max(found[stage], whole)
    return tuple(found)


def _sum(weights: Mapping[str, int], known: Mapping[str, float]) -> float:
    return sum(weight * known[term] for term, weight in weights.items())
