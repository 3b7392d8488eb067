"""
Iterations of the randomized greedy: construct, postprocess, price; see `greedy.randomized`.

A schedule is priced as in `costs.terms`, on arrays; shares are those of the tables.
"""

from __future__ import annotations

from math import inf

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import at, compiled, inlined, inner
from rsjs.heuristics.common.random_streams import States, draw_one
from rsjs.heuristics.greedy.arrays import NodeTables, ObjectiveTables
from rsjs.heuristics.greedy.kernels import postprocess
from rsjs.heuristics.greedy.kernels_placement import GreedyState, clear, place
from rsjs.heuristics.greedy.randomized_arrays import RandomChoices

PROPORTIONAL, FIRST_ENDING, NEXT_EVENT = range(3)  # in `greedy.arrays.ENERGIES`


@inner
def total_cost(
    nodes: NodeTables,
    objective: ObjectiveTables,
    state: GreedyState,
    running: int,
    postponement: float,
) -> float:
    """Return tardiness + postponement + energy + idle cost [$], summed in order of placement."""
    gpus_of_type, gpu_of_type, cost_of_type = (
        nodes.gpus_of_type,
        nodes.gpu_of_type,
        nodes.cost_of_type,
    )
    node_type, idle, job, node, gpus, best = (
        state.node_type,
        state.idle,
        state.job,
        state.node,
        state.gpus,
        state.best,
    )
    table, late_cost, due, weight, kind = (
        objective.hours,
        objective.tardiness,
        objective.due,
        objective.weight,
        objective.energy,
    )
    # jobs: tardiness at completion; energy in proportion, or the last end on each node
    energy, tardiness, first = 0.0, 0.0, inf
    if kind == FIRST_ENDING:
        best[:] = inf
    for r in range(running):
        j, n, g = job[r], node[r], gpus[r]
        v = node_type[at(n)]
        gpu = gpu_of_type[at(v)]
        hours = table[at(j), at(gpu), at(g)]
        first = min(first, hours)
        if kind == FIRST_ENDING:
            best[at(n)] = min(best[at(n)], hours)
        elif kind == PROPORTIONAL:
            size = gpus_of_type[at(v)]
            energy += g / size * cost_of_type[at(v), at(size - idle[at(n)])] * hours
        if objective.at_completion:
            tardiness += late_cost[at(j), at(gpu), at(g)]
    if not objective.at_completion:
        end = objective.now + first
        for r in range(running):
            late = end - due[job[r]]
            if late > 0.0:
                tardiness += weight[job[r]] * late
    # nodes: idle GPUs, and what a node costs until its last job or the next event ends
    idle_gpus = 0
    for n in range(idle.shape[0]):
        v = node_type[n]
        if v >= 0:
            idle_gpus += idle[n]
            price = cost_of_type[at(v), at(gpus_of_type[at(v)] - idle[n])]
            if kind == FIRST_ENDING:
                energy += price * best[n]
            elif kind == NEXT_EVENT:
                energy += price
    if kind == NEXT_EVENT and running > 0:
        energy *= first
    if objective.selected > 0 and objective.mu > 0.0:
        idle_gpus += completed(
            objective.selected, node_type, nodes.spare, nodes.fewest, nodes.class_of_node
        )
    return tardiness + postponement + energy + objective.mu * idle_gpus


@inner
def completed(
    selected: int, node_type: Ints, spare: Ints, fewest: Ints, class_of_node: Ints
) -> int:
    """Return the GPUs of nodes without a job that are selected, as `open_nodes.complete` does."""
    missing = selected
    for n in range(node_type.shape[0]):
        if node_type[n] >= 0:
            missing -= 1
    gpus = 0
    for i in range(spare.shape[0]):
        n = spare[i]
        if missing > 0 and node_type[n] < 0:
            gpus += fewest[class_of_node[n]]
            missing -= 1
    return gpus


@compiled
def iterate(
    nodes: NodeTables,
    choices: RandomChoices,
    objective: ObjectiveTables,
    state: GreedyState,
    first: int,
    streams: States,
    costs: Floats,
) -> int:
    """Fill `costs` from iteration `first` on; return how many jobs run in the last, in `state`."""
    running = 0
    for i in range(streams.shape[0]):
        running, waiting = construct(nodes, choices, objective, state, first + i > 1, streams[i])
        postprocess(nodes, objective.hours, state, running, choices.each_node)
        costs[i] = total_cost(nodes, objective, state, running, waiting)
    return running


@inner
def construct(
    nodes: NodeTables,
    choices: RandomChoices,
    objective: ObjectiveTables,
    state: GreedyState,
    randomised: bool,
    stream: int,
) -> tuple[int, float]:
    """Place jobs; return how many run, and the penalty [$] of those that wait."""
    clear(nodes, state)
    queue, weight, penalty = choices.queue, objective.weight, objective.postponement
    last, ranks = queue.shape[0] - 1, choices.candidate.shape[1]
    running, waiting, u = 0, 0.0, 0.0
    carried = queue[0]
    for position in range(last + 1):
        job = carried
        if position < last:
            carried = queue[position + 1]
            if randomised:
                # 3.1.4: a job may be passed by the next one
                stream, u = draw_one(choices.minstd, stream)
                heavier = weight[job] > weight[carried]
                if u < (choices.swap_heavier if heavier else choices.swap_other):
                    job, carried = carried, job
        # the candidate that is tried first, drawn from a list
        rank, u_node = 0, 0.0
        if choices.listed > 1 and randomised:
            stream, u = draw_one(choices.minstd, stream)
            stream, u_node = draw_one(choices.minstd, stream)
            while u >= choices.chance[job, rank]:
                rank += 1
        code = choices.candidate[job, rank]
        if choices.gpus[code] > state.room[choices.kind[code]]:
            # no room for it: the first candidate that finds a node
            rank = ranks
            for kind in range(state.room.shape[0]):
                rank = min(rank, choices.rank[job, kind, state.room[kind]])
            if rank == ranks:
                waiting += penalty[job]
                continue
            code = choices.candidate[job, rank]
        kind, g = choices.kind[code], choices.gpus[code]
        node = place(nodes, state, kind, g, u_node)
        state.job[running], state.node[running], state.gpus[running] = job, node, g
        running += 1
        if state.room[kind] < choices.least[kind] and is_full(choices, state):
            if position < last:
                waiting += penalty[carried]
                waiting += choices.later[position + 2]
            break
    return running, waiting


@inlined
def is_full(choices: RandomChoices, state: GreedyState) -> bool:
    """Whether no configuration of any job finds a node."""
    full = True
    for kind in range(state.room.shape[0]):
        full = full and state.room[kind] < choices.least[kind]
    return full
