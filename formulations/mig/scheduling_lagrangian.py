"""
Lagrangian bound for what adds up over jobs: completion times, jobs late, preemptions.

Sizes c and counts m_c as in `mig_schedule_bounds`. In minute t at most m_c steps of size c or more
can run, wherever they run. With prices lambda_ct >= 0 for that the jobs separate:

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

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats, Ints
from rsjs.instances.mig.scheduling.problem import SchedulingProblem

ADDITIVE = ("late", "completion", "weighted_completion", "preemptions")
MOST_CELLS = 50_000_000  # jobs * steps * minutes
PATIENCE, SHORTER = 10, 0.85  # iterations without a better bound, factor of the step after them
MEMORY = 0.95  # share of the last direction: the bare subgradient stalls 1 % below the limit
BEYOND = 0.005  # of the target: aiming above it makes longer steps
LEAST = 1e-6  # rise of the bound that counts
SHORTEST = 1e-5  # step at which prices no longer move


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
    A lower bound on a weighted sum of additive terms; the better, the more iterations.

    Parameters
    ----------
    problem
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
        direction = usage - limit + MEMORY * direction
        direction[:, chains.priced :] = 0.0
        slope = np.where((direction < 0) & (prices == 0), 0.0, direction)
        size = float((slope**2).sum())
        if size == 0 or best > target - 1 or length < SHORTEST or stop():
            break
        prices = np.maximum(0.0, prices + slope * (length * (aim - value) / size))
    return best


class _Chains:
    """The jobs' shortest paths, all jobs at once."""

    def __init__(
        self, problem: SchedulingProblem, weights: Mapping[str, int], horizon: int
    ) -> None:
        jobs, length = problem.jobs, problem.jobs.run_length
        longest = int(length.max())
        self.priced = max(horizon, int(problem.release.max()) + longest)
        self.minutes = self.priced + longest
        if self.minutes * len(jobs) * longest > MOST_CELLS:
            found = described(f"{len(jobs)} jobs, {self.minutes} minutes, {longest} steps")
            raise InputError("", found, f"a product of at most {MOST_CELLS} for this bound")
        self.length = length
        self.size = np.zeros((longest, len(jobs)), dtype=np.int64)
        inside = np.arange(longest)[:, None] < length
        self.size.T[inside.T] = problem.size_class
        self.begun = np.arange(self.minutes) >= problem.release[:, None]
        stop_cost = np.where(problem.stops, weights.get("preemptions", 0), np.inf)
        self.stop_cost, self.stops_freely = stop_cost[:, None], not stop_cost.any()
        self.end_cost = _end_cost(problem, weights, self.minutes)

    def cheapest(self, prices: Floats) -> tuple[float, Floats]:
        """Cost of all paths, and steps of each size or more in each minute."""
        of_size = np.cumsum(prices, axis=0)
        jobs = np.arange(len(self.length))
        cost = np.where(self.begun, of_size[self.size[0]], np.inf)
        ends = np.empty(len(jobs))
        before: list[Ints] = []
        last = np.zeros(len(jobs), dtype=np.int64)
        for k in range(len(self.size)):
            if k:
                from_minute, reach = self._reach(cost)
                before.append(from_minute)
                cost = of_size[self.size[k]] + reach
            done = self.length == k + 1
            whole = cost[done] + self.end_cost[done]
            last[done] = whole.argmin(axis=1)
            ends[done] = whole.min(axis=1)
        usage = np.zeros_like(prices)
        at = last
        for k in range(len(self.size) - 1, -1, -1):
            running = self.length > k
            if k + 1 < len(self.size):
                later = self.length > k + 1
                at = np.where(later, before[k][jobs, at], at)
            np.add.at(usage, (self.size[k][running], at[running]), 1.0)
        return float(ends.sum()), usage[::-1].cumsum(axis=0)[::-1]

    def _reach(self, cost: Floats) -> tuple[Ints, Floats]:
        """For each minute the least cost to be done with the step before, and its minute."""
        least = np.minimum.accumulate(cost, axis=1)
        new = cost[:, 1:] < least[:, :-1]
        reach, from_minute = np.full_like(cost, np.inf), np.zeros(cost.shape, dtype=np.int64)
        first = np.zeros(cost.shape, dtype=np.int64)
        first[:, 1:] = np.maximum.accumulate(np.where(new, np.arange(1, self.minutes), 0), axis=1)
        if self.stops_freely:
            reach[:, 1:], from_minute[:, 1:] = least[:, :-1], first[:, :-1]
            return from_minute, reach
        reach[:, 1:], from_minute[:, 1:] = cost[:, :-1], np.arange(self.minutes - 1)
        gap = least[:, :-2] + self.stop_cost
        shorter = gap < reach[:, 2:]
        reach[:, 2:] = np.where(shorter, gap, reach[:, 2:])
        from_minute[:, 2:] = np.where(shorter, first[:, :-2], from_minute[:, 2:])
        return from_minute, reach


def _end_cost(problem: SchedulingProblem, weights: Mapping[str, int], minutes: int) -> Floats:
    """(J, minutes) f_j(t + 1)."""
    end = np.arange(1, minutes + 1)
    per_minute = weights.get("completion", 0) + problem.jobs.priority * weights.get(
        "weighted_completion", 0
    )
    late = weights.get("late", 0) * (end > problem.due[:, None])
    return (per_minute[:, None] * end + late).astype(np.float64)
