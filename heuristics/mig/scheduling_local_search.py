"""
Local search for schedules on MIG instances: simulated annealing of the order of jobs.

An order is a schedule by best fit (`kernels.simulate`): every minute the ready jobs choose in that
order. It begins with the best of some schedules, each turned into the order in which its jobs end
and also tried with jobs that stay on their units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.random_streams import first_states
from rsjs.heuristics.mig.kernels import JobOrder, anneal, price, schedule, tables
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule, best_of

HOT, COLD = 2.5e-3, 1.5e-4  # temperatures, relative to the value
BETWEEN = 100  # iterations between two questions whether to stop
ITERATIONS = 30_000


def local_search(
    problem: SchedulingProblem,
    starts: Sequence[Schedule],
    *,
    ends: Sequence[Floats] = (),
    iterations: int = ITERATIONS,
    seed: int = 0,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[Schedule, int]:
    """
    Return the best schedule among the starts and those that are met, and iterations made.

    Parameters
    ----------
    starts : schedules, at least one
    ends : (J,) arrays
        Further orders to begin with, by times at which jobs should end.
    iterations, seed : int
    stop : callable
        Asked every `BETWEEN` iterations.
    """
    given = best_of(problem, *starts)
    p = tables(problem)
    rank, minute, unit = np.empty((3, problem.steps), dtype=np.int64)
    room = np.empty(p.weights.shape[1])

    def priced(order: Ints, stay: bool) -> JobOrder:
        new = JobOrder(order, np.array([stay]), np.empty(len(p.weights)))
        price(p, new, rank, minute, unit, room)
        return new

    # The best of all orders to begin with, jobs staying on their units or not.
    last = problem.jobs.start[1:] - 1
    wanted = [*(start.minute[last].astype(np.float64) for start in starts), *ends]
    orders = [np.argsort(times, kind="stable") for times in wanted]
    tried = [priced(order.copy(), stay) for order in orders for stay in (False, True)]
    current = min(tried, key=lambda order: tuple(order.value))
    best, candidate = (priced(current.jobs.copy(), bool(current.stay[0])) for _ in range(2))
    random = first_states("xorshift", seed, 1, 1, 1)
    done = 0
    while done < iterations and not stop():
        after = min(iterations, done + BETWEEN)
        temperatures = HOT * (COLD / HOT) ** (np.arange(done, after) / iterations)
        anneal(p, current, best, candidate, temperatures, random)
        done = after
    price(p, best, rank, minute, unit, room)
    # A start that no order makes may be better; an order is taken where both are equal.
    return best_of(problem, schedule(problem, minute, unit), given), done
