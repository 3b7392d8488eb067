"""
A schedule in hindsight: jobs in modes over time, put in and taken out one by one, and undone.

Time is cut into intervals in which nothing changes; the last one is open. A row holds the mode of
every job in one interval, and how many jobs are in each mode (`kernels_packing`). Rows are in any
order, `row` lists them by time, so that a cut moves two lists and copies one row.

A job that is put in runs alone at prices, as in `kernels_jobs`: those of the GPUs that are left in
each interval, and a part of the prices of the bound. All changes are in a journal, from which they
are undone backwards.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.hindsight.kernels_jobs import (
    COST,
    END,
    HindsightJobs,
    Segments,
    add_segments,
    begin_sweep,
    fill_hours,
    sweep,
    take,
)
from rsjs.heuristics.hindsight.kernels_packing import (
    Counts,
    Known,
    Moves,
    PackingSpace,
    Words,
    look_up,
)

SET, CUT, JOIN, JOB = 0, 1, 2, 3  # entries of a journal
INTERVALS, UNUSED, CHANGES = 0, 1, 2  # places in `Intervals.size`
CUTS_OF_ONE = 3  # of a job that is put in
EQUAL = 1e-12  # a part of a segment that is all of it
CLOSE = 1e-10  # h: no cut so close to another one; events closer than 1e-9 h are one


class Hindsight(NamedTuple):
    """What does not change in a search."""

    jobs: HindsightJobs
    moves: Moves
    edges: Floats  # (B + 1,) h, of the prices
    price: Floats  # (B + 2, Q) $/h of GPUs by bucket, before the first edge and after the last: 0
    alone: Floats  # (J,) $ of each job without others
    base: Floats  # (Q,) $/h of a mode at least
    cheapest: Floats  # (J,) $ per epoch, below any
    word: Words  # (M,) of each mode of a job


class Intervals(NamedTuple):
    """Intervals by time, R at most, and their rows."""

    time: Floats  # (R + 1,) h, begin of each
    row: Ints  # (R,)
    entry: Counts  # (R, J) mode of each job, counted from its first one; -1 = it does not run
    running: Counts  # (R, Q) jobs in each mode
    key: Words  # (R, U) of the count, by group
    tag: Words  # (R,) of the entries
    rate: Floats  # (R,) $/h
    end: Floats  # (J,) h; inf = not in the schedule
    paid: Floats  # (J,) $ of each job at least, tardiness included
    unused: Ints  # (R,) rows
    size: Ints  # (3,) intervals, unused rows, entries of the journal


class Journal(NamedTuple):
    """Changes, to be undone from the last one on."""

    what: NDArray[np.int8]
    where: Ints  # row, or position
    job: Ints
    old: Ints
    time: Floats
    paid: Floats


class InsertionSpace(NamedTuple):
    """Room to put one job in."""

    known: Known
    packing: PackingSpace
    segments: Segments
    vertex: Ints
    found: Ints  # (U,)
    price: Floats  # (Q,)
    hours: Floats  # (R + 1,)
    plan: Ints  # (R + 1,)
    priced: Bools  # (R + 1,) all true


@inner
def position(state: Intervals, time: float) -> int:
    """Return the interval that a time is in, the later one at a cut."""
    low, high = 0, state.size[INTERVALS]
    while high - low > 1:
        middle = (low + high) // 2
        if state.time[middle] <= time:
            low = middle
        else:
            high = middle
    return low


@inner
def _bucket(edges: Floats, time: float) -> int:
    """Return the row of prices at a time."""
    low, high = 0, len(edges)
    while low < high:
        middle = (low + high) // 2
        if edges[middle] <= time:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _note(
    state: Intervals,
    journal: Journal,
    what: int,
    where: int,
    job: int,
    old: int,
    time: float,
    paid: float,
) -> None:
    at = state.size[CHANGES]
    journal.what[at], journal.where[at], journal.job[at] = what, where, job
    journal.old[at], journal.time[at], journal.paid[at] = old, time, paid
    state.size[CHANGES] = at + 1


@inner
def _cut(state: Intervals, at: int, time: float) -> None:
    """Cut the interval at a position in two."""
    size, unused = state.size[INTERVALS], state.size[UNUSED] - 1
    for p in range(size, at, -1):
        state.time[p + 1] = state.time[p]
        state.row[p] = state.row[p - 1]
    old, new = state.row[at], state.unused[unused]
    state.time[at + 1], state.row[at + 1] = time, new
    for j in range(state.entry.shape[1]):
        state.entry[new, j] = state.entry[old, j]
    for q in range(state.running.shape[1]):
        state.running[new, q] = state.running[old, q]
    for group in range(state.key.shape[1]):
        state.key[new, group] = state.key[old, group]
    state.tag[new], state.rate[new] = state.tag[old], state.rate[old]
    state.size[INTERVALS], state.size[UNUSED] = size + 1, unused


@inner
def _join(state: Intervals, at: int) -> None:
    """Join the interval at a position with the one before it."""
    size, unused = state.size[INTERVALS] - 1, state.size[UNUSED]
    state.unused[unused] = state.row[at]
    for p in range(at, size):
        state.time[p] = state.time[p + 1]
        state.row[p] = state.row[p + 1]
    state.time[size] = inf
    state.size[INTERVALS], state.size[UNUSED] = size, unused + 1


@inner
def cut(state: Intervals, journal: Journal, at: int, time: float) -> None:
    """Cut an interval and note it."""
    _cut(state, at, time)
    _note(state, journal, CUT, at + 1, 0, 0, 0.0, 0.0)


@inner
def _join_equal(of: Hindsight, state: Intervals, journal: Journal, first: int, last: int) -> None:
    """Join intervals that do not differ, positions first - 1 to last, in one bucket of prices."""
    for at in range(min(last, state.size[INTERVALS] - 1), max(first, 1) - 1, -1):
        row, before = state.row[at], state.row[at - 1]
        if state.tag[row] != state.tag[before]:
            continue
        time = state.time[at]
        if _bucket(of.edges, time) != _bucket(of.edges, state.time[at - 1]):
            continue
        equal = True
        for j in range(state.entry.shape[1]):
            if state.entry[row, j] != state.entry[before, j]:
                equal = False
                break
        if equal:
            _join(state, at)
            _note(state, journal, JOIN, at, 0, 0, time, 0.0)


@inner
def _set(
    of: Hindsight, state: Intervals, space: InsertionSpace, row: int, job: int, new: int
) -> None:
    """Give a job another mode in a row."""
    old, first = state.entry[row, job], of.jobs.first[job]
    state.entry[row, job] = new
    if old >= 0:
        q = of.jobs.mode[first + old]
        state.running[row, q] -= 1
        state.key[row, of.moves.group[q]] -= of.moves.word[q]
        state.tag[row] -= of.word[first + old]
    if new >= 0:
        q = of.jobs.mode[first + new]
        state.running[row, q] += 1
        state.key[row, of.moves.group[q]] += of.moves.word[q]
        state.tag[row] += of.word[first + new]
    energy = 0.0
    for group in range(state.key.shape[1]):
        at = look_up(
            of.moves, space.known, state.running, row, group, state.key[row, group], space.packing
        )
        energy += space.known.rate[at]
    state.rate[row] = energy


@inner
def _change(
    of: Hindsight,
    state: Intervals,
    journal: Journal,
    space: InsertionSpace,
    row: int,
    job: int,
    new: int,
) -> None:
    """Give a job another mode in a row, and note it."""
    old = state.entry[row, job]
    if old != new:
        _set(of, state, space, row, job, new)
        _note(state, journal, SET, row, job, old, 0.0, 0.0)


@inner
def _end(state: Intervals, journal: Journal, job: int, end: float, paid: float) -> None:
    """Set when a job ends and what it pays, and note it."""
    _note(state, journal, JOB, 0, job, 0, state.end[job], state.paid[job])
    state.end[job], state.paid[job] = end, paid


@inner
def undo(of: Hindsight, state: Intervals, journal: Journal, space: InsertionSpace) -> None:
    """Undo all changes of the journal."""
    while state.size[CHANGES] > 0:
        at = state.size[CHANGES] - 1
        where, job = journal.where[at], journal.job[at]
        if journal.what[at] == SET:
            _set(of, state, space, where, job, journal.old[at])
        elif journal.what[at] == CUT:
            _join(state, where)
        elif journal.what[at] == JOIN:
            _cut(state, where - 1, journal.time[at])
        else:
            state.end[job], state.paid[job] = journal.time[at], journal.paid[at]
        state.size[CHANGES] = at


@inner
def total(of: Hindsight, state: Intervals) -> float:
    """Return the cost of a schedule [$]: energy and tardiness."""
    cost = 0.0
    for at in range(state.size[INTERVALS] - 1):
        cost += (state.time[at + 1] - state.time[at]) * state.rate[state.row[at]]
    for j in range(len(state.end)):
        cost += of.jobs.weight[j] * max(0.0, state.end[j] - of.jobs.due[j])
    return cost


@inner
def remove(
    of: Hindsight, state: Intervals, journal: Journal, space: InsertionSpace, job: int
) -> None:
    """Take a job out of the schedule."""
    begin = at = position(state, of.jobs.release[job])
    while state.time[at] < state.end[job]:
        _change(of, state, journal, space, state.row[at], job, -1)
        at += 1
    _end(state, journal, job, inf, 0.0)
    _join_equal(of, state, journal, begin, at)


@inner
def _fill_price(
    of: Hindsight, state: Intervals, space: InsertionSpace, job: int, part: float, at: int
) -> None:
    """Fill the prices [$/h] of a job's modes in an interval: of what is left, and of the bound."""
    row, bucket, moves = state.row[at], _bucket(of.edges, state.time[at]), of.moves
    for group in range(state.key.shape[1]):
        space.found[group] = look_up(
            moves, space.known, state.running, row, group, state.key[row, group], space.packing
        )
    for entry in range(of.jobs.first[job], of.jobs.first[job + 1]):
        q = of.jobs.mode[entry]
        extra = space.known.extra[space.found[moves.group[q]], moves.slot[q]]
        space.price[q] = extra + part * of.price[bucket, q]


