"""Descent from a schedule to one that no neighbour improves; see local_search.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsjs.heuristics.common.stopping import Stopping
from rsjs.heuristics.local_search import kernels_neighbourhoods, kernels_refreshing, kernels_search
from rsjs.heuristics.local_search.arrays import tables
from rsjs.heuristics.local_search.schedules import Schedule, schedule, solution
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

NEIGHBOURS = 100_000  # between two questions whether to stop, and what is finished


class Descent:
    """
    The descent for one instance.

    Parameters
    ----------
    k : int
        Length of the lists of late and of dear jobs.
    neighbourhoods : str
        Digits 1 to 7.
    only_late : bool
        Whether the neighbourhoods look at late jobs only, as printed.
    better : called with each schedule found on the way and its cost [$]

    Attributes
    ----------
    moves, neighbours : int
        Made and looked at so far.
    """

    def __init__(
        self,
        instance: Instance,
        *,
        k: int = 10,
        neighbourhoods: str = "1234567",
        only_late: bool = True,
        better: Callable[[Solution, float], None] = lambda solution, cost: None,
    ) -> None:
        if unknown := set(neighbourhoods) - set("1234567"):
            raise ValueError(f"neighbourhoods={neighbourhoods}: {min(unknown)}, must be 1 to 7")
        self._instance, self._k, self._better = instance, k, better
        self._tables = tables(instance, only_late=only_late)
        self._chosen = np.array([digit in neighbourhoods for digit in "1234567"])
        self._move = kernels_neighbourhoods.no_move(len(instance.jobs))
        self._done = np.zeros(2, dtype=np.int64)

    @property
    def moves(self) -> int:
        return int(self._done[kernels_search.MOVES])

    @property
    def neighbours(self) -> int:
        return int(self._done[kernels_search.NEIGHBOURS])

    def improve(self, start: Solution, stop: Stopping) -> tuple[float, Solution]:
        """
        Descend from a schedule until no neighbour improves it or `stop` says so.

        Returns
        -------
        The least cost [$] of the schedules seen, `start` among them, and that schedule.
        """
        best = costs.terms(self._instance, start).total, start
        state = schedule(self._instance, self._tables, start, self._k)
        kernels_refreshing.refresh(self._tables, state)
        while True:
            moves, neighbours = self.moves, self.neighbours
            converged = self._descend(state, min(stop.iterations_left, NEIGHBOURS))
            found = solution(self._instance, self._tables, state)
            cost = costs.terms(self._instance, found).total
            if cost < best[0]:
                best = cost, found
                self._better(found, cost)
            made, seen = self.moves - moves, self.neighbours - neighbours
            if stop(best[0], iterations=made, evaluations=seen) or converged:
                return best

    def _descend(self, state: Schedule, most: float) -> bool:
        args = self._tables, state, self._move, self._chosen
        return kernels_search.descend(*args, int(most), NEIGHBOURS, self._done)
