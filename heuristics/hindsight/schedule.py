"""
Schedules in hindsight: near-optimal ones of a whole workload whose epochs are known.

Jobs are put in one by one at the prices of the bound (`kernels_schedule`), in the orders of their
due dates, of their releases, and of their ends at these prices; the best of these schedules is
improved by ruin and recreate (`kernels_ruin`), at a temperature that falls to nothing. The search
ends where a schedule costs what the bound says, up to CLOSED: more iterations would only cut jobs
into more pieces.
"""

from __future__ import annotations

from itertools import product
from math import inf
from time import perf_counter
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.random_streams import first_states
from rsjs.heuristics.hindsight.kernels_jobs import HindsightJobs, segments_space
from rsjs.heuristics.hindsight.kernels_packing import Known, Moves
from rsjs.heuristics.hindsight.kernels_ruin import LONGEST_CHAIN, MOST_REMOVED, construct, improve
from rsjs.heuristics.hindsight.kernels_schedule import (
    INTERVALS,
    Hindsight,
    InsertionSpace,
    Intervals,
    Journal,
)
from rsjs.heuristics.hindsight.lagrangian import NodePrices, Priced, mode_prices, priced
from rsjs.heuristics.hindsight.packing import WORDS, packing_space

EDGES = 128  # at which prices change, at most
PARTS = (0.3, 1.0, 0.0)  # of the bound's prices, for the first schedules
STARTS, MOST_STARTS = 400, 4  # first schedules that are improved: STARTS / jobs
PART_OF_STARTS = 0.4  # of the iterations
HEAT = 0.25  # first temperature, in what a job pays above the bound
AT_ONCE = 50  # iterations of a kernel
CLOSED = 2e-7  # relative, of a cost above the bound
KNOWN = 2**14  # counts of modes
ROWS_OF_A_JOB, MORE_ROWS = 8, 1.5
OPERATIONS = 2 * MOST_REMOVED + 4 * LONGEST_CHAIN  # of one iteration, each on all intervals


class Timetable(NamedTuple):
    """A schedule: M intervals, the last one open and empty."""

    cost: float  # $
    time: Floats  # (M,) h, begin of each
    entry: Ints  # (M, J) mode of each job, an entry of `HindsightJobs`; -1 = it does not run
    end: Floats  # (J,) h
    iterations: int


def of_prices(
    jobs: HindsightJobs, nodes: NodePrices, moves: Moves, edges: Floats, prices: Floats
) -> tuple[Hindsight, Priced]:
    """Return what a search needs, at prices (T, S, B), and what jobs do at these."""
    of_mode, plans = mode_prices(nodes, prices), priced(jobs, nodes, edges, prices)
    free = priced(jobs, nodes, edges, np.zeros_like(prices))
    extra = of_mode - of_mode[-1]  # (B + 1, Q)
    # edges at which prices change, or every n-th of these, with means between
    changes = (np.diff(extra, axis=0, prepend=0.0) != 0).any(axis=1)
    cuts = edges[changes] if changes.any() else edges[:1]
    some = np.linspace(0, len(cuts) - 1, min(EDGES, len(cuts))).round().astype(np.int64)
    cuts = cuts[np.unique(some)]
    sums = np.cumsum(extra[:-1] * np.diff(edges)[:, None], axis=0)
    sums = np.concatenate([np.zeros((1, extra.shape[1])), sums])
    at_cuts = np.array([np.interp(cuts, edges, own) for own in sums.T]).T
    means = np.diff(at_cuts, axis=0) / np.diff(cuts)[:, None]
    none = np.zeros((1, extra.shape[1]))
    least = np.zeros(len(moves.gpu))  # $/h that one mode more adds at least; 0 for a share
    for q in moves.modes[moves.size[moves.modes] > 0].tolist():
        first = moves.first[0, moves.gpu[q], moves.size[q]]
        least[q] = max(0.0, moves.cost[first])
    slopes = least[jobs.mode] / jobs.speed
    return Hindsight(
        jobs=jobs,
        moves=moves,
        edges=cuts,
        price=np.concatenate([none, means, none]),
        alone=free.job_cost,
        base=nodes.price,
        cheapest=np.minimum.reduceat(slopes, jobs.first[:-1]),
        word=np.random.default_rng(WORDS).integers(1, 2**63, len(jobs.mode)).astype(np.uint64),
    ), plans


