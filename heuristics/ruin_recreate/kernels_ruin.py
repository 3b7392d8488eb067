"""Kernels that take jobs off nodes, remember the nodes as they were, and put them back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.common.random_streams import States, below, uniform
from rsjs.heuristics.ruin_recreate.arrays import Shapes, State
from rsjs.heuristics.ruin_recreate.kernels_node import clear, drop, refresh
from rsjs.heuristics.ruin_recreate.kernels_recreate import Guide, Pool

EMPTY, RETYPE = 0.2, 0.2  # how often an empty node is ruined, and a ruined node gets another type
IMITATE = 0.5  # how often a node gets the type of another node
ATTEMPTS = 4


class Undo(NamedTuple):
    """
    Touched nodes as they were, K at most, and postponed jobs that joined the pool.

    Attributes
    ----------
    kind, load : (K,) int
    jobs, shape : (K, M + 1) int
    waited : (K,) int
    size : (1,) int
    touched : (N,) bool
    """

    kind: Ints
    load: Ints
    jobs: Ints
    shape: Ints
    waited: Ints
    size: Ints
    touched: np.ndarray[tuple[int], np.dtype[np.bool_]]


def undo(state: State, most: int) -> Undo:
    """Space for `most` nodes and jobs."""
    nodes, width = state.jobs.shape
    return Undo(
        kind=np.zeros(most, dtype=np.int64),
        load=np.zeros(most, dtype=np.int64),
        jobs=np.zeros((most, width), dtype=np.int64),
        shape=np.zeros((most, width), dtype=np.int64),
        waited=np.zeros(most, dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        touched=np.zeros(nodes, dtype=np.bool_),
    )


@inner
def _touch(state: State, taken: Pool, memory: Undo, n: int) -> None:
    at, count = taken.size[1], state.load[n]
    memory.kind[at], memory.load[at] = state.kind[n], count
    for i in range(count):
        memory.jobs[at, i], memory.shape[at, i] = state.jobs[n, i], state.shape[n, i]
    memory.touched[n] = True
    taken.node[at] = n
    taken.size[1] = at + 1


@inner
def draw_type(problem: Shapes, state: State, guide: Guide, c: int, random: States) -> int:
    """A type for a node of a class: that of another such node that has jobs, or by the mix."""
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
    problem: Shapes,
    state: State,
    guide: Guide,
    taken: Pool,
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
    What these nodes and postponed jobs cost [$].
    """
    taken.size[0], taken.size[1] = 0, 0
    memory.size[0] = 0
    cost = 0.0
    for _ in range(ATTEMPTS * nodes):
        if taken.size[1] == nodes:
            break
        n = below(random, len(state.kind))
        if memory.touched[n] or (state.load[n] == 0 and uniform(random) >= EMPTY):
            continue
        _touch(state, taken, memory, n)
        cost += state.cost[n]
        for i in range(state.load[n]):
            taken.job[taken.size[0] + i] = state.jobs[n, i]
        taken.size[0] += state.load[n]
        clear(problem, state, n)
        c = problem.node_class[n]
        if problem.type_count[c] > 1 and uniform(random) < RETYPE:
            state.kind[n] = draw_type(problem, state, guide, c, random)
    for _ in range(others):
        n = below(random, len(state.kind))
        if memory.touched[n] or state.load[n] == 0:
            continue
        _touch(state, taken, memory, n)
        cost += state.cost[n]
        taken.job[taken.size[0]] = drop(problem, state, n, below(random, state.load[n]))
        taken.size[0] += 1
    for _ in range(min(waiting, state.size[0])):
        i, last = below(random, state.size[0]), state.size[0] - 1
        j = state.waiting[i]
        state.waiting[i], state.size[0] = state.waiting[last], last
        cost += problem.postponement[j]
        memory.waited[memory.size[0]] = j
        memory.size[0] += 1
        taken.job[taken.size[0]] = j
        taken.size[0] += 1
    return cost


@inner
def count_empty(problem: Shapes, state: State, taken: Pool, memory: Undo, sign: int) -> None:
    """Add to `empty` what the touched nodes have changed, or take it back."""
    for i in range(taken.size[1]):
        n = taken.node[i]
        change = int(state.load[n] == 0) - int(memory.load[i] == 0)
        state.empty[problem.node_class[n]] += sign * change


@inner
def restore(problem: Shapes, state: State, taken: Pool, memory: Undo) -> None:
    """Everything as before `ruin`; postponed jobs come in another order."""
    for i in range(taken.size[1]):
        n, count = taken.node[i], memory.load[i]
        state.kind[n], state.load[n] = memory.kind[i], count
        for k in range(count):
            state.jobs[n, k], state.shape[n, k] = memory.jobs[i, k], memory.shape[i, k]
        refresh(problem, state, n)
    for i in range(memory.size[0]):
        state.waiting[state.size[0]] = memory.waited[i]
        state.size[0] += 1
