"""Expected first endings: E[min] of independent random completion times, exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.costs import Placement, node_prices
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

MOST_STEPS = 300_000_000
Array = NDArray[np.float64]


def wait_and_see_energy(
    instance: Instance, solution: Solution, placement: Placement
) -> float | None:
    """
    Node prices times E[min_j t_j], where the objective has min_j E[t_j] [$] (rsjs 2.3).

    None unless energy is charged to the first ending in expectation, and where that takes more than
    MOST_STEPS of jobs on a node times the points of their laws.
    """
    objective = instance.objective
    if objective.energy != "first_ending" or objective.expectation != "expected":
        return None
    price = node_prices(instance, solution, placement)
    total = 0.0
    for n in np.flatnonzero(placement.used).tolist():
        rows = np.flatnonzero(placement.node == n)
        times = []
        for r in rows.tolist():
            j = int(placement.running[r])
            left, probability = remaining_law(instance, j)
            mean = float(left @ probability)
            times.append((left * (placement.hours[r] / mean), probability))
        if len(times) * sum(len(left) for left, _ in times) > MOST_STEPS:
            return None
        total += price[n] * expected_minimum(times)
    return total


def remaining_law(instance: Instance, j: int) -> tuple[Array, Array]:
    """Support and probabilities of job j's remaining epochs given that it still runs."""
    jobs = instance.jobs
    if jobs.law[j] == FIXED:
        return np.array([jobs.remaining[j]]), np.ones(1)
    law = instance.laws[jobs.law[j]]
    open_ = (law.epochs > jobs.epochs_done[j]) & (law.weights > 0)
    weights = law.weights[open_]
    return law.epochs[open_] - jobs.epochs_done[j], weights / weights.sum()


def expected_minimum(laws: list[tuple[Array, Array]]) -> float:
    """E[min] of independent discrete variables, each given by its support and probabilities."""
    points = np.unique(np.concatenate([support for support, _ in laws]))
    survival = np.ones(len(points))
    for support, probability in laws:
        passed = np.searchsorted(support, points[:-1], side="right")
        tail = np.append(np.cumsum(probability[::-1])[::-1], 0.0)
        survival[1:] *= tail[passed]
    return float(survival @ np.diff(points, prepend=0.0))
