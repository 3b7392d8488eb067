"""
Optimal speed profiles of single jobs at prices of GPUs over time: Lagrangian of a weakly coupled MDP.

Time is cut at edges e_0 < ... < e_B; in bucket b of L hours mode q costs P_bq $/h. A job with w
epochs done runs on while W > w, with A and F^c as in `sts.single_job`. What it costs from e_b on if
z epochs are done then, times P(W > z | W > w), follows from the last bucket back:

    U_b(z) = min of  U_(b+1)(z) + eta F^c(z) late                                       it waits
                and  min_q  P_bq a_q (A(z) - A(z')) + eta a_q (A(z_d) - A(z')) + U_(b+1)(z')

    z' = z + L / a_q;  z_d = z + (hours of the bucket until d) / a_q;  late = hours after d
    U_B(z) = A(z) min_q (P_Bq + eta) a_q                                    e_B is not before d

A mode is kept for a bucket. Neither wants to know W: only whether the job still runs. So the sum
over jobs of U_0(w), less what the capacity is worth at these prices, is a lower bound on what
non-anticipative policies cost on average, but for the grid (Hawkins 2003; Adelman and Mersereau
2008): the epochs lie on a grid of equal steps from w on, with values between its points by
interpolation. As z moves in time as long as the job runs, what it is expected to use of each mode
is one walk.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.heuristics.hindsight.kernels_jobs import fill_hull

CELLS = 48  # of the grid of epochs, at most


class PricedJobs(NamedTuple):
    """J jobs that run in the modes of R rows, at most M each."""

    row: Ints  # (J,)
    modes: Ints  # (R,) how many
    mode: Ints  # (R, M) q
    speed: Floats  # (R, M) 1 / a [epochs/h], ascending
    due: Floats  # (J,) h, not after the last edge
    weight: Floats  # (J,) $/h
    start: Ints  # (J,) bucket from which on it is there
    count: Floats  # (J,) jobs that are like it
    cells: Ints  # (J,) of the grid
    step: Floats  # (J,) epochs of a cell
    alive: Floats  # (J, CELLS + 1) P(W > z | W > w) at the grid's points
    left: Floats  # (J, CELLS + 1) A(z)


@inlined
def between(values: Floats, last: int, at: float) -> float:
    """Return a value at a point of the grid, 0 from the last one on."""
    if at >= last:
        return 0.0
    low = int(at)
    return values[low] + (at - low) * (values[low + 1] - values[low])


@inlined
def moved(values: Floats, last: int, shift: float, factor: float, into: Floats) -> None:
    """Add `factor` times the values `shift` points further on; they are 0 from the last one on."""
    whole = int(shift)
    part = shift - whole
    for g in range(last - whole):
        into[g] += factor * (values[g + whole] + part * (values[g + whole + 1] - values[g + whole]))


@compiled
def run_priced(
    jobs: PricedJobs, edges: Floats, price: Floats, cost: Floats, after: Floats, hours: Floats
) -> None:
    """
    Run every job at the least expected cost at these prices.

    Parameters
    ----------
    jobs : PricedJobs
    edges : (B + 1,) float [h]
    price : (B + 1, Q) float [$/h]
        Of each mode by bucket; row B is that of all time after the last edge.
    cost : (J,) float [$]
        Filled: U of a job's first bucket at w.
    after : (J, CELLS + 1) float [$]
        Filled: U of the second bucket, at the grid's points.
    hours : (B + 1, Q) float [h]
        Filled: expected hours of all jobs in each mode by bucket.
    """
    buckets, points, most = len(edges) - 1, jobs.left.shape[1], jobs.mode.shape[1]
    vertex, options = np.empty((buckets, most), np.int64), np.empty(buckets, np.int64)
    values, tried = np.zeros((buckets + 1, points)), np.empty(points)
    hours[:] = 0.0
    for job in range(len(jobs.due)):
        row, step = jobs.row[job], jobs.step[job]
        last, mode, rate = jobs.modes[row], jobs.mode[row], jobs.speed[row]
        due, weight, size = jobs.due[job], jobs.weight[job], jobs.cells[job]
        alive, left = jobs.alive[job], jobs.left[job]
        # what is left after the last edge: the mode that is cheapest when late, to the end
        least = inf
        for entry in range(last):
            least = min(least, (price[buckets, mode[entry]] + weight) / rate[entry])
        for g in range(size + 1):
            values[buckets, g] = least * left[g]
        for b in range(buckets - 1, jobs.start[job] - 1, -1):
            here, then, length = values[b], values[b + 1], edges[b + 1] - edges[b]
            early = min(max(due - edges[b], 0.0), length)
            for g in range(size):
                here[g] = then[g] + weight * (length - early) * alive[g]
            here[size] = 0.0
            count = fill_hull(rate, mode, 0, last, price[b], vertex[b])
            options[b] = count
            for i in range(count):
                speed, power = rate[vertex[b, i]], price[b, mode[vertex[b, i]]]
                for g in range(size):
                    tried[g] = power / speed * left[g]
                shift = speed / step * length
                late = weight if early < length else 0.0
                if late > 0.0:
                    moved(left, size, speed / step * early, late / speed, tried)
                moved(left, size, shift, -(power + late) / speed, tried)
                moved(then, size, shift, 1.0, tried)
                for g in range(size):
                    here[g] = min(here[g], tried[g])
        start = jobs.start[job]
        cost[job] = values[start, 0]
        for g in range(size + 1):
            after[job, g] = values[min(start + 1, buckets), g]
        # what it takes: one walk over the buckets as long as it runs
        at = 0.0
        for b in range(start, buckets):
            if at >= size:
                break
            then, length = values[b + 1], edges[b + 1] - edges[b]
            early = min(max(due - edges[b], 0.0), length)
            late = weight if early < length else 0.0
            best = between(then, size, at) + late * (length - early) * between(alive, size, at)
            own, chosen = between(left, size, at), -1
            for i in range(options[b]):
                speed, power = rate[vertex[b, i]], price[b, mode[vertex[b, i]]]
                end = at + speed / step * length
                still = between(left, size, end)
                value = power / speed * (own - still) + between(then, size, end)
                if late > 0.0:
                    on_time = between(left, size, at + speed / step * early)
                    value += late / speed * (on_time - still)
                if value <= best:
                    best, chosen = value, vertex[b, i]
            if chosen >= 0:
                speed = rate[chosen]
                end = at + speed / step * length
                used = (own - between(left, size, end)) / speed
                hours[b, mode[chosen]] += jobs.count[job] * used
                at = end
