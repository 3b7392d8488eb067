"""
Kernel: simulated annealing of the order in which jobs choose their units.

A move exchanges two jobs or puts one up to `REACH` places away; where migrations count, now and
then it changes whether jobs stay on their units. Values are compared stage by stage: the first
stage that differs by delta decides, and a worse one is taken with probability
exp(-delta / (temperature max(1, |value|))).
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.common.kernels_random_numbers import below, uniform
from rsjs.heuristics.common.random_streams import States
from rsjs.heuristics.mig.kernels import MigTables
from rsjs.heuristics.mig.kernels_mig_simulation import simulate
from rsjs.heuristics.mig.kernels_mig_values import evaluate
from rsjs.instances.mig.jobs import Floats, Integers

REACH = 8  # places
TOGGLE = 0.02  # share of moves
LEAST = 1e-9  # difference of values that counts


class Order(NamedTuple):
    """
    Attributes
    ----------
    jobs : (J,) int
        The first one chooses first.
    stay : (1,) bool
        See `simulate`.
    value : (stages,) float
    """

    jobs: Integers
    stay: NDArray[np.bool_]
    value: Floats


@inner
def _worse(new: Floats, old: Floats) -> float:
    """By how much the first stage that differs is worse, relative to its old value."""
    for stage in range(len(new)):
        if abs(new[stage] - old[stage]) > LEAST:
            return float((new[stage] - old[stage]) / max(1.0, abs(old[stage])))
    return 0.0


@inner
def _copy(source: Order, target: Order) -> None:
    for j in range(len(source.jobs)):
        target.jobs[j] = source.jobs[j]
    for stage in range(len(source.value)):
        target.value[stage] = source.value[stage]
    target.stay[0] = source.stay[0]


@inner
def _move(order: Order, migrations_count: bool, random: States) -> None:
    jobs = order.jobs
    if migrations_count and uniform(random) < TOGGLE:
        order.stay[0] = not order.stay[0]
        return
    a = below(random, len(jobs))
    if uniform(random) < 0.5:
        b = below(random, len(jobs))
        jobs[a], jobs[b] = jobs[b], jobs[a]
        return
    b = min(len(jobs) - 1, max(0, a + below(random, 2 * REACH + 1) - REACH))
    moved = jobs[a]
    step = 1 if a < b else -1
    while a != b:
        jobs[a] = jobs[a + step]
        a += step
    jobs[b] = moved


@compiled
def price(
    p: MigTables, order: Order, rank: Integers, minute: Integers, unit: Integers, terms: Floats
) -> None:
    """Simulate an order and fill in its value."""
    for place in range(len(order.jobs)):
        j = order.jobs[place]
        for s in range(p.first[j], p.first[j + 1]):
            rank[s] = place
    simulate(p, rank, order.stay[0], minute, unit)
    evaluate(p, minute, unit, terms, order.value)


@compiled
def anneal(
    p: MigTables,
    current: Order,
    best: Order,
    candidate: Order,
    temperatures: Floats,
    random: States,
) -> None:
    """Make a move at each of some temperatures; `candidate` is room to work in."""
    steps = len(p.need)
    rank, minute, unit = (
        np.empty(steps, np.int64),
        np.empty(steps, np.int64),
        np.empty(steps, np.int64),
    )
    terms = np.empty(p.weights.shape[1])
    migrations_count = bool(p.weights[:, 6].any())
    for temperature in temperatures:
        _copy(current, candidate)
        _move(candidate, migrations_count, random)
        price(p, candidate, rank, minute, unit, terms)
        worse = _worse(candidate.value, current.value)
        if worse <= 0.0 or uniform(random) < exp(-worse / temperature):
            _copy(candidate, current)
            if _worse(candidate.value, best.value) < 0.0:
                _copy(candidate, best)
