"""
The two engines of the randomized greedy: compiled kernels, and numpy over many iterations at once.

Both give the same costs to the last bit and the same schedules.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rsjs.heuristics.decision_tables import Floats, Ints
from rsjs.heuristics.randomized_batch import construct
from rsjs.heuristics.randomized_batch_costs import Schedules, postprocess, total_costs
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from rsjs.heuristics.randomized_tables import Prepared


class Engine(Protocol):
    """What makes schedules and prices them."""

    def costs(self, first: int, count: int) -> Floats:
        """(count,) $ of iterations first, first + 1, ..."""

    def schedule(self, iteration: int) -> Solution:
        """The schedule of an iteration."""


class Compiled:
    """numba; iterations are dealt out in equal parts to `threads` threads."""

    def __init__(self, prepared: Prepared, threads: int = 1) -> None:
        from rsjs.heuristics.kernels import randomized_construction, state

        self._iterate = randomized_construction.iterate
        self._prepared = prepared
        size = len(prepared.choices.queue), prepared.choices.listed
        self._states = [state.new_state(prepared.nodes, *size) for _ in range(threads)]

    def costs(self, first: int, count: int) -> Floats:
        p = self._prepared
        found = np.empty(count)
        streams = p.streams(first, count)
        bounds = np.linspace(0, count, len(self._states) + 1).astype(int).tolist()

        def part(i: int) -> None:
            a, b = bounds[i], bounds[i + 1]
            where = self._states[i], first + a, streams[a:b], found[a:b]
            self._iterate(p.nodes, p.choices, p.objective, *where)

        if len(self._states) == 1:
            part(0)
        else:
            with ThreadPoolExecutor(len(self._states)) as pool:
                list(pool.map(part, range(len(self._states))))
        return found

    def schedule(self, iteration: int) -> Solution:
        p, state = self._prepared, self._states[0]
        args = state, iteration, p.streams(iteration, 1), np.empty(1)
        running = self._iterate(p.nodes, p.choices, p.objective, *args)
        return _solution(
            len(p.choices.queue),
            state.job[:running],
            state.node[:running],
            state.gpus[:running],
            state.node_type,
        )


class Batched:
    """
    numpy; the schedules of the last call are kept until the next one.

    After the first call `costs` raises OutOfTime when `over` says so: large batches take long.
    """

    def __init__(self, prepared: Prepared, over: Callable[[], bool] = lambda: False) -> None:
        self._prepared, self._over = prepared, over
        self._first = 0
        self._schedules: Schedules | None = None

    def costs(self, first: int, count: int) -> Floats:
        p = self._prepared
        self._schedules, waiting = self._make(first, count, timed=self._schedules is not None)
        self._first = first
        return total_costs(p.nodes, p.objective, self._schedules, waiting)

    def _make(self, first: int, count: int, *, timed: bool = False) -> tuple[Schedules, Floats]:
        """Schedules, and penalties of the jobs that wait."""
        p = self._prepared
        streams, more = p.streams(first, count), (self._over,) if timed else ()
        records = construct(p.nodes, p.choices, p.objective, first, streams, *more)
        hours, each_node = p.objective.hours, p.choices.each_node
        return postprocess(p.nodes, hours, records, each_node), records.waiting

    def schedule(self, iteration: int) -> Solution:
        found, row = self._schedules, iteration - self._first
        if found is None or not 0 <= row < len(found.node_type):
            found, row = self._make(iteration, 1)[0], 0
        of_row = found.row == row
        return _solution(
            len(self._prepared.choices.queue),
            found.job[of_row],
            found.node[of_row],
            found.gpus[of_row],
            found.node_type[row],
        )


def _solution(jobs: int, job: Ints, node: Ints, gpus: Ints, node_type: Ints) -> Solution:
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    job_node[job], job_gpus[job] = node, gpus
    return Solution.of(job_node, job_gpus, node_type)
