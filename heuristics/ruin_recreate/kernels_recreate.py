"""
Kernels of recreate: insert the removed jobs into the touched nodes, guided by dual prices.

1. Leaders: an empty node takes the job and mode with the min
   late + energy_v,s theta - P_j + beta lambda_v w_a - gain_j, if it is to be opened.
2. The others, in the order of their keys: the node and mode with the min
   (change of the node's cost) - P_j + beta lambda_v w_a, if that is < 0.
3. Those left over: as in 2 with beta = 0; else as one more job on a node whose jobs all get new
   modes, if that costs less than P_j. Those with P_j = 0 come last, and only where idle GPUs cost.
4. New modes for the jobs of every touched node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.common.random_streams import States, uniform
from rsjs.heuristics.ruin_recreate.arrays import EXACTLY, ModeTables, RuinState
from rsjs.heuristics.ruin_recreate.kernels_node import Layers, append, own_cost, refresh, resize

INF = np.inf


class Guide(NamedTuple):
    """Dual prices as kernels read them."""

    gpu: Floats  # (C, V) $
    gain: Floats  # (J,) $, as in `DualPrices`
    mix: Floats  # (C, V) cumulative, in the order of `ModeTables.types`
    leads: Bools  # (1,) whether nodes are opened by a leader


class RemovedJobs(NamedTuple):
    """Jobs without a node, and the touched nodes that may take them."""

    job: Ints  # (J,) in the first `size[0]` entries
    key: Floats  # (J,) the min goes first
    node: Ints  # (N,) touched nodes, in the first `size[1]` entries
    size: Ints  # (2,)
    kept: Ints  # (M + 1,) modes of a node's jobs before another one is squeezed in


def removed_jobs(problem: ModeTables, state: RuinState) -> RemovedJobs:
    """Return space for all jobs and nodes."""
    jobs, nodes = len(problem.postponement), len(state.kind)
    return RemovedJobs(
        job=np.zeros(jobs, dtype=np.int64),
        key=np.zeros(jobs),
        node=np.zeros(nodes, dtype=np.int64),
        size=np.zeros(2, dtype=np.int64),
        kept=np.zeros(state.jobs.shape[1], dtype=np.int64),
    )


@inner
def open_node(
    problem: ModeTables,
    state: RuinState,
    guide: Guide,
    removed: RemovedJobs,
    n: int,
    beta: float,
    skip: float,
    random: States,
) -> None:
    """Give an empty node its leader among the removed jobs, if some job fits."""
    v, c = state.kind[n], problem.node_class[n]
    size, price = problem.size[v], beta * guide.gpu[c, v]
    best, chosen, chosen_mode = INF, -1, -1
    for i in range(removed.size[0]):
        if skip > 0.0 and uniform(random) < skip:
            continue
        j = removed.job[i]
        base = -problem.postponement[j] - guide.gain[j]
        for a in range(problem.mode_count[v]):
            value = base + own_cost(problem, n, v, j, a)
            value += problem.energy[v, size] * problem.hours[v, j, a] + price * problem.room[v, a]
            if value < best:
                best, chosen, chosen_mode = value, i, a
    if chosen >= 0:
        append(problem, state, n, removed.job[chosen], chosen_mode)
        last = removed.size[0] - 1
        removed.job[chosen] = removed.job[last]
        removed.size[0] = last


@inner
def insert(
    problem: ModeTables,
    state: RuinState,
    guide: Guide,
    removed: RemovedJobs,
    j: int,
    beta: float,
    blink: float,
    random: States,
) -> bool:
    """Insert a job where its cost is min, if that is less than P_j; return whether it was."""
    best, node, mode = problem.postponement[j], -1, -1
    for i in range(removed.size[1]):
        n = removed.node[i]
        if blink > 0.0 and uniform(random) < blink:
            continue
        v = state.kind[n]
        table = problem.bins_of[v] + state.shares[n]
        dedicated, size, first = state.dedicated[n], problem.size[v], state.first[n]
        if state.load[n] > 0 and dedicated + problem.bins[table] == size and problem.whole[v] == 1:
            continue
        price = beta * guide.gpu[problem.node_class[n], v]
        for a in range(problem.mode_count[v]):
            # GPUs in use with the job; modes with dedicated GPUs come last, by their number
            used = dedicated + problem.gpus[v, a] + problem.bins[table + problem.step[v, a]]
            if used > size:
                if problem.gpus[v, a] > 0:
                    break
                continue
            value = own_cost(problem, n, v, j, a) + problem.idle[v, used] - state.base[n]
            value += problem.energy[v, used] * min(first, problem.hours[v, j, a])
            value += price * problem.room[v, a]
            if value < best:
                best, node, mode = value, n, a
    if node < 0:
        return False
    append(problem, state, node, j, mode)
    return True


@inner
def squeeze(
    problem: ModeTables, state: RuinState, space: Layers, removed: RemovedJobs, j: int
) -> bool:
    """Insert a job on a touched node whose jobs all get new modes, if that costs less than P_j."""
    for i in range(removed.size[1]):
        n = removed.node[i]
        count, before = state.load[n], state.cost[n]
        if count == 0 or count + 1 >= state.jobs.shape[1]:
            continue
        if problem.whole[state.kind[n]] == 1 and count >= problem.size[state.kind[n]]:
            continue
        # try it with new modes for all jobs, else restore the old ones
        for k in range(count):
            removed.kept[k] = state.mode[n, k]
        state.jobs[n, count], state.load[n], state.cost[n] = j, count + 1, INF
        if resize(problem, state, space, n) and state.cost[n] - before < problem.postponement[j]:
            return True
        state.load[n] = count
        for k in range(count):
            state.mode[n, k] = removed.kept[k]
        refresh(problem, state, n)
    return False


SKIP_NODE, SKIP_FIRST, SKIP_JOB, BLINK, NOISE = 0.25, 0.05, 0.05, 0.02, 0.3
RANDOM_ORDER, ORDER_BY_GAIN = 0.5, 0.8  # cumulative; the rest by P_j


@inner
def sort_removed(
    problem: ModeTables, guide: Guide, removed: RemovedJobs, rule: int, noise: float, random: States
) -> None:
    """Sort the removed jobs: rule 0 at random, 1 by gain, 2 by P_j; keys up to `noise` off."""
    for i in range(removed.size[0]):
        j = removed.job[i]
        if rule == 0:
            key = uniform(random)
        else:
            key = guide.gain[j] if rule == 1 else -problem.postponement[j]
            if noise > 0.0:
                key *= 1.0 + noise * (2.0 * uniform(random) - 1.0)
        # insertion sort
        k = i
        while k > 0 and removed.key[k - 1] > key:
            removed.key[k], removed.job[k] = removed.key[k - 1], removed.job[k - 1]
            k -= 1
        removed.key[k], removed.job[k] = key, j


@inner
def insert_removed(
    problem: ModeTables,
    state: RuinState,
    guide: Guide,
    space: Layers,
    removed: RemovedJobs,
    beta: float,
    blink: float,
    squeezing: bool,
    random: States,
) -> None:
    """Make steps 2 to 4; the jobs that stay removed are postponed."""
    # step 2: at dual prices
    left = 0
    for i in range(removed.size[0]):
        j = removed.job[i]
        if not insert(problem, state, guide, removed, j, beta, blink, random):
            removed.job[left] = j
            left += 1
    removed.size[0] = left
    # step 3: without prices, or squeezed in
    left = 0
    for i in range(removed.size[0]):
        j = removed.job[i]
        if problem.postponement[j] > 0.0:
            if insert(problem, state, guide, removed, j, 0.0, 0.0, random):
                continue
            if squeezing and squeeze(problem, state, space, removed, j):
                continue
        removed.job[left] = j
        left += 1
    removed.size[0] = left
    if idle_gpus_cost(problem):
        fill(problem, state, guide, removed, random)
    # step 4
    for i in range(removed.size[1]):
        resize(problem, state, space, removed.node[i])


@inner
def idle_gpus_cost(problem: ModeTables) -> bool:
    """Return whether idle GPUs cost: elsewhere a job with P_j = 0 saves nothing by running."""
    most = 0.0
    for v in range(problem.idle.shape[0]):
        most = max(most, problem.idle[v, 0])
    return most > 0.0


@inner
def fill(
    problem: ModeTables, state: RuinState, guide: Guide, removed: RemovedJobs, random: States
) -> None:
    """Insert jobs with P_j = 0 on GPUs whose idleness costs."""
    left = 0
    for i in range(removed.size[0]):
        j = removed.job[i]
        may = problem.postponement[j] == 0.0
        if may and insert(problem, state, guide, removed, j, 0.0, 0.0, random):
            continue
        removed.job[left] = j
        left += 1
    removed.size[0] = left


@inner
def recreate(
    problem: ModeTables,
    state: RuinState,
    guide: Guide,
    space: Layers,
    removed: RemovedJobs,
    random: States,
) -> float:
    """Insert the removed jobs; return the cost [$] of the touched nodes and the jobs left."""
    beta = 0.5 + uniform(random)
    # step 1: leaders open empty nodes, some at random stay empty
    if guide.leads[0]:
        opened = False
        for i in range(removed.size[1]):
            n = removed.node[i]
            if state.load[n] > 0:
                continue
            skip = SKIP_NODE if opened else SKIP_FIRST
            if problem.rule[0] != EXACTLY and uniform(random) < skip:
                continue
            open_node(problem, state, guide, removed, n, beta, SKIP_JOB, random)
            opened = True
    # steps 2 to 4, in a random order of the jobs
    x = uniform(random)
    rule = 0 if x < RANDOM_ORDER else 1 if x < ORDER_BY_GAIN else 2
    sort_removed(problem, guide, removed, rule, NOISE, random)
    insert_removed(problem, state, guide, space, removed, beta, BLINK, True, random)
    cost = 0.0
    for i in range(removed.size[1]):
        cost += state.cost[removed.node[i]]
    for i in range(removed.size[0]):
        cost += problem.postponement[removed.job[i]]
    return cost


@compiled
def insert_all(
    problem: ModeTables,
    state: RuinState,
    guide: Guide,
    space: Layers,
    removed: RemovedJobs,
    random: States,
) -> None:
    """Insert at beta = 1, without chance; touched nodes that are empty get a leader first."""
    if guide.leads[0]:
        for i in range(removed.size[1]):
            n = removed.node[i]
            if state.load[n] == 0:
                open_node(problem, state, guide, removed, n, 1.0, 0.0, random)
    sort_removed(problem, guide, removed, 1, 0.0, random)
    insert_removed(problem, state, guide, space, removed, 1.0, 0.0, False, random)
