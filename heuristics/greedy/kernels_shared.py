"""
Iterations of `randomized_queue`: construct and price schedules, with shares of GPUs.

Nodes for jobs, one job after the other, as `rooms.Rooms` finds them, on arrays.

The fullest open node that suffices, else the smallest closed one; ties: the lowest index. Chance
decides which nodes these are, so branches on them would be guessed wrong half of the time: where
two outcomes differ in a bit, the bit is computed.
"""

from __future__ import annotations

from rsjs.core.types import Floats
from rsjs.heuristics.common.jit import at, compiled, inlined, lowest_bit
from rsjs.heuristics.common.random_streams import States, draw_one
from rsjs.heuristics.greedy.arrays import LAST, SHIFT, Levels, NodeTables, Objective
from rsjs.heuristics.greedy.kernels import State
from rsjs.heuristics.greedy.kernels_randomized import total_cost
from rsjs.heuristics.greedy.randomized_arrays import LISTED, Divided, Drawn, Listed


@inlined
def close_all(closed: Levels, levels: Levels, state: State) -> None:
    """Close all nodes: `levels` become those of `closed`."""
    for i in range(closed.nodes.shape[0]):
        levels.nodes[i] = closed.nodes[i]
    for i in range(closed.present.shape[0]):
        levels.present[i] = closed.present[i]
    for kind in range(closed.room.shape[0]):
        levels.room[kind] = closed.room[kind]
    for node in range(state.idle.shape[0]):
        state.node_type[node], state.idle[node] = -1, 0


@inlined
def first_level(levels: Levels, kind: int, g: int) -> int:
    """The first level that suffices for g GPUs; -1 = none, or g = 0."""
    for part in range(levels.parts):
        found = (
            levels.present[at(kind * levels.parts + part)]
            & levels.enough[at(g * levels.parts + part)]
        )
        if found != 0:
            return (part << SHIFT) + lowest_bit(found)
    return -1


@inlined
def most(levels: Levels, kind: int) -> int:
    """The most GPUs that a node can give: as many as before, or fewer."""
    room = levels.room[kind]
    while room > 0 and first_level(levels, kind, room) < 0:
        room -= 1
    levels.room[kind] = room
    return int(room)


@inlined
def place(nodes: NodeTables, levels: Levels, state: State, kind: int, g: int, level: int) -> int:
    """The node of a level that gives g GPUs to a job; see `first_level`."""
    first = kind * levels.levels
    start = (first + level) * levels.width
    group = 1
    while levels.nodes[at(start + group)] == 0:
        group += 1
    part = lowest_bit(levels.nodes[at(start + group)])
    word = ((group - 1) << SHIFT) + part
    bit = lowest_bit(levels.nodes[at(start + 1 + levels.groups + word)])
    node = (word << SHIFT) + bit
    take(levels, kind, level, group, part, bit)
    d = nodes.class_of_node[at(node)]
    if levels.elsewhere[at(d)] and level >= levels.closed:
        for other in range(levels.room.shape[0]):
            size = nodes.size_as[other, d]
            if size > 0 and other != kind:
                take(levels, other, levels.closed + size, group, part, bit)
    left = level - g - levels.closed * int(level >= levels.closed)
    state.node_type[at(node)] = nodes.opened_as[at(kind), at(d)]
    state.idle[at(node)] = left
    start = (first + left) * levels.width
    levels.nodes[at(start)] += 1
    levels.nodes[at(start + group)] |= 1 << part
    levels.nodes[at(start + 1 + levels.groups + word)] |= 1 << bit
    levels.present[at(kind * levels.parts + (left >> SHIFT))] |= 1 << (left & LAST)
    return node


@inlined
def take(levels: Levels, kind: int, level: int, group: int, part: int, bit: int) -> None:
    """Take a node out of its level: bit `bit` of word `part` of a group, the first one being 1."""
    start = (kind * levels.levels + level) * levels.width
    word = start + 1 + levels.groups + ((group - 1) << SHIFT) + part
    others = levels.nodes[at(word)] ^ (1 << bit)
    levels.nodes[at(word)] = others
    levels.nodes[at(start + group)] ^= int(others == 0) << part
    left = levels.nodes[at(start)] - 1
    levels.nodes[at(start)] = left
    levels.present[at(kind * levels.parts + (level >> SHIFT))] ^= int(left == 0) << (level & LAST)


