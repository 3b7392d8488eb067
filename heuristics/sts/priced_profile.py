"""
Speed profiles of single jobs at prices of GPUs over time: a dynamic program.

Time is cut at edges e_0 = 0 < ... < e_B, hours from now; in bucket b of L_b hours mode q costs
P_bq $/h. A job with w epochs done runs on while W > w; F^c(z) = P(W > z | W > w) and A(z), its
integral from z to w_max, as in `sts.single_job`. U_b(z) is the expected cost from e_b on of a job
with z epochs done then, times F^c(z), d hours its due date:

    U_b(z) = min { U_(b+1)(z) + eta l_b F^c(z),                                         it waits
                   min_q P_bq a_q (A(z) - A(z')) + eta a_q (A(z_d) - A(z')) + U_(b+1)(z') }
    U_B(z) = A(z) min_q (P_Bq + eta) a_q                                    d is not after e_B

    z' = z + L_b / a_q;  l_b = hours of the bucket after d;  z_d = z + (L_b - l_b) / a_q

as E[hours that it runs until z'] = a_q (A(z) - A(z')). So a job keeps its mode for a bucket, and
knows of W only whether it still runs: U_0(w) is what it costs without foresight. As long as it runs
its epochs are those that it planned, so what it is expected to use is found by one walk.

The epochs lie on a grid of `CELLS` equal steps from w to w_max; between its points values are
interpolated. In a bucket only the modes on the lower hull of (speed, $/h) are looked at.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.heuristics.hindsight.kernels_jobs import fill_hull

CELLS = 48


class PricedJobs(NamedTuple):
    """J jobs that run in the modes of R rows, at most M each."""

    row: Ints  # (J,) its modes
    modes: Ints  # (R,) how many there are
    mode: Ints  # (R, M) q
    speed: Floats  # (R, M) 1 / a_q [epochs/h], ascending
    due: Floats  # (J,) d [h], at most the last edge
    weight: Floats  # (J,) eta [$/h]
    step: Floats  # (J,) epochs of a cell
    alive: Floats  # (J, CELLS + 1) F^c at the points of the grid, of which w_max is the last
    left: Floats  # (J, CELLS + 1) A


@inlined
def between(values: Floats, last: int, at: float) -> float:
    """Return a value at a point of the grid, 0 from the last one on."""
    if at >= last:
        return 0.0
    low = int(at)
    found: float = values[low] + (at - low) * (values[low + 1] - values[low])
    return found


@inlined
def add_later(values: Floats, last: int, shift: float, factor: float, into: Floats) -> None:
    """Add `factor` times the values `shift` points on; they are 0 from the last one on."""
    whole = int(min(shift, 1.0 * last))
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
        Filled: U_0(w).
    after : (J, CELLS + 1) float [$]
        Filled: U_1 at the points of the grid.
    hours : (B + 1, Q) float [h]
        Filled: expected hours of all jobs in each mode by bucket.
    """
    buckets, last, most = len(edges) - 1, jobs.left.shape[1] - 1, jobs.mode.shape[1]
    vertex, sizes = np.empty((buckets, most), np.int64), np.empty(buckets, np.int64)
    values, tried = np.zeros((buckets + 1, last + 1)), np.empty(last + 1)
    hours[:] = 0.0
    for job in range(len(jobs.due)):
        row, step = jobs.row[job], jobs.step[job]
        modes, mode, rate = jobs.modes[row], jobs.mode[row], jobs.speed[row]
        due, weight, alive, left = jobs.due[job], jobs.weight[job], jobs.alive[job], jobs.left[job]
        # U_B: in the mode that costs least where it is late, to the end
        least = inf
        for entry in range(modes):
            least = min(least, (price[buckets, mode[entry]] + weight) / rate[entry])
        for g in range(last + 1):
            values[buckets, g] = least * left[g]
        for b in range(buckets - 1, -1, -1):
            here, then, length = values[b], values[b + 1], edges[b + 1] - edges[b]
            in_time = min(max(due - edges[b], 0.0), length)
            for g in range(last):
                here[g] = then[g] + weight * (length - in_time) * alive[g]
            here[last] = 0.0
            late = weight if in_time < length else 0.0
            sizes[b] = fill_hull(rate, mode, 0, modes, price[b], vertex[b])
            for i in range(sizes[b]):
                speed, power = rate[vertex[b, i]], price[b, mode[vertex[b, i]]]
                for g in range(last):
                    tried[g] = power / speed * left[g]
                if late > 0.0:
                    add_later(left, last, speed / step * in_time, late / speed, tried)
                shift = speed / step * length
                add_later(left, last, shift, -(power + late) / speed, tried)
                add_later(then, last, shift, 1.0, tried)
                for g in range(last):
                    here[g] = min(here[g], tried[g])
        cost[job] = values[0, 0]
        after[job] = values[1]
        # what it takes: one walk over the buckets, as long as it runs
        at = 0.0
        for b in range(buckets):
            if at >= last:
                break
            then, length = values[b + 1], edges[b + 1] - edges[b]
            in_time = min(max(due - edges[b], 0.0), length)
            late = weight if in_time < length else 0.0
            best = between(then, last, at) + late * (length - in_time) * between(alive, last, at)
            own, chosen, chosen_end = between(left, last, at), -1, at
            for i in range(sizes[b]):
                speed, power = rate[vertex[b, i]], price[b, mode[vertex[b, i]]]
                end = at + speed / step * length
                still = between(left, last, end)
                total = power / speed * (own - still) + between(then, last, end)
                if late > 0.0:
                    on_time = between(left, last, at + speed / step * in_time)
                    total += late / speed * (on_time - still)
                if total <= best:
                    best, chosen, chosen_end = total, vertex[b, i], end
            if chosen >= 0:
                used = own - between(left, last, chosen_end)
                hours[b, mode[chosen]] += used / rate[chosen]
                at = chosen_end
