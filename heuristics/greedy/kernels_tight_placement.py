"""
Nodes for jobs, one job after the other, as `rooms.Rooms` finds them, on arrays.

The fullest open node that suffices, else the smallest closed one; ties: the lowest index. Chance
decides which nodes these are, so branches on them would be guessed wrong half of the time: where
two outcomes differ in a bit, the bit is computed.
"""

from __future__ import annotations

from rsjs.heuristics.common.jit import at, inlined
from rsjs.heuristics.common.kernels_bits import lowest_bit
from rsjs.heuristics.greedy.arrays import NodeTables
from rsjs.heuristics.greedy.kernels_state import State
from rsjs.heuristics.greedy.node_levels import LAST, SHIFT, Levels


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
