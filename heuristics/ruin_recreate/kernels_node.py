"""
Kernels of one node: add and remove jobs, and find the cheapest modes of all its jobs.

The modes are found by dynamic programming over units in use (a multiple-choice knapsack):

    W_i(t)     = min_a W_{i-1}(t - units_a) + late_ia                     nobody leads yet
    L_i(t; k)  = min_a min(L_{i-1}(t - units_a; k) + late_ia,
                           W_{i-1}(t - units_a) + late_ia + energy_k theta_ia)

with W_0(t) = 0, L_0 = inf. The min of L_m(k U; k) over k is the cost of the node: energy is charged
to some job, and to charge another one than the first to end, or more GPUs than are in use, only
costs more. mu is deducted for each unit taken. Exact where units fill GPUs without gaps
(dedicated GPUs, shares of quarters and halves); elsewhere the result counts only if it fits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.ruin_recreate.arrays import SPARES, ModeTables, RuinState

INF = np.inf
MIN_GAIN = 1e-13  # relative, of new modes


@inner
def clear(problem: ModeTables, state: RuinState, n: int) -> None:
    """Leave a node without jobs."""
    state.load[n], state.dedicated[n], state.shares[n] = 0, 0, 0
    state.first[n], state.cost[n] = INF, 0.0
    state.base[n] = problem.spare[problem.node_class[n]]


@inner
def own_cost(problem: ModeTables, n: int, v: int, j: int, a: int) -> float:
    """Return what job j adds by itself to node n of type v in mode a [$]; inf = not admissible."""
    if problem.home[j] == n and problem.home_kind[j] == v and problem.home_mode[j] == a:
        stays: float = problem.late[v, j, a]
        return stays
    moves: float = problem.late[v, j, a] + problem.charge[j]
    return moves


@inner
def refresh(problem: ModeTables, state: RuinState, n: int) -> None:
    """Recompute all sums of a node from its jobs, which fit."""
    if state.load[n] == 0:
        clear(problem, state, n)
        return
    v = state.kind[n]
    dedicated, shares, first, late = 0, 0, INF, 0.0
    # sums over the jobs of the node
    for i in range(state.load[n]):
        j, a = state.jobs[n, i], state.mode[n, i]
        dedicated += problem.gpus[v, a]
        shares += problem.step[v, a]
        late += own_cost(problem, n, v, j, a)
        first = min(first, problem.hours[v, j, a])
    used = dedicated + problem.bins[problem.bins_of[v] + shares]
    state.dedicated[n], state.shares[n], state.first[n] = dedicated, shares, first
    state.base[n] = problem.energy[v, used] * first + problem.idle[v, used]
    state.cost[n] = state.base[n] + late


@inner
def append(problem: ModeTables, state: RuinState, n: int, j: int, a: int) -> None:
    """Add a job to a node on which it fits."""
    v, at = state.kind[n], state.load[n]
    state.jobs[n, at], state.mode[n, at] = j, a
    before = 0.0 if at == 0 else state.base[n]
    state.load[n] = at + 1
    state.dedicated[n] += problem.gpus[v, a]
    state.shares[n] += problem.step[v, a]
    state.first[n] = min(state.first[n], problem.hours[v, j, a])
    used = state.dedicated[n] + problem.bins[problem.bins_of[v] + state.shares[n]]
    state.base[n] = problem.energy[v, used] * state.first[n] + problem.idle[v, used]
    state.cost[n] += state.base[n] - before + own_cost(problem, n, v, j, a)


@inner
def drop(problem: ModeTables, state: RuinState, n: int, i: int) -> int:
    """Remove the i-th job of a node; return the job."""
    last = state.load[n] - 1
    j = state.jobs[n, i]
    state.jobs[n, i], state.mode[n, i] = state.jobs[n, last], state.mode[n, last]
    state.load[n] = last
    refresh(problem, state, n)
    return int(j)


@inner
def spares(problem: ModeTables, state: RuinState) -> float:
    """Return the cost [$] of the empty nodes that count among those required, cheapest first."""
    if problem.rule[0] != SPARES:
        return 0.0
    # required nodes less those with a job
    missing = problem.rule[1] - len(state.kind)
    for c in range(len(state.empty)):
        missing += state.empty[c]
    total = 0.0
    for c in problem.by_spare:
        taken = min(missing, state.empty[c])
        if taken > 0:
            total += taken * problem.spare[c]
            missing -= taken
    return total


@compiled
def total_cost(problem: ModeTables, state: RuinState) -> float:
    """Return the objective [$], every node computed anew."""
    total = spares(problem, state)
    for n in range(len(state.kind)):
        refresh(problem, state, n)
        total += state.cost[n]
    for i in range(state.size[0]):
        total += problem.postponement[state.waiting[i]]
    return total


class Layers(NamedTuple):
    """Space for the dynamic program: W and L by jobs and units, and what was chosen there."""

    follow: Floats  # (M + 2, units + 1) $, W
    lead: Floats  # (M + 2, units + 1) $, L
    follow_mode: Ints  # (M + 2, units + 1) mode of the last job
    lead_mode: Ints  # (M + 2, units + 1)
    led: Bools  # (M + 2, units + 1) whether the last job leads
    best: Ints  # (M + 1,) modes of the jobs of a node
    old: Ints  # (M + 1,)


def layers(problem: ModeTables, most: int) -> Layers:
    """Return space for nodes of up to `most` jobs."""
    shape = most + 2, int((problem.size * problem.whole).max()) + 1
    return Layers(
        follow=np.zeros(shape),
        lead=np.zeros(shape),
        follow_mode=np.zeros(shape, dtype=np.int64),
        lead_mode=np.zeros(shape, dtype=np.int64),
        led=np.zeros(shape, dtype=np.bool_),
        best=np.zeros(most + 1, dtype=np.int64),
        old=np.zeros(most + 1, dtype=np.int64),
    )


@inner
def _follow(problem: ModeTables, state: RuinState, space: Layers, n: int, capacity: int) -> float:
    """Fill W for all jobs of a node; return the min theta of any job in any mode."""
    v = state.kind[n]
    rate = (problem.idle[v, 0] - problem.idle[v, 1]) / problem.whole[v]
    for t in range(capacity + 1):
        space.follow[0, t] = 0.0
    shortest = INF
    # W_i from W_{i-1}; mu is deducted for each unit taken
    for i in range(state.load[n]):
        j = state.jobs[n, i]
        for t in range(capacity + 1):
            space.follow[i + 1, t] = INF
        for a in range(problem.mode_count[v]):
            late, units = own_cost(problem, n, v, j, a), problem.units[v, a]
            if late == INF:
                continue
            late -= rate * units
            shortest = min(shortest, problem.hours[v, j, a])
            for t in range(units, capacity + 1):
                value = space.follow[i, t - units] + late
                if value < space.follow[i + 1, t]:
                    space.follow[i + 1, t] = value
                    space.follow_mode[i + 1, t] = a
    return float(shortest)


@inner
def _lead(
    problem: ModeTables, state: RuinState, space: Layers, n: int, capacity: int, k: int
) -> float:
    """Fill L for k GPUs in use; return L_m(k U; k)."""
    v, count = state.kind[n], state.load[n]
    price = problem.energy[v, k]
    rate = (problem.idle[v, 0] - problem.idle[v, 1]) / problem.whole[v]
    for t in range(capacity + 1):
        space.lead[0, t] = INF
    for i in range(count):
        j = state.jobs[n, i]
        for t in range(capacity + 1):
            space.lead[i + 1, t] = INF
        for a in range(problem.mode_count[v]):
            late, units = own_cost(problem, n, v, j, a), problem.units[v, a]
            if late == INF:
                continue
            late -= rate * units
            # job i either follows a leader among those before it, or leads
            led = late + price * problem.hours[v, j, a]
            for t in range(units, capacity + 1):
                value = space.lead[i, t - units] + late
                other = space.follow[i, t - units] + led
                if other < value:
                    if other < space.lead[i + 1, t]:
                        space.lead[i + 1, t] = other
                        space.lead_mode[i + 1, t] = a
                        space.led[i + 1, t] = True
                elif value < space.lead[i + 1, t]:
                    space.lead[i + 1, t] = value
                    space.lead_mode[i + 1, t] = a
                    space.led[i + 1, t] = False
    return float(space.lead[count, capacity])


@inner
def _trace(
    problem: ModeTables, state: RuinState, space: Layers, n: int, capacity: int, leader: bool
) -> None:
    """Trace the modes behind W_m or L_m back into `best`."""
    v, t = state.kind[n], capacity
    for i in range(state.load[n], 0, -1):
        if leader:
            a = space.lead_mode[i, t]
            leader = not space.led[i, t]
        else:
            a = space.follow_mode[i, t]
        space.best[i - 1] = a
        t -= problem.units[v, a]


@inner
def _fits(problem: ModeTables, state: RuinState, mode: Ints, n: int) -> bool:
    """Return whether the jobs of a node fit on it in the given modes."""
    v = state.kind[n]
    dedicated, shares = 0, 0
    for i in range(state.load[n]):
        dedicated += problem.gpus[v, mode[i]]
        shares += problem.step[v, mode[i]]
    return bool(dedicated + problem.bins[problem.bins_of[v] + shares] <= problem.size[v])


@inner
def resize(problem: ModeTables, state: RuinState, space: Layers, n: int) -> bool:
    """
    Give the jobs of a node their cheapest modes, if that is cheaper than what they have.

    A node of infinite cost has jobs without a mode. Returns whether the node has modes that fit.
    """
    v, count = state.kind[n], state.load[n]
    if count == 0:
        return True
    whole, size = problem.whole[v], problem.size[v]
    before = state.cost[n]
    enough = before - problem.idle[v, 0] - MIN_GAIN * abs(before) if before < INF else INF
    least = enough
    shortest = _follow(problem, state, space, n, size * whole)
    # without a leader where energy is not charged to the first ending, else for each k
    if problem.energy[v, size] == 0.0:
        if space.follow[count, size * whole] < least:
            least = space.follow[count, size * whole]
            _trace(problem, state, space, n, size * whole, False)
    else:
        for k in range(1, size + 1):
            # k GPUs that cost as much as k + 1 are no case of their own
            if k < size and problem.energy[v, k] == problem.energy[v, k + 1]:
                continue
            if space.follow[count, k * whole] + problem.energy[v, k] * shortest < least:
                value = _lead(problem, state, space, n, k * whole, k)
                if value < least:
                    least = value
                    _trace(problem, state, space, n, k * whole, True)
    if least >= enough or not _fits(problem, state, space.best, n):
        return bool(before < INF)
    # take the new modes, unless the recomputed cost is not less
    for i in range(count):
        space.old[i], state.mode[n, i] = state.mode[n, i], space.best[i]
    refresh(problem, state, n)
    if state.cost[n] >= before:
        for i in range(count):
            state.mode[n, i] = space.old[i]
        refresh(problem, state, n)
    return True