@compiled
def insert(
    of: Hindsight,
    state: Intervals,
    journal: Journal,
    space: InsertionSpace,
    job: int,
    part: float,
) -> None:
    """Put a job in at the least cost at prices, `part` of those of the bound."""
    jobs, segments, hours, plan = of.jobs, space.segments, space.hours, space.plan
    release, due, weight, work = jobs.release[job], jobs.due[job], jobs.weight[job], jobs.work[job]
    begin = position(state, release)
    if state.time[begin] < release:
        cut(state, journal, begin, release)
        begin += 1
    # segments of the hulls until the earliest completion that matters
    size, ready, earliest, here = 0, 0.0, inf, begin
    while True:
        before = size
        _fill_price(of, state, space, job, part, here)
        size = add_segments(jobs, job, space.price, here, inf, space.vertex, segments, size)
        begins, ends = state.time[here], state.time[here + 1]
        if earliest == inf and size > before:
            fastest = jobs.speed[segments.faster[size - 1]]
            if ready + (ends - begins) * fastest >= work:
                earliest = begins + (work - ready) / fastest
            else:
                ready += (ends - begins) * fastest
        if ends >= max(due, earliest) and earliest < inf:
            break
        here += 1
    start = max(due, earliest)
    edges = state.time[: state.size[INTERVALS]]
    fill_hours(edges, space.priced, begin, here, release, start, hours)
    cost, mu, taken = begin_sweep(jobs, job, start, hours, segments, size)
    # and of later times, as long as they may be cheaper
    last, low, place, cheapest = here, start, -1, of.cheapest[job]
    while True:
        open_end, high, old = last + 1 == len(edges), state.time[last + 1], size
        if open_end:
            high = low + work / jobs.speed[jobs.first[job]]
        size = add_segments(jobs, job, space.price, place, mu, space.vertex, segments, size)
        if size > old:
            cost, mu, taken = sweep(
                jobs, job, space.price, low, high, cost, segments, old, size, taken
            )
        else:
            cost += weight * (high - low)
        if open_end or weight * (high - due) + work * cheapest >= segments.sweep[COST]:
            break
        last, low, place = last + 1, high, last + 1
        _fill_price(of, state, space, job, part, last)
    # take the segments of the best time: full ones, and a part of the last one
    best_end = segments.sweep[END]
    fill_hours(edges, space.priced, begin, last, release, best_end, hours)
    _, taken, share = take(work, hours, segments, size)
    for b in range(begin, last + 2):
        plan[b] = -1
    split, faster, slower, final = -1, -1, -1, begin
    for i in range(taken):
        s = segments.order[i]
        b = segments.bucket[s]
        final = max(final, b)
        if i == taken - 1 and share < 1.0 - EQUAL:
            split, faster, slower = b, segments.faster[s], segments.slower[s]
        else:  # of the segments of one interval the last one is the fastest
            plan[b] = max(plan[b], segments.faster[s])
    paid = weight * max(0.0, best_end - due)
    for b in range(begin, final + 1):
        if plan[b] >= 0:
            paid += hours[b] * of.base[jobs.mode[plan[b]]]
    first = jobs.first[job]
    if best_end < state.time[final + 1] - CLOSE:
        cut(state, journal, final, best_end)
    if split >= 0:
        # the faster mode beside an interval in which it also runs, else first
        behind = (split < final and plan[split + 1] == faster) or (
            split > begin and slower >= 0 and plan[split - 1] == slower
        )
        span = state.time[split + 1] - state.time[split]
        paid += span * share * of.base[jobs.mode[faster]]
        if slower >= 0:
            paid -= span * share * of.base[jobs.mode[slower]]
        when = state.time[split] + span * ((1 - share) if behind else share)
        if state.time[split] + CLOSE < when < state.time[split + 1] - CLOSE:
            cut(state, journal, split, when)
            for b in range(final, split, -1):
                plan[b + 1] = plan[b]
            final += 1
            plan[split], plan[split + 1] = (slower, faster) if behind else (faster, slower)
        elif share > 0.5:
            plan[split] = faster
    end = release
    for b in range(begin, final + 1):
        if plan[b] >= 0:
            _change(of, state, journal, space, state.row[b], job, plan[b] - first)
            end = state.time[b + 1]
    paid += weight * (max(0.0, end - due) - max(0.0, best_end - due))
    _end(state, journal, job, end, paid)
    _join_equal(of, state, journal, begin, final + 1)
