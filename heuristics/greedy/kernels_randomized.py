"""Iterations of the randomized greedy: construct, postprocess, price; see randomized_greedy.py."""

from __future__ import annotations

from rsjs.heuristics.common.jit import compiled, inlined, inner
from rsjs.heuristics.common.kernels_random_numbers import draw
from rsjs.heuristics.common.random_streams import States
from rsjs.heuristics.greedy.arrays import Floats, NodeTables, Objective
from rsjs.heuristics.greedy.kernels_placement import clear, place
from rsjs.heuristics.greedy.kernels_postprocessing import postprocess
from rsjs.heuristics.greedy.kernels_schedule_cost import total_cost
from rsjs.heuristics.greedy.kernels_state import State
from rsjs.heuristics.greedy.randomized_arrays import Choices


@compiled
def iterate(
    nodes: NodeTables,
    choices: Choices,
    objective: Objective,
    state: State,
    first: int,
    streams: States,
    costs: Floats,
) -> int:
    """Costs of iterations first, first + 1, ...; `state` is the last, its running jobs counted."""
    running = 0
    for i in range(streams.shape[0]):
        running, waiting = construct(nodes, choices, objective, state, first + i > 1, streams[i])
        postprocess(nodes, objective.hours, state, running, choices.each_node)
        costs[i] = total_cost(nodes, objective, state, running, waiting)
    return running


@inner
def construct(
    nodes: NodeTables,
    choices: Choices,
    objective: Objective,
    state: State,
    randomised: bool,
    stream: int,
) -> tuple[int, float]:
    """Jobs onto nodes; how many run, and the penalty [$] of those that wait."""
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
                stream, u = draw(choices.minstd, stream)
                heavier = weight[job] > weight[carried]
                if u < (choices.swap_heavier if heavier else choices.swap_other):
                    job, carried = carried, job
        rank, u_node = 0, 0.0
        if choices.listed > 1 and randomised:
            stream, u = draw(choices.minstd, stream)
            stream, u_node = draw(choices.minstd, stream)
            while u >= choices.chance[job, rank]:
                rank += 1
        code = choices.candidate[job, rank]
        if choices.gpus[code] > state.room[choices.kind[code]]:
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
def is_full(choices: Choices, state: State) -> bool:
    """Whether no configuration of any job finds a node."""
    full = True
    for kind in range(state.room.shape[0]):
        full = full and state.room[kind] < choices.least[kind]
    return full
