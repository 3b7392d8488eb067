"""
A lower bound on the cost of a workload whose epochs are known: no job waits for another.

On an infinite cluster each job j runs alone. With W_j epochs, configuration q takes W_j a_q hours
and costs W_j a_q p_q; a job that may change its configuration for nothing takes T hours for

    E_j(T) = min { sum_q x_q W_j a_q p_q : sum_q x_q W_j a_q <= T, sum_q x_q = 1, x >= 0 },

the lower hull of these points. So no policy that ends job j at r_j + T pays less than

    b_j = min over T of E_j(T) + eta_j max(0, T - (d_j - r_j)),

a convex function that is linear between the corners of the hull and d_j - r_j.

p_q is what a configuration costs at least wherever it is, see `configurations`. Overhead only adds
to the cost; with errors of the prediction a_q are the real times.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.instance import Workload
from rsjs.simulation.configurations import configurations
from rsjs.simulation.options import Options


def capacity_free_bound(workload: Workload, options: Options | None = None) -> float:
    """Sum of b_j [$]: no policy costs less on this workload."""
    return float(capacity_free_bounds(workload, options or Options()).sum())


def capacity_free_bounds(workload: Workload, options: Options) -> Floats:
    """(J,) b_j [$]."""
    jobs = workload.jobs
    of = configurations(workload, options)
    slack = jobs.due - jobs.release
    rows = zip(workload.realised_epochs, of.pace, slack, jobs.weight, strict=True)
    return np.array([_least(epochs * own, of.price, late, eta) for epochs, own, late, eta in rows])


def _least(hours: Floats, price: Floats, slack: float, eta: float) -> float:
    """b_j from the hours of each configuration."""
    usable = np.isfinite(hours)
    hours, cost = _lower_hull(hours[usable], hours[usable] * price[usable])
    inside = hours[0] < slack < hours[-1]
    times = np.append(hours, slack) if inside else hours
    energy = np.interp(times, hours, cost)
    return float((energy + eta * np.maximum(0.0, times - slack)).min())


def _lower_hull(hours: Floats, cost: Floats) -> tuple[Floats, Floats]:
    """Corners of the hull that are faster or cheaper than all others, by hours ascending."""
    corners: list[tuple[float, float]] = []
    for h, c in sorted(zip(hours.tolist(), cost.tolist(), strict=True)):
        if corners and c >= corners[-1][1]:
            continue
        while len(corners) > 1 and _above(corners[-2], corners[-1], (h, c)):
            corners.pop()
        corners.append((h, c))
    first, second = zip(*corners, strict=True)
    return np.array(first), np.array(second)


def _above(
    left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]
) -> bool:
    """Whether the middle point is not below the line through the others."""
    run, rise = right[0] - left[0], right[1] - left[1]
    return (middle[1] - left[1]) * run >= rise * (middle[0] - left[0])
