"""
Lower bounds on each stage of the objective of a schedule on MIG instances.

Combinatorial bounds. Steps are of size c = 0, 1, ...: the smallest size of unit that holds them
(for a job that may not move: its peak); m_c units have at least size c, and n_jc steps of job j at
least that size.

    makespan   max_j r_j + L_j, and for every c, head R and tail Q
                   R + ceil(sum of n_jc over jobs with head_jc >= R and tail_jc >= Q / m_c) + Q
               head_jc = r_j + steps before the first one of size c or more, tail_jc = steps after
               the last one
    waste      every step on the smallest unit that holds it
    late       jobs with r_j + L_j > d_j

Sum of completion times where no job stops: an assignment of jobs to places. All jobs are released
at r_min = min_j r_j. On a unit the q-th job from the end delays q jobs by L_j, itself included: so
sum C_j = n r_min + sum over jobs of q L_j, and the least sum is an assignment problem of jobs to
(unit, q), a job on units that hold its peak (Horn 1973, with eligible machines). Later releases
only raise it.

Lagrangian bound for what adds up over jobs: completion times, jobs late, preemptions. In minute t
at most m_c steps of size c or more can run, wherever they run. With prices lambda_ct >= 0 for that
the jobs separate:

    L(lambda) = sum_j min over the minutes t_0 < t_1 < ... of job j
                    f_j(t_last + 1) + alpha [gaps] + sum_k p(size_jk, t_k)  -  sum_ct m_c lambda_ct
    p(c, t)   = sum of lambda_c't over c' <= c,     f_j(C) = weight * C, or [C > d_j], or both

Each minimum is a chain of shortest paths, g_k(t) = p(size_k, t) + min(g_{k-1}(t - 1), alpha +
min_{t' < t - 1} g_{k-1}(t')); alpha is infinite for a job that may not stop. Prices are moved by
Polyak's step along the subgradient usage - m_c, to which the last direction is added. The last
L_max minutes of the horizon are free: a job that ends later could run there at no higher cost, so
the bound holds for any horizon. Its limit is the bound of the linear relaxation of the
time-indexed model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from math import ceil
from operator import mul

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats, Ints
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import EQUAL, Schedule, met, terms

MOST_CELLS = 20_000_000  # jobs * jobs * units of the assignment
MOST_CHAIN_CELLS = 50_000_000  # jobs * steps * minutes of the Lagrangian bound
SUMMED = 1e-12  # relative, what sums of prices may lose
ADDITIVE = ("late", "completion", "weighted_completion", "preemptions")
PATIENCE, SHORTER = 10, 0.85  # iterations without a better bound, factor of the step after them
MEMORY = 0.95  # share of the last direction: the bare subgradient stalls 1 % below the limit
BEYOND = 0.005  # of the target: aiming above it makes longer steps
LEAST = 1e-6  # rise of the bound that counts
SHORTEST = 1e-5  # step at which prices no longer move


def term_bounds(problem: SchedulingProblem) -> dict[str, float]:
    """Return a lower bound on each term."""
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
    """Return a lower bound on max_j C_j."""
    bound = int((problem.release + problem.jobs.run_length).max())
    for size, units in enumerate(problem.units_from.tolist()):
        # Jobs with steps of that size or more: how many, and the steps before and after these.
        large = np.flatnonzero(problem.size_class >= size)
        if not len(large):
            break
        jobs, first = np.unique(problem.step_job[large], return_index=True)
        count = np.diff(np.append(first, len(large)))
        last = np.append(first[1:], len(large)) - 1
        head = problem.release[jobs] + large[first] - problem.jobs.start[jobs]
        tail = problem.jobs.start[jobs + 1] - 1 - large[last]
        for least in np.unique(head).tolist():
            # The largest ceil(sum of counts with tail >= Q / units) + Q of jobs from `least` on.
            among = np.flatnonzero(head >= least)
            among = among[np.argsort(-tail[among], kind="stable")]
            work = -(-np.cumsum(count[among]) // units)
            bound = max(bound, least + int((work + tail[among]).max()))
    return bound


def assignment_bound(problem: SchedulingProblem) -> int:
    """Return a lower bound on sum_j C_j of a problem whose jobs do not stop."""
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


def quick_bounds(problem: SchedulingProblem) -> tuple[float, ...]:
    """Return combinatorial bounds, each valid for every schedule; without one that is too large."""
    known = term_bounds(problem)
    if "completion" in problem.objective.terms and not problem.stops.any():
        with suppress(InputError):
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
    Return bounds on each stage, Lagrangian ones where the schedule does not meet the others.

    Without Lagrangian ones that are too large, see `MOST_CHAIN_CELLS`.

    Parameters
    ----------
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
        try:
            bound = lagrangian_bound(
                problem,
                additive,
                target=sum(weight * reached[term] for term, weight in additive.items()),
                horizon=int(reached["makespan"]),
                iterations=iterations,
                stop=stop,
            )
        except InputError:
            continue
        rest = {term: weight for term, weight in weights.items() if term not in ADDITIVE}
        whole = ceil(bound - EQUAL - SUMMED * abs(bound)) + _sum(rest, known)
        found[stage] = max(found[stage], whole)
    return tuple(found)


def _sum(weights: Mapping[str, int], known: Mapping[str, float]) -> float:
    return sum(weight * known[term] for term, weight in weights.items())


def horizon(problem: SchedulingProblem, start: Schedule) -> int:
    """
    Return minutes that hold an optimal schedule.

    No more than the makespan of a start if only that counts first. After the last release a minute
    in which nothing runs can be taken out.
    """
    makespan = int(terms(problem, start)["makespan"])
    if {*problem.objective.stages[0]} == {"makespan"}:
        return makespan
    return max(makespan, int(problem.release.max()) + problem.steps)


def lagrangian_bound(
    problem: SchedulingProblem,
    weights: Mapping[str, int],
    *,
    target: float,
    horizon: int,
    iterations: int = 1500,
    stop: Callable[[], bool] = lambda: False,
) -> float:
    """
    Return a lower bound on a weighted sum of additive terms; the better, the more iterations.

    Parameters
    ----------
    weights : mapping
        Term of `ADDITIVE` -> weight; others are ignored.
    target : float
        Value of some schedule, an integer: the search ends when no integer is left below it.
    horizon : int
        Minutes that may have a price: the makespan of a good schedule.
    iterations : int
    stop : callable
        Polled in every iteration.
    """
    chains = _Chains(problem, weights, horizon)
    limit = problem.units_from.astype(np.float64)[:, None]
    prices = np.zeros((len(limit), chains.minutes))
    direction = np.zeros_like(prices)
    aim = target + BEYOND * abs(target)
    best, length, without = -np.inf, 1.0, 0
    for _ in range(iterations):
        cost, usage = chains.cheapest(prices)
        value = cost - float((limit * prices).sum())
        if value > best + LEAST:
            best, without = value, 0
        elif (without := without + 1) == PATIENCE:
            length, without = length * SHORTER, 0
        # Polyak's step along the subgradient and the last direction, prices kept at 0 or above.
        direction = usage - limit + MEMORY * direction
        direction[:, chains.priced :] = 0.0
        slope = np.where((direction < 0) & (prices == 0), 0.0, direction)
        size = float((slope**2).sum())
        if size == 0 or best > target - 1 or length < SHORTEST or stop():
            break
        prices = np.maximum(0.0, prices + slope * (length * (aim - value) / size))
    return best


class _Chains:
    """Shortest paths of the jobs, all at once."""

    def __init__(
        self, problem: SchedulingProblem, weights: Mapping[str, int], horizon: int
    ) -> None:
        jobs, length = problem.jobs, problem.jobs.run_length
        longest = int(length.max())
        self.priced = max(horizon, int(problem.release.max()) + longest)
        self.minutes = self.priced + longest
        if self.minutes * len(jobs) * longest > MOST_CHAIN_CELLS:
            found = described(f"{len(jobs)} jobs, {self.minutes} minutes, {longest} steps")
            raise InputError("", found, f"a product of at most {MOST_CHAIN_CELLS} for this bound")
        self.length = length
        self.size = np.zeros((longest, len(jobs)), dtype=np.int64)
        inside = np.arange(longest)[:, None] < length
        self.size.T[inside.T] = problem.size_class
        self.begun = np.arange(self.minutes) >= problem.release[:, None]
        stop_cost = np.where(problem.stops, weights.get("preemptions", 0), np.inf)
        self.stop_cost, self.stops_freely = stop_cost[:, None], not stop_cost.any()
        # (J, minutes) f_j(t + 1), the cost of a last step in each minute
        end = np.arange(1, self.minutes + 1)
        weighted = jobs.priority * weights.get("weighted_completion", 0)
        per_minute = weights.get("completion", 0) + weighted
        late = weights.get("late", 0) * (end > problem.due[:, None])
        self.end_cost: Floats = (per_minute[:, None] * end + late).astype(np.float64)

    def cheapest(self, prices: Floats) -> tuple[float, Floats]:
        """Return the cost of all paths, and steps of each size or more in each minute."""
        of_size = np.cumsum(prices, axis=0)  # (sizes, minutes) p(c, t)
        jobs = np.arange(len(self.length))
        cost = np.where(self.begun, of_size[self.size[0]], np.inf)
        ends = np.empty(len(jobs))
        before: list[Ints] = []
        last = np.zeros(len(jobs), dtype=np.int64)
        for k in range(len(self.size)):  # cost: (J, minutes) g_k
            if k:
                from_minute, reach = self._reach(cost)
                before.append(from_minute)
                cost = of_size[self.size[k]] + reach
            done = self.length == k + 1
            whole = cost[done] + self.end_cost[done]
            last[done] = whole.argmin(axis=1)
            ends[done] = whole.min(axis=1)
        usage = np.zeros_like(prices)
        # Walk the cheapest chains back from their last steps.
        minute = last
        for k in range(len(self.size) - 1, -1, -1):
            running = self.length > k
            if k + 1 < len(self.size):
                later = self.length > k + 1
                minute = np.where(later, before[k][jobs, minute], minute)
            np.add.at(usage, (self.size[k][running], minute[running]), 1.0)
        return float(ends.sum()), usage[::-1].cumsum(axis=0)[::-1]

    def _reach(self, cost: Floats) -> tuple[Ints, Floats]:
        """Return for each minute the least cost to be done with the step before, and its minute."""
        least = np.minimum.accumulate(cost, axis=1)
        new = cost[:, 1:] < least[:, :-1]  # a first minute of the least cost so far
        reach, from_minute = np.full_like(cost, np.inf), np.zeros(cost.shape, dtype=np.int64)
        first = np.zeros(cost.shape, dtype=np.int64)
        first[:, 1:] = np.maximum.accumulate(np.where(new, np.arange(1, self.minutes), 0), axis=1)
        if self.stops_freely:
            reach[:, 1:], from_minute[:, 1:] = least[:, :-1], first[:, :-1]
            return from_minute, reach
        reach[:, 1:], from_minute[:, 1:] = cost[:, :-1], np.arange(self.minutes - 1)
        # Either right after the step before, or after a gap, at the price of a stop.
        gap = least[:, :-2] + self.stop_cost
        shorter = gap < reach[:, 2:]
        reach[:, 2:] = np.where(shorter, gap, reach[:, 2:])
        from_minute[:, 2:] = np.where(shorter, first[:, :-2], from_minute[:, 2:])
        return from_minute, reach
