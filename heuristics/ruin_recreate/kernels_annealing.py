"""
Kernels of ruin and recreate: take jobs off nodes, insert them again, accept or restore, many times.

A move that costs delta more is accepted with probability exp(-delta / T). Where exactly so many
nodes must have a job, moves that change their number are not accepted. The best solution is kept
up to date by copying the nodes that have changed since it was the current one.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.common.random_streams import States, below, uniform
from rsjs.heuristics.ruin_recreate.arrays import EXACTLY, ModeTables, RuinState
from rsjs.heuristics.ruin_recreate.kernels_node import (
    Layers,
    clear,
    drop,
    refresh,
    spares,
    total_cost,
)
from rsjs.heuristics.ruin_recreate.kernels_recreate import Guide, RemovedJobs, recreate

MIN_GAIN = 1e-11  # relative improvement that counts, more than what `Report` ignores
EMPTY, RETYPE = 0.2, 0.2  # how often an empty node is ruined, and a ruined node gets another type
IMITATE = 0.5  # how often a node gets the type of another node
ATTEMPTS = 4


class Undo(NamedTuple):
    """Touched nodes as they were, K at most, and postponed jobs that joined the removed ones."""

    kind: Ints  # (K,)
    load: Ints  # (K,)
    jobs: Ints  # (K, M + 1)
    mode: Ints  # (K, M + 1)
    waited: Ints  # (K,)
    size: Ints  # (1,)
    touched: Bools  # (N,)


def undo(state: RuinState, most: int) -> Undo:
    """Return space for `most` nodes and jobs."""
    nodes, width = state.jobs.shape
    return Undo(
        kind=np.zeros(most, dtype=np.int64),
        load=np.zeros(most, dtype=np.int64),
        jobs=np.zeros((most, width), dtype=np.int64),
        mode=np.zeros((most, width), dtype=np.int64),
        waited=np.zeros(most, dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        touched=np.zeros(nodes, dtype=np.bool_),
    )


@inner
def _touch(state: RuinState, removed: RemovedJobs, memory: Undo, n: int) -> None:
    """Remember a node as it is."""
    k, count = removed.size[1], state.load[n]
    memory.kind[k], memory.load[k] = state.kind[n], count
    for i in range(count):
        memory.jobs[k, i], memory.mode[k, i] = state.jobs[n, i], state.mode[n, i]
    memory.touched[n] = True
    removed.node[k] = n
    removed.size[1] = k + 1


@inner
def draw_type(problem: ModeTables, state: RuinState, guide: Guide, c: int, random: States) -> int:
    """Return a type for a node of a class: that of another one that has jobs, or by the mix."""
    if uniform(random) < IMITATE:
        n = below(random, len(state.kind))
        if problem.node_class[n] == c and state.load[n] > 0:
            return int(state.kind[n])
    x = uniform(random)
    for i in range(problem.type_count[c] - 1):
        if x < guide.mix[c, i]:
            return int(problem.types[c, i])
    return int(problem.types[c, problem.type_count[c] - 1])


@inner
def ruin(
    problem: ModeTables,
    state: RuinState,
    guide: Guide,
    removed: RemovedJobs,
    memory: Undo,
    nodes: int,
    others: int,
    waiting: int,
    random: States,
) -> float:
    """
    Empty up to `nodes` nodes, take one job each off up to `others` and `waiting` postponed ones.

    Returns
    -------
    Cost of these nodes and postponed jobs before [$].
    """
    removed.size[0], removed.size[1] = 0, 0
    memory.size[0] = 0
    cost = 0.0
    # empty some nodes, which may change their type
    for _ in range(ATTEMPTS * nodes):
        if removed.size[1] == nodes:
            break
        n = below(random, len(state.kind))
        if memory.touched[n] or (state.load[n] == 0 and uniform(random) >= EMPTY):
            continue
        _touch(state, removed, memory, n)
        cost += state.cost[n]
        for i in range(state.load[n]):
            removed.job[removed.size[0] + i] = state.jobs[n, i]
        removed.size[0] += state.load[n]
        clear(problem, state, n)
        c = problem.node_class[n]
        if problem.type_count[c] > 1 and uniform(random) < RETYPE:
            state.kind[n] = draw_type(problem, state, guide, c, random)
    # take one job each off some others
    for _ in range(others):
        n = below(random, len(state.kind))
        if memory.touched[n] or state.load[n] == 0:
            continue
        _touch(state, removed, memory, n)
        cost += state.cost[n]
        removed.job[removed.size[0]] = drop(problem, state, n, below(random, state.load[n]))
        removed.size[0] += 1
    # add some postponed jobs
    for _ in range(min(waiting, state.size[0])):
        i, last = below(random, state.size[0]), state.size[0] - 1
        j = state.waiting[i]
        state.waiting[i], state.size[0] = state.waiting[last], last
        cost += problem.postponement[j]
        memory.waited[memory.size[0]] = j
        memory.size[0] += 1
        removed.job[removed.size[0]] = j
        removed.size[0] += 1
    return cost


@inner
def count_empty(
    problem: ModeTables, state: RuinState, removed: RemovedJobs, memory: Undo, sign: int
) -> None:
    """Add to `empty` what the touched nodes have changed (sign 1), or take it back (-1)."""
    for i in range(removed.size[1]):
        n = removed.node[i]
        change = int(state.load[n] == 0) - int(memory.load[i] == 0)
        state.empty[problem.node_class[n]] += sign * change


@inner
def restore(problem: ModeTables, state: RuinState, removed: RemovedJobs, memory: Undo) -> None:
    """Restore the state before `ruin`; postponed jobs come in another order."""
    for i in range(removed.size[1]):
        n, count = removed.node[i], memory.load[i]
        state.kind[n], state.load[n] = memory.kind[i], count
        for k in range(count):
            state.jobs[n, k], state.mode[n, k] = memory.jobs[i, k], memory.mode[i, k]
        refresh(problem, state, n)
    for i in range(memory.size[0]):
        state.waiting[state.size[0]] = memory.waited[i]
        state.size[0] += 1


class BestState(NamedTuple):
    """Incumbent of the search, and the nodes where the current state differs from it."""

    kind: Ints  # as in `RuinState`, like the next three
    load: Ints
    jobs: Ints
    mode: Ints
    cost: Floats  # (1,) $
    changed: Ints  # (N,) nodes that differ, in the first `size[0]` entries
    size: Ints  # (1,)
    differs: Bools  # (N,)


def best_of(state: RuinState, cost: float) -> BestState:
    """Return the current state as the incumbent."""
    return BestState(
        kind=state.kind.copy(),
        load=state.load.copy(),
        jobs=state.jobs.copy(),
        mode=state.mode.copy(),
        cost=np.array([cost]),
        changed=np.zeros(len(state.kind), dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        differs=np.zeros(len(state.kind), dtype=np.bool_),
    )


@inner
def _mark(removed: RemovedJobs, best: BestState) -> None:
    """Mark the touched nodes as different from the incumbent."""
    for i in range(removed.size[1]):
        n = removed.node[i]
        if not best.differs[n]:
            best.differs[n] = True
            best.changed[best.size[0]] = n
            best.size[0] += 1


@inner
def _keep(state: RuinState, best: BestState, cost: float) -> None:
    """Copy the marked nodes into the incumbent."""
    for i in range(best.size[0]):
        n = best.changed[i]
        count = state.load[n]
        best.kind[n], best.load[n], best.differs[n] = state.kind[n], count, False
        for k in range(count):
            best.jobs[n, k], best.mode[n, k] = state.jobs[n, k], state.mode[n, k]
    best.size[0], best.cost[0] = 0, cost


@compiled
def anneal(
    problem: ModeTables,
    state: RuinState,
    guide: Guide,
    space: Layers,
    removed: RemovedJobs,
    memory: Undo,
    best: BestState,
    temperature: float,
    most_nodes: int,
    most_waiting: int,
    iterations: int,
    random: States,
) -> int:
    """Make that many moves at one temperature; return how many were accepted."""
    cost, accepted = total_cost(problem, state), 0
    for _ in range(iterations):
        # ruin and recreate: cost of what the move touches, before and after
        nodes = 1 + below(random, most_nodes)
        others, waiting = below(random, 4), below(random, most_waiting + 1)
        before = spares(problem, state)
        before += ruin(problem, state, guide, removed, memory, nodes, others, waiting, random)
        after = recreate(problem, state, guide, space, removed, random)
        count_empty(problem, state, removed, memory, 1)
        after += spares(problem, state)
        delta = after - before
        # Metropolis rule
        keep = delta <= 0.0 or (temperature > 0.0 and uniform(random) < exp(-delta / temperature))
        if problem.rule[0] == EXACTLY and len(state.kind) - state.empty.sum() != problem.rule[1]:
            keep = False
        for i in range(removed.size[1]):
            memory.touched[removed.node[i]] = False
        if not keep:
            count_empty(problem, state, removed, memory, -1)
            restore(problem, state, removed, memory)
            continue
        # the jobs left are postponed; the incumbent follows
        accepted += 1
        cost += delta
        for i in range(removed.size[0]):
            state.waiting[state.size[0]] = removed.job[i]
            state.size[0] += 1
        _mark(removed, best)
        if cost < best.cost[0] - MIN_GAIN * abs(best.cost[0]):
            _keep(state, best, cost)
    return accepted
