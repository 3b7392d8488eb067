"""The path from a schedule towards another one; see path_relinking.py."""

from __future__ import annotations

from math import inf

from rsjs.heuristics.common.initial_solutions import Found
from rsjs.heuristics.common.stopping import Stopping
from rsjs.heuristics.local_search import kernels_refreshing, kernels_relinking
from rsjs.heuristics.local_search.arrays import Ints, tables
from rsjs.heuristics.local_search.schedules import Schedule, schedule, solution
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


class Relinking:
    """
    Paths in one instance.

    Attributes
    ----------
    steps : int
        Made so far.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance, self._tables = instance, tables(instance)
        self._step = kernels_relinking.no_step()
        self.steps = 0

    def path(self, start: Solution, guide: Ints, most: int, stop: Stopping) -> Found | None:
        """
        The cheapest schedule on the way, the start left out.

        Parameters
        ----------
        guide : (J,) codes as in `elite_pool.configurations`
        most : int
            Steps.
        stop : asked after each step

        Returns
        -------
        Cost [$] and schedule; None if no step is possible.
        """
        state = self._state(start)
        least, best = inf, None
        for _ in range(most):
            if not kernels_relinking.make_step(self._tables, state, guide, self._step):
                break
            cost = kernels_refreshing.refresh(self._tables, state)
            self.steps += 1
            if cost < least:
                least = cost
                best = state.node.copy(), state.column.copy(), state.kind.copy()
            if stop(least, iterations=0):
                break
        if best is None:
            return None
        node, column, kind = best
        cheapest = state._replace(node=node, column=column, kind=kind)
        found = solution(self._instance, self._tables, cheapest)
        return costs.terms(self._instance, found).total, found

    def _state(self, start: Solution) -> Schedule:
        state = schedule(self._instance, self._tables, start, 1)
        kernels_refreshing.refresh(self._tables, state)
        return state
