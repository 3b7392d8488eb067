"""Iterations of `randomized_queue`: construct and price schedules, with shares of GPUs."""

from __future__ import annotations

from rsjs.core.types import Floats
from rsjs.heuristics.common.jit import at, compiled, inlined
from rsjs.heuristics.common.random_streams import States, draw_one
from rsjs.heuristics.greedy.arrays import NodeLevels, NodeTables, ObjectiveTables, SharedGpus
from rsjs.heuristics.greedy.kernels_placement import (
    GreedyState,
    close_all,
    first_level,
    has_share,
    most,
    place_share,
    place_tightly,
)
from rsjs.heuristics.greedy.kernels_randomized import total_cost
from rsjs.heuristics.greedy.randomized_arrays import LISTED, DrawnOrder, QueueTables


@compiled
def iterate(
    nodes: NodeTables,
    listed: QueueTables,
    objective: ObjectiveTables,
    closed: NodeLevels,
    levels: NodeLevels,
    state: GreedyState,
    divided: SharedGpus,
    drawn: DrawnOrder,
    first: int,
    streams: States,
    costs: Floats,
) -> int:
    """Fill `costs` from iteration `first` on; return how many jobs run in the last, in `state`."""
    running = 0
    for i in range(streams.shape[0]):
        running, waiting = construct(
            nodes,
            listed,
            objective,
            closed,
            levels,
            state,
            divided,
            drawn,
            first + i > 1,
            streams[i],
        )
        costs[i] = total_cost(nodes, objective, state, running, waiting)
    return running


@inlined
def construct(
    nodes: NodeTables,
    listed: QueueTables,
    objective: ObjectiveTables,
    closed: NodeLevels,
    levels: NodeLevels,
    state: GreedyState,
    divided: SharedGpus,
    drawn: DrawnOrder,
    randomised: bool,
    stream: int,
) -> tuple[int, float]:
    """Place jobs; return how many run, and the penalty [$] of those that wait."""
    close_all(closed, levels, state, divided)
    if randomised:
        draw_order(listed, objective, drawn, stream)
    else:
        keep_order(listed, drawn)
    penalty = objective.postponement
    last, ranks, kinds = listed.queue.shape[0] - 1, listed.candidate.shape[1], levels.room.shape[0]
    running, waiting = 0, 0.0
    for position in range(last + 1):
        job, code = drawn.job[position], drawn.code[position]
        kind, g = listed.kind[at(code)], listed.gpus[at(code)]
        level = first_level(levels, kind, g)
        # no room for the first mode: the first one that finds a node or a shared GPU
        if level < 0 and (g > 0 or not has_share(levels, divided, kind, listed.units[job, kind])):
            rank = ranks
            for other in range(kinds):
                rank = min(rank, listed.rank[job, other, most(levels, other)])
                if has_share(levels, divided, other, listed.units[job, other]):
                    rank = min(rank, listed.share_rank[job, other])
            if rank == ranks:
                waiting += penalty[job]
                if is_full(listed, levels, divided):
                    for later in range(position + 1, last + 1):
                        waiting += penalty[drawn.job[later]]
                    break
                continue
            code = listed.candidate[at(job), at(rank)]
            kind, g = listed.kind[at(code)], listed.gpus[at(code)]
            level = first_level(levels, kind, g)
        if g > 0:
            node = place_tightly(nodes, levels, state, kind, g, level)
        else:
            units = listed.units[job, kind]
            node = divided.node[place_share(nodes, levels, state, divided, kind, units)]
        state.job[at(running)], state.node[at(running)], state.gpus[at(running)] = job, node, g
        running += 1
    return running, waiting


@inlined
def draw_order(
    listed: QueueTables, objective: ObjectiveTables, drawn: DrawnOrder, stream: int
) -> None:
    """Let jobs be passed by the next one, and draw the first configuration of each."""
    queue, weight = listed.queue, objective.weight
    last = queue.shape[0] - 1
    carried = queue[0]
    for position in range(last + 1):
        job = carried
        if position < last:
            carried = queue[at(position + 1)]
            stream, u = draw_one(False, stream)
            heavier = weight[at(job)] > weight[at(carried)]
            passes = (heavier & (u < listed.passed_if_heavier)) | (~heavier & (u < listed.passed))
            # exchange both without a branch
            difference = (job ^ carried) & -int(passes)
            job, carried = job ^ difference, carried ^ difference
        # the mode that is tried first, from the cumulated chances of a list
        stream, u = draw_one(False, stream)
        rank = 0
        for more in range(LISTED - 1):
            rank += int(u >= listed.chance[at(job), at(more)])
        drawn.job[at(position)] = job
        drawn.code[at(position)] = listed.candidate[at(job), at(rank)]


@inlined
def keep_order(listed: QueueTables, drawn: DrawnOrder) -> None:
    """Take the queue as it is, and the best configuration of each job."""
    for position in range(listed.queue.shape[0]):
        job = listed.queue[position]
        drawn.job[position], drawn.code[position] = job, listed.candidate[job, 0]


@inlined
def is_full(listed: QueueTables, levels: NodeLevels, divided: SharedGpus) -> bool:
    """Whether no configuration of any job finds room."""
    full = True
    for kind in range(levels.room.shape[0]):
        whole = levels.room[kind] >= listed.least[kind]
        full = full and not whole and divided.room[kind] == 0
    return full
