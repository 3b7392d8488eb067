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
epochs at $ per epoch, its slope; segments are taken in order of their slopes. Only
C >= max(d_j, r_j + W_j / max_q v_jq) matters. While C is in bucket b, E_j is convex and piecewise
linear, with slope

    -phi_b(mu),   phi_b(mu) = max(0, max_q mu v_jq - P_bq),   mu = slope of the last segment taken

so the least of G_j there is at an end, or found by intersecting tangents. A later bucket may be
cheaper: buckets are looked at until eta_j (e_b - d_j) + W_j min slope reaches the best cost.
Buckets without prices have equal hulls and count as one.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined

MOST_TANGENTS = 60  # per bucket; few are needed, and the bound holds wherever it stops
EQUAL = 1e-12  # relative: a tangent that meets the cost


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
    """Room for the segments of the hulls of one job."""

    slope: Floats  # $ per epoch
    gain: Floats  # epochs/h: the difference of two speeds
    bucket: Ints  # -1 = all buckets without prices
    slower: Ints  # entry of the slower mode, -1 = idle
    faster: Ints


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
    vertex: Ints,
    into: Segments,
    size: int,
) -> int:
    """Add the segments of a hull at these prices [$/h, by mode] after `size` others; return all."""
    count = fill_hull(jobs.speed, jobs.mode, jobs.first[job], jobs.first[job + 1], price, vertex)
    v_low, p_low, low = 0.0, 0.0, -1
    for i in range(count):
        entry = vertex[i]
        v, p = jobs.speed[entry], price[jobs.mode[entry]]
        into.slope[size] = (p - p_low) / (v - v_low)
        into.gain[size] = v - v_low
        into.bucket[size] = bucket
        into.slower[size] = low
        into.faster[size] = entry
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


@inlined
def walk(
    work: float, hours: Floats, free: float, segments: Segments, order: Ints, size: int
) -> tuple[float, float]:
    """Take segments in order of slope until the work is done; return $ and the last slope."""
    left, cost, slope = work, 0.0, 0.0
    for i in range(size):
        s = order[i]
        bucket = segments.bucket[s]
        time = free if bucket < 0 else hours[bucket]
        if time <= 0.0:
            continue
        epochs, slope = time * segments.gain[s], segments.slope[s]
        if epochs >= left:
            return cost + left * slope, slope
        cost += epochs * slope
        left -= epochs
    return cost + left * slope, slope


@inlined
def rate(jobs: HindsightJobs, job: int, price: Floats, slope: float) -> float:
    """Return phi at a slope [$ per epoch]: $ that one hour more saves at these prices."""
    best = 0.0
    for entry in range(jobs.first[job], jobs.first[job + 1]):
        best = max(best, slope * jobs.speed[entry] - price[jobs.mode[entry]])
    return best


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
        Filled: min_C G_j(C), never above it, and the C of it.
    hours : (B + 1, Q) float [h]
        Filled: hours of all jobs in each mode by bucket.
    """
    buckets, most = len(edges) - 1, 0
    for job in range(len(jobs.work)):
        most = max(most, jobs.first[job + 1] - jobs.first[job])
    room = (buckets + 2) * most
    segments = Segments(
        np.empty(room),
        np.empty(room),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
    )
    vertex, spent = np.empty(most, np.int64), np.zeros(buckets + 1)
    hours[:] = 0.0
    for job in range(len(jobs.work)):
        release, due, weight = jobs.release[job], jobs.due[job], jobs.weight[job]
        work, fastest = jobs.work[job], jobs.speed[jobs.first[job + 1] - 1]
        begin = np.searchsorted(edges, release, side="right") - 1
        start = max(due, release + work / fastest)
        here = max(begin, np.searchsorted(edges, start, side="right") - 1)
        # segments of all hulls from the release until the earliest completion that matters
        size = add_segments(jobs, job, price[buckets], -1, vertex, segments, 0)
        cheapest, slow = segments.slope[0], jobs.speed[segments.faster[0]]
        for b in range(begin, here + 1):
            if priced[b]:
                size = add_segments(jobs, job, price[b], b, vertex, segments, size)
        order = np.argsort(segments.slope[:size])
        free = fill_hours(edges, priced, begin, here, release, start, spent)
        cost, slope = walk(work, spent, free, segments, order, size)
        best, best_end = cost + weight * (start - due), start
        # and of the buckets in which a later one may be cheaper
        last = here
        while last < buckets and weight * (edges[last + 1] - due) + work * cheapest < best:
            last += 1
            if priced[last]:
                size = add_segments(jobs, job, price[last], last, vertex, segments, size)
        if last > here:
            order = np.argsort(segments.slope[:size])
        for b in range(here, last + 1):
            low = start if b == here else edges[b]
            if weight * (low - due) + work * cheapest >= best:
                break
            if b == here:
                low_cost, low_slope = best, slope
            else:
                free = fill_hours(edges, priced, begin, last, release, low, spent)
                cost, low_slope = walk(work, spent, free, segments, order, size)
                low_cost = cost + weight * (low - due)
                if low_cost < best:
                    best, best_end = low_cost, low
            falls = weight - rate(jobs, job, price[b], low_slope)
            if falls >= 0.0:
                continue
            high = edges[b + 1] if b < buckets else low + work / slow
            free = fill_hours(edges, priced, begin, last, release, high, spent)
            cost, high_slope = walk(work, spent, free, segments, order, size)
            high_cost = cost + weight * (high - due)
            if high_cost < best:
                best, best_end = high_cost, high
            rises = weight - rate(jobs, job, price[b], high_slope)
            if rises <= 0.0:
                continue
            bound = -inf
            for _ in range(MOST_TANGENTS):
                middle = (high_cost - low_cost + falls * low - rises * high) / (falls - rises)
                bound = low_cost + falls * (middle - low)
                if bound >= best or not low < middle < high:
                    break
                free = fill_hours(edges, priced, begin, last, release, middle, spent)
                cost, slope = walk(work, spent, free, segments, order, size)
                cost += weight * (middle - due)
                if cost < best:
                    best, best_end = cost, middle
                turn = weight - rate(jobs, job, price[b], slope)
                if turn < 0.0:
                    low, low_cost, falls = middle, cost, turn
                elif turn > 0.0:
                    high, high_cost, rises = middle, cost, turn
                else:
                    bound = cost
                if cost <= bound + EQUAL * abs(bound):
                    break
            best = min(best, bound)
        value[job], end[job] = best, best_end
        # what the job takes: segments once more, each moves time from a mode to the next faster one
        free = fill_hours(edges, priced, begin, last, release, best_end, spent)
        left = work
        for i in range(size):
            s = order[i]
            bucket = segments.bucket[s]
            time = free if bucket < 0 else spent[bucket]
            if time <= 0.0:
                continue
            part = min(1.0, left / (time * segments.gain[s]))
            faster, slower = jobs.mode[segments.faster[s]], segments.slower[s]
            if bucket >= 0:
                hours[bucket, faster] += part * time
                if slower >= 0:
                    hours[bucket, jobs.mode[slower]] -= part * time
            else:
                for b in range(begin, last + 1):
                    if not priced[b]:
                        hours[b, faster] += part * spent[b]
                        if slower >= 0:
                            hours[b, jobs.mode[slower]] -= part * spent[b]
            left -= part * time * segments.gain[s]
            if part < 1.0:
                break


__all__ = [
    "HindsightJobs",
    "Segments",
    "add_segments",
    "fill_hours",
    "fill_hull",
    "run_alone",
    "walk",
]
