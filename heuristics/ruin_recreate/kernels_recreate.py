"""
Kernels that run the jobs of a pool on the touched nodes, guided by prices.

1. Leaders: an empty node takes the job and shape with the least
   late + energy_v,s theta - P_j + beta lambda_v w_a - gain_j, if it is to be opened.
2. The others, in the order of their keys: the node and shape with the least
   (change of the node's cost) - P_j + beta lambda_v w_a, if that is < 0.
3. Those left over: the same without prices; else as one more job on a node whose jobs all get new
   shapes, if that costs less than P_j. Those with P_j = 0 come last, and only where idle GPUs cost.
4. New shapes for the jobs of every touched node.
"""

from __future__ import annotations

from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.common.kernels_random_numbers import uniform
from rsjs.heuristics.common.random_streams import States
from rsjs.heuristics.ruin_recreate.arrays import EXACTLY, Shapes
from rsjs.heuristics.ruin_recreate.kernels_insertion import Guide, Pool, insert, open_node, squeeze
from rsjs.heuristics.ruin_recreate.kernels_node_sizes import Layers, resize
from rsjs.heuristics.ruin_recreate.node_state import State

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
