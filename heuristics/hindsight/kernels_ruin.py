"""
Ruin and recreate on schedules in hindsight, and chains of ejections for late jobs.

A job is drawn by what it pays above its own bound, and with it some that run at a time in its
window, or that are due when it is. They are taken out, and put in again in some order, at some part
of the bound's prices, or, the more often the fewer jobs there are, at none. For a job that is late,
one that runs in its window is taken out, it is put in, and then the other one; as long as that is
no gain, the other one ejects a third, and so on.

A schedule that costs delta more is accepted with probability exp(-delta / T); any other is undone.
"""

from __future__ import annotations

from math import exp

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.common.random_streams import States, below, uniform
from rsjs.heuristics.hindsight.kernels_schedule import (
    CHANGES,
    CUTS_OF_ONE,
    UNUSED,
    Hindsight,
    InsertionSpace,
    Intervals,
    Journal,
    insert,
    position,
    remove,
    total,
    undo,
)

MOST_REMOVED = 16
LONGEST_CHAIN = 5
CHAIN = 0.3  # how often a chain is tried where jobs are late
TOURNAMENT = 3
PARTS = (0.3, 0.6, 1.0)  # of the bound's prices
UNPRICED = 1.0  # over the number of jobs: how often an iteration does without them
MIN_GAIN, COLDEST = 1e-10, 1e-12  # $


@inner
def _excess(of: Hindsight, state: Intervals, job: int) -> float:
    return float(state.paid[job] - of.alone[job])


@inner
def _drawn(of: Hindsight, state: Intervals, random: States) -> int:
    """Return the job of a few that pays most above its own bound."""
    best = below(random, len(state.end))
    for _ in range(below(random, TOURNAMENT)):
        other = below(random, len(state.end))
        if _excess(of, state, other) > _excess(of, state, best):
            best = other
    return best


@inner
def _running(of: Hindsight, state: Intervals, begin: float, end: float, random: States) -> int:
    """Return a job that runs at some time between two; -1 = none does."""
    at = position(state, begin + (end - begin) * uniform(random))
    row, chosen, count = state.row[at], -1, 0
    for j in range(len(state.end)):
        if state.entry[row, j] >= 0:
            count += 1
            if uniform(random) * count < 1.0:
                chosen = j
    return chosen


@inner
def _late(of: Hindsight, state: Intervals, random: States) -> int:
    """Return a job by its tardiness [$]; -1 = none is late."""
    chosen, sum_of_all = -1, 0.0
    for j in range(len(state.end)):
        cost = of.jobs.weight[j] * (state.end[j] - of.jobs.due[j])
        if cost > MIN_GAIN:
            sum_of_all += cost
            if uniform(random) * sum_of_all < cost:
                chosen = j
    return chosen


@inner
def _part(random: States, most: float) -> float:
    """Return the part of the prices that a job is put in at."""
    return most * PARTS[below(random, len(PARTS))]


@compiled
def improve(
    of: Hindsight,
    state: Intervals,
    journal: Journal,
    space: InsertionSpace,
    by_due: Ints,
    rank: Ints,
    current: float,
    iterations: int,
    temperature: float,
    random: States,
) -> tuple[float, int]:
    """
    Make up to so many iterations; return the cost [$] and how many were made.

    Fewer are made where rows run out.
    """
    jobs, removed, key = len(state.end), np.empty(MOST_REMOVED, np.int64), np.empty(MOST_REMOVED)
    for iteration in range(iterations):
        if state.size[UNUSED] < CUTS_OF_ONE * (MOST_REMOVED + 2 * LONGEST_CHAIN):
            return current, iteration
        state.size[CHANGES] = 0
        late, most = -1, 0.0 if jobs * uniform(random) < UNPRICED else 1.0
        if uniform(random) < CHAIN:
            late = _late(of, state, random)
        if late >= 0:
            remove(of, state, journal, space, late)
            cost = np.inf
            for _ in range(LONGEST_CHAIN):
                until = max(of.jobs.due[late], of.jobs.release[late] + 1e-6)
                other = _running(of, state, of.jobs.release[late], until, random)
                if other < 0:
                    break
                remove(of, state, journal, space, other)
                insert(of, state, journal, space, late, _part(random, most))
                insert(of, state, journal, space, other, _part(random, most))
                cost = total(of, state)
                if cost < current:
                    break
                late = other
                if _ + 1 < LONGEST_CHAIN:
                    remove(of, state, journal, space, late)
                    cost = np.inf
            if cost == np.inf:
                insert(of, state, journal, space, late, 0.0)
                cost = total(of, state)
        else:
            first = _drawn(of, state, random)
            count, wanted = 1, 2 + below(random, MOST_REMOVED - 1)
            removed[0] = first
            remove(of, state, journal, space, first)
            begin = of.jobs.release[first]
            near = uniform(random) < 0.3
            for _ in range(2 * wanted):
                if count == wanted:
                    break
                if near:
                    other = rank[first] + below(random, 4 * wanted + 1) - 2 * wanted
                    if other < 0 or other >= jobs:
                        continue
                    other = by_due[other]
                    if state.end[other] == np.inf:
                        continue
                else:
                    other = _running(of, state, begin, of.jobs.due[first], random)
                    if other < 0:
                        continue
                removed[count] = other
                count += 1
                remove(of, state, journal, space, other)
            rule = below(random, 4)
            for i in range(count):
                j = removed[i]
                if rule == 0:
                    key[i] = uniform(random)
                elif rule == 1:
                    key[i] = of.jobs.due[j]
                elif rule == 2:
                    key[i] = i
                else:
                    key[i] = -of.jobs.weight[j] * uniform(random)
            order = np.argsort(key[:count])
            for i in order:
                insert(of, state, journal, space, removed[i], _part(random, most))
            cost = total(of, state)
        if cost <= current or uniform(random) < exp((current - cost) / max(temperature, COLDEST)):
            current = cost
        else:
            undo(of, state, journal, space)
    return current, iterations


@compiled
def construct(
    of: Hindsight,
    state: Intervals,
    journal: Journal,
    space: InsertionSpace,
    order: Ints,
    part: float,
) -> bool:
    """Put all jobs in, in this order; return whether there were enough rows."""
    for i in range(len(order)):
        if state.size[UNUSED] < CUTS_OF_ONE:
            return False
        state.size[CHANGES] = 0
        insert(of, state, journal, space, order[i], part)
    return True
