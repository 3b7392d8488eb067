"""
Nodes for jobs, one job after the other, as `best_fit.assign` does it, on arrays.

Open nodes are bits of 32-bit words, one set per (kind, idle GPUs); of a class of nodes the next
closed one is known. So a try costs O(G), and the first bit of a set is its lowest node. A node is
opened as the largest one there is; `tight_placement` takes the smallest one that suffices.
"""

from __future__ import annotations

from rsjs.heuristics.common.jit import inlined, inner
from rsjs.heuristics.common.kernels_bits import lowest_bit
from rsjs.heuristics.greedy.arrays import NodeTables
from rsjs.heuristics.greedy.kernels_state import State


@inlined
def clear(nodes: NodeTables, state: State) -> None:
    """Close all nodes."""
    state.sets[:] = 0
    state.counts[:] = 0
    state.open_room[:] = 0
    state.node_type[:] = -1
    state.idle[:] = 0
    for d in range(state.closed.shape[0]):
        state.closed[d] = nodes.start[d + 1] - nodes.start[d]
    find_closed_room(nodes, state)
    for kind in range(state.room.shape[0]):
        state.room[kind] = state.closed_room[kind]


@inlined
def place(nodes: NodeTables, state: State, kind: int, g: int, u: float) -> int:
    """
    The node that gives g GPUs to a job, an open one if there is one; room[kind] >= g.

    The number u in [0, 1) is for the choice among open nodes.
    """
    if state.open_room[kind] >= g:
        node = choose(state, kind, g, u)
        before = taken(state, kind, node)
    else:
        node, d = largest(nodes, state, kind)
        before = opened(nodes, state, kind, node, d)
    fill(state, kind, node, before - g)
    return node


@inlined
def taken(state: State, kind: int, node: int) -> int:
    """Take an open node out of its set; its idle GPUs."""
    before = int(state.idle[node])
    state.sets[kind, before, node >> 5] ^= 1 << (node & 31)
    state.counts[kind, before] -= 1
    return before


@inlined
def opened(nodes: NodeTables, state: State, kind: int, node: int, d: int) -> int:
    """Open the next node of class d; its GPUs."""
    state.node_type[node] = nodes.opened_as[kind, d]
    state.closed[d] -= 1
    if state.closed[d] == 0:
        find_closed_room(nodes, state)
        for other in range(state.room.shape[0]):
            state.room[other] = max(state.open_room[other], state.closed_room[other])
    return int(nodes.size_as[kind, d])


@inlined
def fill(state: State, kind: int, node: int, left: int) -> None:
    """Put a node into the set of those with so many idle GPUs."""
    state.idle[node] = left
    if left > 0:
        state.sets[kind, left, node >> 5] |= 1 << (node & 31)
        state.counts[kind, left] += 1
    room = max(state.open_room[kind], left)
    while room > 0 and state.counts[kind, room] == 0:
        room -= 1
    state.open_room[kind] = room
    state.room[kind] = max(room, state.closed_room[kind])


@inlined
def choose(state: State, kind: int, g: int, u: float) -> int:
    """
    An open node with at least g idle GPUs.

    A list of candidates is filled, the fullest nodes first (best fit), and u in [0, 1) takes one
    of them with a chance proportional to 1 / its idle GPUs.
    """
    most, found, total = state.listed.shape[0], 0, 0.0
    for idle in range(g, state.open_room[kind] + 1):
        for word in range(state.sets.shape[2]):
            bits = state.sets[kind, idle, word]
            while bits != 0 and found < most:
                node = (word << 5) + lowest_bit(bits)
                bits &= bits - 1
                state.listed[found] = node
                total += 1.0 / state.idle[node]
                found += 1
        if found == most:
            break
    chosen, reached = 0, 1.0 / state.idle[state.listed[0]]
    while chosen < found - 1 and u * total >= reached:
        chosen += 1
        reached += 1.0 / state.idle[state.listed[chosen]]
    return int(state.listed[chosen])


@inlined
def largest(nodes: NodeTables, state: State, kind: int) -> tuple[int, int]:
    """The closed node that is largest when opened for a kind (ties: by index), and its class."""
    chosen, size, node = -1, 0, 0
    for d in range(state.closed.shape[0]):
        gpus = nodes.size_as[kind, d]
        if state.closed[d] > 0 and gpus >= size:
            following = nodes.members[nodes.start[d + 1] - state.closed[d]]
            if gpus > size or following < node:
                chosen, size, node = d, gpus, following
    return node, chosen


@inner
def find_closed_room(nodes: NodeTables, state: State) -> None:
    """Fill `state.closed_room`, which changes when a class has no closed node any more."""
    for kind in range(state.room.shape[0]):
        most = 0
        for d in range(state.closed.shape[0]):
            if state.closed[d] > 0:
                most = max(most, nodes.size_as[kind, d])
        state.closed_room[kind] = most
