"""
Kernels that run the jobs of a pool on the touched nodes, guided by prices.

1. Leaders: an empty node takes the job and shape with the least
   late + energy_v,s theta - P_j + beta lambda_v w_a - gain_j, if it is to be opened.
2. The others, in the order of their keys: the node and shape with the least
   (change of the node's cost) - P_j + beta lambda_v w_a, if that is < 0.
3. Those left over: the same without prices; else as one more job on a node whose jobs all get new
   shapes, if that costs less than P_j. Those with P_j = 0 come last, and only where idle GPUs cost.
4. New shapes for the jobs of every touched node.

Kernels that find the cheapest place for one job among the touched nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.common.random_streams import States, uniform
from rsjs.heuristics.ruin_recreate.arrays import EXACTLY, Shapes, State
from rsjs.heuristics.ruin_recreate.kernels_node import Layers, append, refresh, resize

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

    gpu: Floats
    gain: Floats
    mix: Floats
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

    job: Ints
    key: Floats
    node: Ints
    size: Ints
    kept: Ints


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


SKIP_NODE, SKIP_FIRST, SKIP_JOB, BLINK, NOISE = 0.25, 0.05, 0.05, 0.02, 0.3
RANDOM_ORDER, ORDER_BY_GAIN = 0.5, 0.8  # cumulative; the rest by P_j


@inner
def order_pool(
    problem: Shapes, guide: Guide, waits: Pool, rule: int, noise: float, random: States
) -> None:
    """Sort the pool: rule 0 at random, 1 by gain, 2 by P_j, keys up to `noise` off."""
    for i in range(waits.size[0]):
        j = waits.job[i]
        if rule == 0:
            key = uniform(random)
        else:
            key = guide.gain[j] if rule == 1 else -problem.postponement[j]
            if noise > 0.0:
                key *= 1.0 + noise * (2.0 * uniform(random) - 1.0)
        at = i
        while at > 0 and waits.key[at - 1] > key:
            waits.key[at], waits.job[at] = waits.key[at - 1], waits.job[at - 1]
            at -= 1
        waits.key[at], waits.job[at] = key, j


@inner
def place_pool(
    problem: Shapes,
    state: State,
    guide: Guide,
    space: Layers,
    waits: Pool,
    beta: float,
    blink: float,
    squeezing: bool,
    random: States,
) -> None:
    """Steps 2 to 4; what stays in the pool is postponed."""
    left = 0
    for i in range(waits.size[0]):
        j = waits.job[i]
        if not insert(problem, state, guide, waits, j, beta, blink, random):
            waits.job[left] = j
            left += 1
    waits.size[0] = left
    left = 0
    for i in range(waits.size[0]):
        j = waits.job[i]
        if problem.postponement[j] > 0.0:
            if insert(problem, state, guide, waits, j, 0.0, 0.0, random):
                continue
            if squeezing and squeeze(problem, state, space, waits, j):
                continue
        waits.job[left] = j
        left += 1
    waits.size[0] = left
    if idle_gpus_cost(problem):
        fill(problem, state, guide, waits, random)
    for i in range(waits.size[1]):
        resize(problem, state, space, waits.node[i])


@inner
def idle_gpus_cost(problem: Shapes) -> bool:
    """Whether some do: elsewhere a job with P_j = 0 saves nothing by running."""
    most = 0.0
    for v in range(problem.idle.shape[0]):
        most = max(most, problem.idle[v, 0])
    return most > 0.0


@inner
def fill(problem: Shapes, state: State, guide: Guide, waits: Pool, random: States) -> None:
    """Jobs that may as well wait run on GPUs that cost something idle."""
    left = 0
    for i in range(waits.size[0]):
        j = waits.job[i]
        may = problem.postponement[j] == 0.0
        if may and insert(problem, state, guide, waits, j, 0.0, 0.0, random):
            continue
        waits.job[left] = j
        left += 1
    waits.size[0] = left


@inner
def recreate(
    problem: Shapes,
    state: State,
    guide: Guide,
    space: Layers,
    taken: Pool,
    random: States,
) -> float:
    """Run the pool again; what the touched nodes and the jobs left cost then [$]."""
    beta = 0.5 + uniform(random)
    if guide.leads[0]:
        opened = False
        for i in range(taken.size[1]):
            n = taken.node[i]
            if state.load[n] > 0:
                continue
            skip = SKIP_NODE if opened else SKIP_FIRST
            if problem.rule[0] != EXACTLY and uniform(random) < skip:
                continue
            open_node(problem, state, guide, taken, n, beta, SKIP_JOB, random)
            opened = True
    x = uniform(random)
    rule = 0 if x < RANDOM_ORDER else 1 if x < ORDER_BY_GAIN else 2
    order_pool(problem, guide, taken, rule, NOISE, random)
    place_pool(problem, state, guide, space, taken, beta, BLINK, True, random)
    cost = 0.0
    for i in range(taken.size[1]):
        cost += state.cost[taken.node[i]]
    for i in range(taken.size[0]):
        cost += problem.postponement[taken.job[i]]
    return cost


@compiled
def insert_all(
    problem: Shapes, state: State, guide: Guide, space: Layers, taken: Pool, random: States
) -> None:
    """One pass at beta = 1, without chance; touched nodes that are empty get a leader first."""
    if guide.leads[0]:
        for i in range(taken.size[1]):
            n = taken.node[i]
            if state.load[n] == 0:
                open_node(problem, state, guide, taken, n, 1.0, 0.0, random)
    order_pool(problem, guide, taken, 1, 0.0, random)
    place_pool(problem, state, guide, space, taken, 1.0, 0.0, False, random)
