"""
Jobs at prices of GPUs over time: the cheapest way to run one job alone, and what it takes of them.

Time is cut at edges e_0 < ... < e_B into B buckets; bucket B is all time after e_B, its prices are
those without capacity. In bucket b mode q costs P_bq $/h. Job j, released at r_j >= e_0, runs W_j
epochs at v_jq = 1 / a_jq epochs per hour. Preemption and change of mode are free:

    G_j(C) = E_j(C) + eta_j max(0, C - d_j)                                                 C >= r_j
    E_j(C) = min { sum_b T_b(C) f_b(v_b) : sum_b T_b(C) v_b = W_j }

    T_b(C)  hours of bucket b within [r_j, C]
    f_b     lower hull of (0, 0) and (v_jq, P_bq): $/h at a mean speed

E_j is a fractional knapsack: each segment of a hull (from one mode to the next faster one) gives
epochs at $ per epoch, its slope; segments are taken in order of their slopes, the last one of slope
mu. Only C >= max(d_j, r_j + W_j / max_q v_jq) matters. While C is in bucket b, E_j is convex and
piecewise linear, with slope

    -phi_b(mu),   phi_b(mu) = max(0, max_q mu v_jq - P_bq)

As C grows, mu falls: the segment of the largest slope is taken less and less, and then the next
one. So all C are swept from the first one on, with the segments taken in a heap, which one that has
left never enters again; of later buckets only segments below mu are looked at. The sweep ends where
eta_j (e_b - d_j) + W_j min slope reaches the best cost. Until the first C all buckets without
prices count as one, as their hulls are equal.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined, inner

COST, END, SLOPE, FULL = 0, 1, 2, 3  # places in `Segments.sweep`


class HindsightJobs(NamedTuple):
    """J jobs with W_j known, and their modes: entries first[j], ..., first[j + 1] - 1 of job j."""

    first: Ints  # (J + 1,)
    mode: Ints  # (M,) mode q of each entry
    speed: Floats  # (M,) v_jq [epochs/h], ascending within a job
    release: Floats  # (J,) h
    due: Floats  # (J,) h
    weight: Floats  # (J,) $/h
    work: Floats  # (J,) W_j


class Segments(NamedTuple):
    """Room for the segments of the hulls of one job, and for a sweep of its completions."""

    slope: Floats  # $ per epoch
    gain: Floats  # epochs/h: the difference of two speeds
    epochs: Floats  # that it gives, if it is taken all the time
    bucket: Ints  # -1 = hours that another segment counts
    slower: Ints  # entry of the slower mode, -1 = idle
    faster: Ints
    order: Ints  # those taken: in a sweep a heap, the largest slope first
    sweep: Floats  # (4,) best cost [$], completion of it [h], mu there; epochs of those taken


@compiled
def segments_space(room: int) -> Segments:
    """Return room for so many segments."""
    return Segments(
        np.zeros(room),
        np.zeros(room),
        np.zeros(room),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(4),
    )


@inlined
def fill_hull(speed: Floats, mode: Ints, first: int, last: int, price: Floats, vertex: Ints) -> int:
    """
    Fill `vertex` with the entries on the lower hull of (0, 0) and (v, price); return their number.

    Entries are first, ..., last - 1; `price` [$/h] is by mode, inf = it cannot be had.
    """
    size = 0
    for entry in range(first, last):
        v, p = speed[entry], price[mode[entry]]
        if p == inf:
            continue
        while size > 0:
            top = vertex[size - 1]
            v_top, p_top = speed[top], price[mode[top]]
            v_low, p_low = 0.0, 0.0
            if size > 1:
                low = vertex[size - 2]
                v_low, p_low = speed[low], price[mode[low]]
            if v <= v_top:
                if p >= p_top:
                    break
            elif (p - p_top) * (v_top - v_low) > (p_top - p_low) * (v - v_top):
                break
            size -= 1
        if size == 0 or v > speed[vertex[size - 1]]:
            vertex[size] = entry
            size += 1
    return size


@inlined
def add_segments(
    jobs: HindsightJobs,
    job: int,
    price: Floats,
    bucket: int,
    limit: float,
    vertex: Ints,
    into: Segments,
    size: int,
) -> int:
    """
    Add the segments of the hull at these prices [$/h, by mode] with slopes below a limit.

    They come after `size` others. Return how many there are now.
    """
    first, last = jobs.first[job], jobs.first[job + 1]
    entry = first
    while entry < last and price[jobs.mode[entry]] >= limit * jobs.speed[entry]:
        entry += 1
    if entry == last:
        return size
    count = fill_hull(jobs.speed, jobs.mode, first, last, price, vertex)
    v_low, p_low, low = 0.0, 0.0, -1
    for i in range(count):
        entry = vertex[i]
        v, p = jobs.speed[entry], price[jobs.mode[entry]]
        slope = (p - p_low) / (v - v_low)
        if slope >= limit:
            break
        into.slope[size], into.gain[size], into.bucket[size] = slope, v - v_low, bucket
        into.slower[size], into.faster[size] = low, entry
        v_low, p_low, low = v, p, entry
        size += 1
    return size


@inlined
def fill_hours(
    edges: Floats, priced: Bools, begin: int, end: int, release: float, until: float, hours: Floats
) -> float:
    """Fill T_b for buckets begin, ..., end; return the hours of those without prices."""
    last, free = len(edges) - 1, 0.0
    for b in range(begin, end + 1):
        upper = min(edges[b + 1], until) if b < last else until
        hours[b] = max(0.0, upper - max(edges[b], release))
        if not priced[b]:
            free += hours[b]
    return free


@inner
def begin_sweep(
    jobs: HindsightJobs, job: int, start: float, hours: Floats, segments: Segments, size: int
) -> tuple[float, float, int]:
    """
    Complete a job at the earliest time that matters, by a weighted quickselect of segments.

    Returns
    -------
    Cost [$], mu, and how many segments are taken.
    """
    order, low, high, left, cost = segments.order, 0, size, jobs.work[job], 0.0
    for s in range(size):
        order[s] = s
        segments.epochs[s] = hours[segments.bucket[s]] * segments.gain[s]
    slope, taken = -1.0, 0
    while low < high and slope < 0.0:
        a, b = segments.slope[order[low]], segments.slope[order[(low + high) // 2]]
        c = segments.slope[order[high - 1]]
        pivot = max(min(a, b), min(max(a, b), c))
        below, at, above, epochs, dollars = low, low, high, 0.0, 0.0
        while at < above:
            s = order[at]
            if segments.slope[s] < pivot:
                epochs += segments.epochs[s]
                dollars += segments.epochs[s] * segments.slope[s]
                order[at], order[below] = order[below], s
                below += 1
                at += 1
            elif segments.slope[s] > pivot:
                above -= 1
                order[at], order[above] = order[above], s
            else:
                at += 1
        if epochs >= left:
            high = below
            continue
        left -= epochs
        cost += dollars
        low = above
        for at in range(below, above):
            epochs = segments.epochs[order[at]]
            if epochs >= left:
                slope, taken = pivot, at + 1
                break
            left -= epochs
            cost += epochs * pivot
    if slope < 0.0:
        taken = low  # but for rounding these give all epochs that are left
    full = 0.0
    for at in range(taken):
        full += segments.epochs[order[at]]
        slope = max(slope, segments.slope[order[at]])
    for at in range(taken // 2 - 1, -1, -1):
        _sift_down(segments, at, taken)
    cost += left * slope + jobs.weight[job] * (start - jobs.due[job])
    best = segments.sweep
    best[COST], best[END], best[SLOPE], best[FULL] = cost, start, slope, full
    return cost, slope, taken


@inlined
def _sift_down(segments: Segments, at: int, size: int) -> None:
    """Move an entry of the heap down to where it belongs."""
    heap = segments.order
    moved = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and segments.slope[heap[child + 1]] > segments.slope[heap[child]]:
            child += 1
        if segments.slope[heap[child]] <= segments.slope[moved]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = moved


@inlined
def _push(segments: Segments, new: int, size: int) -> None:
    """Put a segment into the heap."""
    heap, at = segments.order, size
    while at > 0 and segments.slope[heap[(at - 1) // 2]] < segments.slope[new]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = new


@inner
def sweep(
    jobs: HindsightJobs,
    job: int,
    price: Floats,
    low: float,
    high: float,
    cost: float,
    segments: Segments,
    old: int,
    size: int,
    taken: int,
) -> tuple[float, float, int]:
    """
    Complete a job later and later, from `low` to `high`, within one bucket; keep the best time.

    Parameters
    ----------
    price : (Q,) float [$/h]
        In this bucket.
    cost : float [$]
        At `low`.
    old, size : int
        The segments between are those of this time with slopes below mu at `low`.
    taken : int
        How many others are taken.

    Returns
    -------
    Cost [$] and mu at `high`, and how many segments are taken there.
    """
    work, weight, time, best = jobs.work[job], jobs.weight[job], low, segments.sweep
    last = size - 1
    while True:
        # the segment of the largest slope, what all below it in this time give and cost by hour
        top, left = segments.order[0], last >= old
        own = left and (taken == 0 or segments.slope[last] > segments.slope[top])
        if own:
            mu, full, below = segments.slope[last], best[FULL], segments.slower[last]
        else:
            mu, full = segments.slope[top], best[FULL] - segments.epochs[top]
            below = segments.faster[last] if left else -1
        speed, paid = 0.0, 0.0
        if below >= 0:
            speed, paid = jobs.speed[below], price[jobs.mode[below]]
        turn = weight - (mu * speed - paid)
        if turn >= 0.0 and cost < best[COST]:
            best[COST], best[END], best[SLOPE] = cost, time, mu
        # the time at which these do without it
        until = low + (work - full) / speed if speed > 0.0 else inf
        if until >= high:
            break
        if until > time:
            cost += turn * (until - time)
            time = until
        if own:
            last -= 1
        else:
            best[FULL] = full
            taken -= 1
            segments.order[0] = segments.order[taken]
            _sift_down(segments, 0, taken)
    cost += turn * (high - time)
    if cost < best[COST]:
        best[COST], best[END], best[SLOPE] = cost, high, mu
    for s in range(old, last + 1):
        segments.epochs[s] = segments.gain[s] * (high - low)
        best[FULL] += segments.epochs[s]
        _push(segments, s, taken)
        taken += 1
    return cost, mu, taken


@inner
def take(work: float, hours: Floats, segments: Segments, size: int) -> tuple[float, int, float]:
    """
    Take segments as the best completion does: all below its mu, and those at it until work is done.

    Returns
    -------
    Energy [$], how many segments at the front of `order` are taken, and the part of the last one.
    """
    left, energy, taken, mu = work, 0.0, 0, segments.sweep[SLOPE]
    for equal in range(2):
        for s in range(size):
            slope = segments.slope[s]
            if segments.bucket[s] < 0 or (slope != mu if equal else slope >= mu):
                continue
            epochs = hours[segments.bucket[s]] * segments.gain[s]
            if epochs <= 0.0:
                continue
            segments.order[taken] = s
            taken += 1
            if epochs >= left:
                return energy + left * slope, taken, left / epochs
            left -= epochs
            energy += epochs * slope
    return energy + left * mu, taken, 1.0


@compiled
def run_alone(
    jobs: HindsightJobs,
    edges: Floats,
    price: Floats,
    priced: Bools,
    value: Floats,
    end: Floats,
    hours: Floats,
) -> None:
    """
    Run every job at the least cost at these prices.

    Parameters
    ----------
    jobs : HindsightJobs
    edges : (B + 1,) float [h]
        Ascending; none is after the first release but the first release itself.
    price : (B + 1, Q) float [$/h]
        Of each mode by bucket; row B holds the prices without capacity, all others are >= it.
    priced : (B + 1,) bool
        Whether a row differs from the last one.
    value, end : (J,) float [$], [h]
        Filled: min_C G_j(C), but for rounding, and the C of it.
    hours : (B + 1, Q) float [h]
        Filled: hours of all jobs in each mode by bucket.
    """
    buckets, most = len(edges) - 1, 0
    for job in range(len(jobs.work)):
        most = max(most, jobs.first[job + 1] - jobs.first[job])
    unpriced, segments = buckets + 1, segments_space((buckets + 3) * most)
    # hours by bucket, and of all buckets without prices
    vertex, spent = np.empty(most, np.int64), np.zeros(buckets + 2)
    hours[:] = 0.0
    for job in range(len(jobs.work)):
        release, due, weight = jobs.release[job], jobs.due[job], jobs.weight[job]
        work, fastest = jobs.work[job], jobs.speed[jobs.first[job + 1] - 1]
        begin = np.searchsorted(edges, release, side="right") - 1
        start = max(due, release + work / fastest)
        b = max(begin, np.searchsorted(edges, start, side="right") - 1)
        # segments of all hulls from the release until the earliest completion that matters
        size = add_segments(jobs, job, price[buckets], unpriced, inf, vertex, segments, 0)
        cheapest, slow = segments.slope[0], jobs.speed[segments.faster[0]]
        for early in range(begin, b + 1):
            if priced[early]:
                size = add_segments(jobs, job, price[early], early, inf, vertex, segments, size)
        spent[unpriced] = fill_hours(edges, priced, begin, b, release, start, spent)
        cost, mu, taken = begin_sweep(jobs, job, start, spent, segments, size)
        # and of later times, as long as they may be cheaper
        low, place = start, -1
        while True:
            high, old = edges[b + 1] if b < buckets else low + work / slow, size
            size = add_segments(jobs, job, price[b], place, mu, vertex, segments, size)
            if size > old:
                cost, mu, taken = sweep(
                    jobs, job, price[b], low, high, cost, segments, old, size, taken
                )
            else:
                cost += weight * (high - low)
            bound = weight * (high - due) + work * cheapest
            if b == buckets or bound >= segments.sweep[COST]:
                break
            b, low = b + 1, high
            place = b if priced[b] else -1
        # what the job takes: each segment moves time from a mode to the next faster one
        end[job] = segments.sweep[END]
        spent[unpriced] = fill_hours(edges, priced, begin, b, release, end[job], spent)
        energy, taken, part = take(work, spent, segments, size)
        value[job] = energy + weight * (end[job] - due)
        for i in range(taken):
            s = segments.order[i]
            share = part if i == taken - 1 else 1.0
            faster, slower = jobs.mode[segments.faster[s]], segments.slower[s]
            first = last = segments.bucket[s]
            if segments.bucket[s] == unpriced:
                first, last = begin, b
            for at in range(first, last + 1):
                if at == segments.bucket[s] or not priced[at]:
                    hours[at, faster] += share * spent[at]
                    if slower >= 0:
                        hours[at, jobs.mode[slower]] -= share * spent[at]


__all__ = [
    "COST",
    "END",
    "HindsightJobs",
    "Segments",
    "add_segments",
    "begin_sweep",
    "fill_hours",
    "fill_hull",
    "run_alone",
    "segments_space",
    "sweep",
    "take",
]
