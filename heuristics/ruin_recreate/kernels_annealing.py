"""
Kernel: ruin, recreate, accept, many times.

A move that costs delta more is accepted with probability exp(-delta / T). Where exactly so many
nodes must have a job, moves that change their number are not accepted. The best decision is kept
up to date by copying the nodes that have changed since it was the current one.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.common.random_streams import States, below, uniform
from rsjs.heuristics.ruin_recreate.arrays import EXACTLY, Shapes, State
from rsjs.heuristics.ruin_recreate.kernels_node import Layers, spares, total_cost
from rsjs.heuristics.ruin_recreate.kernels_recreate import Guide, Pool, recreate
from rsjs.heuristics.ruin_recreate.kernels_ruin import Undo, count_empty, restore, ruin

LEAST = 1e-11  # relative improvement that counts, more than what `Report` ignores


class Best(NamedTuple):
    """
    The best decision so far, and where the current one differs.

    Attributes
    ----------
    kind, load, jobs, shape
        As in `State`.
    cost : (1,) float [$]
    changed : (N,) int
        Nodes that differ, in the first `size[0]` entries.
    size : (1,) int
    differs : (N,) bool
    """

    kind: Ints
    load: Ints
    jobs: Ints
    shape: Ints
    cost: Floats
    changed: Ints
    size: Ints
    differs: np.ndarray[tuple[int], np.dtype[np.bool_]]


def best_of(state: State, cost: float) -> Best:
    """The current decision as the best one."""
    return Best(
        kind=state.kind.copy(),
        load=state.load.copy(),
        jobs=state.jobs.copy(),
        shape=state.shape.copy(),
        cost=np.array([cost]),
        changed=np.zeros(len(state.kind), dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        differs=np.zeros(len(state.kind), dtype=np.bool_),
    )


@inner
def _mark(taken: Pool, best: Best) -> None:
    for i in range(taken.size[1]):
        n = taken.node[i]
        if not best.differs[n]:
            best.differs[n] = True
            best.changed[best.size[0]] = n
            best.size[0] += 1


@inner
def _keep(state: State, best: Best, cost: float) -> None:
    for i in range(best.size[0]):
        n = best.changed[i]
        count = state.load[n]
        best.kind[n], best.load[n], best.differs[n] = state.kind[n], count, False
        for k in range(count):
            best.jobs[n, k], best.shape[n, k] = state.jobs[n, k], state.shape[n, k]
    best.size[0], best.cost[0] = 0, cost


@compiled
def anneal(
    problem: Shapes,
    state: State,
    guide: Guide,
    space: Layers,
    taken: Pool,
    memory: Undo,
    best: Best,
    temperature: float,
    most_nodes: int,
    most_waiting: int,
    iterations: int,
    random: States,
) -> int:
    """Make that many moves at one temperature; how many were accepted."""
    cost, accepted = total_cost(problem, state), 0
    for _ in range(iterations):
        nodes = 1 + below(random, most_nodes)
        others, waiting = below(random, 4), below(random, most_waiting + 1)
        before = spares(problem, state)
        before += ruin(problem, state, guide, taken, memory, nodes, others, waiting, random)
        after = recreate(problem, state, guide, space, taken, random)
        count_empty(problem, state, taken, memory, 1)
        after += spares(problem, state)
        delta = after - before
        keep = delta <= 0.0 or (temperature > 0.0 and uniform(random) < exp(-delta / temperature))
        if problem.rule[0] == EXACTLY and len(state.kind) - state.empty.sum() != problem.rule[1]:
            keep = False
        for i in range(taken.size[1]):
            memory.touched[taken.node[i]] = False
        if not keep:
            count_empty(problem, state, taken, memory, -1)
            restore(problem, state, taken, memory)
            continue
        accepted += 1
        cost += delta
        for i in range(taken.size[0]):
            state.waiting[state.size[0]] = taken.job[i]
            state.size[0] += 1
        _mark(taken, best)
        if cost < best.cost[0] - LEAST * abs(best.cost[0]):
            _keep(state, best, cost)
    return accepted
