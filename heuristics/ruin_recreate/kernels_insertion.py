"""Kernels that find the cheapest place for one job among the touched nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.common.kernels_random_numbers import uniform
from rsjs.heuristics.common.random_streams import States
from rsjs.heuristics.ruin_recreate.arrays import Array, Index, Shapes
from rsjs.heuristics.ruin_recreate.kernels_node import append, refresh
from rsjs.heuristics.ruin_recreate.kernels_node_sizes import Layers, resize
from rsjs.heuristics.ruin_recreate.node_state import State

INF = np.inf


class Guide(NamedTuple):
    """
    Prices as kernels read them.

    Attributes
    ----------
    gpu : (C, V) float [$]
    gain : (J,) float [$]
    mix : (C, V) float
        Cumulative, in the order of `Shapes.types`.
    leads : (1,) bool
        Whether nodes are opened by a leader.
    """

    gpu: Array
    gain: Array
    mix: Array
    leads: np.ndarray[tuple[int], np.dtype[np.bool_]]


class Pool(NamedTuple):
    """
    Jobs without a place, and the nodes that may take them.

    Attributes
    ----------
    job : (J,) int
        In the first `size[0]` entries.
    key : (J,) float
        The least goes first.
    node : (N,) int
        Touched nodes, in the first `size[1]` entries.
    size : (2,) int
    kept : (M + 1,) int
        Shapes of a node's jobs before another one is squeezed in.
    """

    job: Index
    key: Array
    node: Index
    size: Index
    kept: Index


def pool(problem: Shapes, state: State) -> Pool:
    """Space for all jobs and nodes."""
    jobs, nodes = len(problem.postponement), len(state.kind)
    return Pool(
        job=np.zeros(jobs, dtype=np.int64),
        key=np.zeros(jobs),
        node=np.zeros(nodes, dtype=np.int64),
        size=np.zeros(2, dtype=np.int64),
        kept=np.zeros(state.jobs.shape[1], dtype=np.int64),
    )


@inner
def open_node(
    problem: Shapes,
    state: State,
    guide: Guide,
    waits: Pool,
    n: int,
    beta: float,
    skip: float,
    random: States,
) -> None:
    """Give an empty node its leader from the pool, if some job fits."""
    v, c = state.kind[n], problem.node_class[n]
    size, price = problem.size[v], beta * guide.gpu[c, v]
    best, chosen, chosen_shape = INF, -1, -1
    for i in range(waits.size[0]):
        if skip > 0.0 and uniform(random) < skip:
            continue
        j = waits.job[i]
        base = -problem.postponement[j] - guide.gain[j]
        for a in range(problem.choices[v]):
            value = base + problem.late[v, j, a]
            value += problem.energy[v, size] * problem.hours[v, j, a] + price * problem.room[v, a]
            if value < best:
                best, chosen, chosen_shape = value, i, a
    if chosen >= 0:
        append(problem, state, n, waits.job[chosen], chosen_shape)
        last = waits.size[0] - 1
        waits.job[chosen] = waits.job[last]
        waits.size[0] = last


@inner
def insert(
    problem: Shapes,
    state: State,
    guide: Guide,
    waits: Pool,
    j: int,
    beta: float,
    blink: float,
    random: States,
) -> bool:
    """Run a job where it costs least, if that is less than P_j."""
    best, where, shape = problem.postponement[j], -1, -1
    for i in range(waits.size[1]):
        n = waits.node[i]
        if blink > 0.0 and uniform(random) < blink:
            continue
        v = state.kind[n]
        table = problem.bins_of[v] + state.shares[n]
        dedicated, size, first = state.dedicated[n], problem.size[v], state.first[n]
        if state.load[n] > 0 and dedicated + problem.bins[table] == size and problem.whole[v] == 1:
            continue
        price = beta * guide.gpu[problem.node_class[n], v]
        for a in range(problem.choices[v]):
            used = dedicated + problem.gpus[v, a] + problem.bins[table + problem.step[v, a]]
            if used > size:
                if problem.gpus[v, a] > 0:
                    break
                continue
            value = problem.late[v, j, a] + problem.idle[v, used] - state.base[n]
            value += problem.energy[v, used] * min(first, problem.hours[v, j, a])
            value += price * problem.room[v, a]
            if value < best:
                best, where, shape = value, n, a
    if where < 0:
        return False
    append(problem, state, where, j, shape)
    return True


@inner
def squeeze(problem: Shapes, state: State, space: Layers, waits: Pool, j: int) -> bool:
    """Run a job on a touched node where all jobs get new shapes, if that costs less than P_j."""
    for i in range(waits.size[1]):
        n = waits.node[i]
        count, before = state.load[n], state.cost[n]
        if count == 0 or count + 1 >= state.jobs.shape[1]:
            continue
        if problem.whole[state.kind[n]] == 1 and count >= problem.size[state.kind[n]]:
            continue
        for k in range(count):
            waits.kept[k] = state.shape[n, k]
        state.jobs[n, count], state.load[n], state.cost[n] = j, count + 1, INF
        if resize(problem, state, space, n) and state.cost[n] - before < problem.postponement[j]:
            return True
        state.load[n] = count
        for k in range(count):
            state.shape[n, k] = waits.kept[k]
        refresh(problem, state, n)
    return False