@compiled
def iterate(
    nodes: NodeTables,
    listed: Listed,
    objective: Objective,
    closed: Levels,
    levels: Levels,
    state: State,
    divided: Divided,
    drawn: Drawn,
    first: int,
    streams: States,
    costs: Floats,
) -> int:
    """Costs of iterations first, first + 1, ...; `state` is the last, its running jobs counted."""
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
    listed: Listed,
    objective: Objective,
    closed: Levels,
    levels: Levels,
    state: State,
    divided: Divided,
    drawn: Drawn,
    randomised: bool,
    stream: int,
) -> tuple[int, float]:
    """Jobs onto nodes; how many run, and the penalty [$] of those that wait."""
    close_all(closed, levels, state)
    divided.number[0] = 0
    divided.room[:] = 0
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
        if level < 0 and (g > 0 or not has_share(listed, levels, divided, job, kind)):
            rank = ranks
            for other in range(kinds):
                rank = min(rank, listed.rank[job, other, most(levels, other)])
                if has_share(listed, levels, divided, job, other):
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
            node = place(nodes, levels, state, kind, g, level)
        else:
            node = place_share(nodes, listed, levels, state, divided, kind, listed.units[job, kind])
        state.job[at(running)], state.node[at(running)], state.gpus[at(running)] = job, node, g
        running += 1
    return running, waiting


@inlined
def draw_order(listed: Listed, objective: Objective, drawn: Drawn, stream: int) -> None:
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
            difference = (job ^ carried) & -int(passes)
            job, carried = job ^ difference, carried ^ difference
        stream, u = draw_one(False, stream)
        rank = 0
        for more in range(LISTED - 1):
            rank += int(u >= listed.chance[at(job), at(more)])
        drawn.job[at(position)] = job
        drawn.code[at(position)] = listed.candidate[at(job), at(rank)]


@inlined
def keep_order(listed: Listed, drawn: Drawn) -> None:
    """Take the queue as it is, and the best configuration of each job."""
    for position in range(listed.queue.shape[0]):
        job = listed.queue[position]
        drawn.job[position], drawn.code[position] = job, listed.candidate[job, 0]


@inlined
def has_share(listed: Listed, levels: Levels, divided: Divided, job: int, kind: int) -> bool:
    """Whether there is room for a job's share of a GPU."""
    units = listed.units[job, kind]
    return units > 0 and bool(units <= divided.room[kind] or first_level(levels, kind, 1) >= 0)


@inlined
def is_full(listed: Listed, levels: Levels, divided: Divided) -> bool:
    """Whether no configuration of any job finds room."""
    full = True
    for kind in range(levels.room.shape[0]):
        whole = levels.room[kind] >= listed.least[kind]
        full = full and not whole and divided.room[kind] == 0
    return full


@inlined
def place_share(
    nodes: NodeTables,
    listed: Listed,
    levels: Levels,
    state: State,
    divided: Divided,
    kind: int,
    units: int,
) -> int:
    """The node that gives a share: of the divided GPU with the least room, else of a whole one."""
    gpu, least = -1, listed.whole[kind]
    for other in range(divided.number[0]):
        left = divided.left[other]
        if units <= left < least and divided.kind[other] == kind:
            gpu, least = other, left
    if gpu < 0:
        gpu = divided.number[0]
        divided.number[0] += 1
        divided.node[gpu] = place(nodes, levels, state, kind, 1, first_level(levels, kind, 1))
        divided.kind[gpu] = kind
        divided.left[gpu] = listed.whole[kind]
    divided.left[gpu] -= units
    room = 0
    for other in range(divided.number[0]):
        if divided.kind[other] == kind:
            room = max(room, divided.left[other])
    divided.room[kind] = room
    return int(divided.node[gpu])