class Search:
    """
    A search for a schedule, from the best of the first ones on.

    Parameters
    ----------
    of : Hindsight
    plans : Priced
        What jobs do at the prices, see `of_prices`.
    seed : int
    """

    def __init__(self, of: Hindsight, plans: Priced, seed: int) -> None:
        self.of, jobs, self._bound = of, of.jobs, plans.value
        self._rows = ROWS_OF_A_JOB * len(jobs.work) + len(of.edges) + 100
        self.journal, self.space = _room(of, self._rows)
        first = [
            self._constructed(np.argsort(key, kind="stable"), part)
            for part, key in product(PARTS, (plans.end, jobs.due, jobs.release))
        ]
        starts = min(max(STARTS // len(jobs.work), 1), MOST_STARTS)
        self.starts = sorted(first, key=lambda state: _cost(of, state))[:starts]
        by_due = np.argsort(jobs.due, kind="stable")
        self.ranked = by_due, np.argsort(by_due)
        self._random = first_states("xorshift", seed, 1, 1, 0)

    def run(self, iterations: float = inf, seconds: float = inf) -> Timetable:
        """
        Return the best schedule of at most so many iterations of ruin and recreate, or seconds.

        Of several first schedules each is improved for a while, and then the best one of these.
        """
        tried, done = [], 0
        if len(self.starts) > 1:
            part = PART_OF_STARTS / len(self.starts)
            each = iterations if iterations == inf else int(part * iterations)
            for start in self.starts:
                state, made = self.improved(start, each, part * seconds)
                tried.append(state)
                done += made
                if self._closed(_cost(self.of, state)):
                    break
            seconds *= 1 - PART_OF_STARTS
        best = min(tried or self.starts, key=lambda state: _cost(self.of, state))
        best, made = self.improved(best, iterations - done, seconds)
        return _timetable(self.of, best, done + made)

    def improved(
        self, state: Intervals, iterations: float, seconds: float = inf
    ) -> tuple[Intervals, int]:
        """Return the best schedule from one on, which changes, and the iterations made."""
        begin, of, done, spent = perf_counter(), self.of, 0, 0.0
        state = _grown(state, self._rows)
        current = _cost(of, state)
        best, best_cost = _copy(state), current
        heat = HEAT * max(0.0, current - self._bound) / len(of.jobs.work)
        while done < iterations and spent < seconds and not self._closed(best_cost):
            left = 1 - max(done / iterations, spent / seconds)
            some = int(min(AT_ONCE, iterations - done))
            arrays = of, state, self.journal, self.space, *self.ranked
            current, made = improve(*arrays, current, some, heat * left**2, self._random)
            done, spent = done + made, perf_counter() - begin
            if current < best_cost:
                best, best_cost = _copy(state), current
            if made < some:
                self._grow()
                state = _grown(state, self._rows)
        return best, done

    def _closed(self, cost: float) -> bool:
        """Return whether no schedule costs less, up to `CLOSED`."""
        return cost - self._bound <= CLOSED * abs(self._bound)

    def _constructed(self, order: Ints, part: float) -> Intervals:
        """Return the schedule that jobs in this order make."""
        while True:
            state = _empty(self.of, self._rows)
            if construct(self.of, state, self.journal, self.space, order, part):
                return state
            self._grow()

    def _grow(self) -> None:
        """Make room for more rows."""
        self._rows = int(MORE_ROWS * self._rows)
        self.journal, self.space = _room(self.of, self._rows)


def _cost(of: Hindsight, state: Intervals) -> float:
    """Return energy and tardiness [$]."""
    last = state.size[INTERVALS] - 1
    energy = np.diff(state.time[: last + 1]) @ state.rate[state.row[:last]]
    return float(energy + of.jobs.weight @ np.maximum(0.0, state.end - of.jobs.due))


def _room(of: Hindsight, rows: int) -> tuple[Journal, InsertionSpace]:
    """Return room for so many rows."""
    modes, most = len(of.moves.gpu), int(np.diff(of.jobs.first).max())
    room, changes = most * (rows + 1), OPERATIONS * (rows + 8)
    width = int(np.diff(of.moves.first_mode).max())
    unknown = np.full(KNOWN, np.uint64(2**64 - 1))
    return Journal(
        what=np.zeros(changes, dtype=np.int8),
        where=np.zeros(changes, dtype=np.int64),
        job=np.zeros(changes, dtype=np.int64),
        old=np.zeros(changes, dtype=np.int64),
        time=np.zeros(changes),
        paid=np.zeros(changes),
    ), InsertionSpace(
        known=Known(unknown, np.zeros(KNOWN), np.full((KNOWN, width), np.inf)),
        packing=packing_space(of.moves),
        segments=segments_space(room),
        vertex=np.zeros(most, dtype=np.int64),
        found=np.zeros(len(of.moves.empty), dtype=np.int64),
        price=np.zeros(modes),
        hours=np.zeros(rows + 2),
        plan=np.zeros(rows + 2, dtype=np.int64),
        priced=np.ones(rows + 2, dtype=np.bool_),
    )


def _empty(of: Hindsight, rows: int) -> Intervals:
    """Return a schedule without jobs, cut at the edges of the prices."""
    jobs, modes = len(of.jobs.work), len(of.moves.gpu)
    cuts = np.unique(np.append(of.edges, of.jobs.release.min()))
    time = np.full(rows + 1, np.inf)
    time[: len(cuts)] = cuts
    row, unused = np.arange(rows), np.arange(rows)[::-1].copy()
    return Intervals(
        time=time,
        row=row,
        entry=np.full((rows, jobs), -1, dtype=np.int16),
        running=np.zeros((rows, modes), dtype=np.int16),
        key=np.tile(of.moves.empty, (rows, 1)),
        tag=np.zeros(rows, dtype=np.uint64),
        rate=np.zeros(rows),
        end=np.full(jobs, np.inf),
        paid=np.zeros(jobs),
        unused=unused,
        size=np.array([len(cuts), rows - len(cuts), 0]),
    )


def _copy(state: Intervals) -> Intervals:
    return Intervals._make(array.copy() for array in state)


def _grown(state: Intervals, rows: int) -> Intervals:
    """Return a schedule with room for more rows."""
    old, jobs = len(state.row), len(state.end)
    more = rows - old
    if not more:
        return state
    unused = np.zeros(rows, dtype=np.int64)
    left = int(state.size[1])
    unused[:more] = np.arange(rows - 1, old - 1, -1)
    unused[more : more + left] = state.unused[:left]
    return Intervals(
        time=np.append(state.time, np.full(more, np.inf)),
        row=np.append(state.row, np.zeros(more, dtype=np.int64)),
        entry=np.concatenate([state.entry, np.full((more, jobs), -1, dtype=np.int16)]),
        running=np.concatenate(
            [state.running, np.zeros((more, state.running.shape[1]), dtype=np.int16)]
        ),
        key=np.concatenate([state.key, np.zeros((more, state.key.shape[1]), dtype=np.uint64)]),
        tag=np.append(state.tag, np.zeros(more, dtype=np.uint64)),
        rate=np.append(state.rate, np.zeros(more)),
        end=state.end,
        paid=state.paid,
        unused=unused,
        size=np.array([state.size[0], left + more, 0]),
    )


def _timetable(of: Hindsight, state: Intervals, iterations: int) -> Timetable:
    """Return the intervals of a schedule that differ from those before."""
    count = int(state.size[INTERVALS])
    entry = state.entry[state.row[:count]].astype(np.int64)
    differs = np.append(True, (entry[1:] != entry[:-1]).any(axis=1))
    entry = entry[differs]
    return Timetable(
        cost=_cost(of, state),
        time=state.time[:count][differs],
        entry=np.where(entry < 0, -1, entry + of.jobs.first[:-1]),
        end=state.end,
        iterations=iterations,
    )


__all__ = ["Search", "Timetable", "of_prices"]
