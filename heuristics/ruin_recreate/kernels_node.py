"""Kernels that change one node, and that say what a change costs."""

from __future__ import annotations

import numpy as np

from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.ruin_recreate.arrays import SPARES, Shapes
from rsjs.heuristics.ruin_recreate.node_state import State

INF = np.inf


@inner
def clear(problem: Shapes, state: State, n: int) -> None:
    """Leave a node without jobs."""
    state.load[n], state.dedicated[n], state.shares[n] = 0, 0, 0
    state.first[n], state.cost[n] = INF, 0.0
    state.base[n] = problem.spare[problem.node_class[n]]


@inner
def refresh(problem: Shapes, state: State, n: int) -> None:
    """Recompute all sums of a node from its jobs, which fit."""
    if state.load[n] == 0:
        clear(problem, state, n)
        return
    v = state.kind[n]
    dedicated, shares, first, late = 0, 0, INF, 0.0
    for i in range(state.load[n]):
        j, a = state.jobs[n, i], state.shape[n, i]
        dedicated += problem.gpus[v, a]
        shares += problem.step[v, a]
        late += problem.late[v, j, a]
        first = min(first, problem.hours[v, j, a])
    used = dedicated + problem.bins[problem.bins_of[v] + shares]
    state.dedicated[n], state.shares[n], state.first[n] = dedicated, shares, first
    state.base[n] = problem.energy[v, used] * first + problem.idle[v, used]
    state.cost[n] = state.base[n] + late


@inner
def append(problem: Shapes, state: State, n: int, j: int, a: int) -> None:
    """Run a job on a node on which it fits."""
    v, at = state.kind[n], state.load[n]
    state.jobs[n, at], state.shape[n, at] = j, a
    before = 0.0 if at == 0 else state.base[n]
    state.load[n] = at + 1
    state.dedicated[n] += problem.gpus[v, a]
    state.shares[n] += problem.step[v, a]
    state.first[n] = min(state.first[n], problem.hours[v, j, a])
    used = state.dedicated[n] + problem.bins[problem.bins_of[v] + state.shares[n]]
    state.base[n] = problem.energy[v, used] * state.first[n] + problem.idle[v, used]
    state.cost[n] += state.base[n] - before + problem.late[v, j, a]


@inner
def drop(problem: Shapes, state: State, n: int, i: int) -> int:
    """Take the i-th job off a node; the job."""
    last = state.load[n] - 1
    j = state.jobs[n, i]
    state.jobs[n, i], state.shape[n, i] = state.jobs[n, last], state.shape[n, last]
    state.load[n] = last
    refresh(problem, state, n)
    return int(j)


@inner
def spares(problem: Shapes, state: State) -> float:
    """Cost of the empty nodes that count among those required, the cheapest ones [$]."""
    if problem.rule[0] != SPARES:
        return 0.0
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
def total_cost(problem: Shapes, state: State) -> float:
    """The objective [$], every node computed anew."""
    total = spares(problem, state)
    for n in range(len(state.kind)):
        refresh(problem, state, n)
        total += state.cost[n]
    for i in range(state.size[0]):
        total += problem.postponement[state.waiting[i]]
    return total
