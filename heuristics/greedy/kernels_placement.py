"""
Nodes for jobs, one job after the other, on arrays: the one state of a placement, and two rules.

A job goes to the fullest open node that suffices; if there is none, a closed node is opened:

place           as the largest one there is (greedy). Open nodes are bits of 32-bit words, one set
                per kind and number of idle GPUs; of a class of nodes the next closed one is known.
                So a try costs O(G), and the first bit of a set is its lowest node. A random number
                may choose among the fullest open nodes.
place_tightly   as the smallest one that suffices, as `FreeCapacity` does (RG on shared nodes, STS).
                Open and closed nodes are sets by what they can give, see `NodeLevels`. Chance
                decides which nodes these are, so branches on them would be guessed wrong half of
                the time: where two outcomes differ in a bit, the bit is computed.

Ties: the lowest index. A share goes to the divided GPU with the fewest units left that suffice,
else to a whole one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import at, inlined, inner, lowest_bit
from rsjs.heuristics.greedy.arrays import (
    LAST,
    SHIFT,
    NodeLevels,
    NodeTables,
    SharedGpus,
    copied,
    undivided,
)
from rsjs.heuristics.greedy.rules import ClusterTables
from rsjs.instances.cluster import Cluster
from rsjs.instances.solution import Solution


class GreedyState(NamedTuple):
    """A partial solution; sizes as in `greedy.arrays`."""

    sets: Ints  # (K, G + 1, words) open nodes by kind and idle GPUs
    counts: Ints  # (K, G + 1) of them
    room: Ints  # (K,) most GPUs that a job may get, on an open node or on one that is opened
    open_room: Ints  # (K,) most idle GPUs of an open node
    closed_room: Ints  # (K,) GPUs of the largest node that can be opened; 0 = none
    closed: Ints  # (D,) nodes of each class that are closed
    node_type: Ints  # (N,) -1 = off
    idle: Ints  # (N,)
    job: Ints  # (J,) running jobs in the order in which they were placed
    node: Ints  # (J,) their nodes
    gpus: Ints  # (J,) their GPUs
    best: Floats  # (N,) best value of a node's jobs, in postprocessing and in costs
    winner: Ints  # (N,) which job has it
    listed: Ints  # nodes to choose from


def new_state(nodes: NodeTables, jobs: int, listed: int) -> GreedyState:
    """Return memory for `jobs` jobs; lists of nodes to choose from have `listed` entries."""
    (kinds, classes), stride = nodes.size_as.shape, nodes.cost_of_type.shape[1]
    size = len(nodes.class_of_node)

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return GreedyState(
        sets=ints(kinds, stride, (size + 31) // 32),
        counts=ints(kinds, stride),
        room=ints(kinds),
        open_room=ints(kinds),
        closed_room=ints(kinds),
        closed=ints(classes),
        node_type=ints(size),
        idle=ints(size),
        job=ints(jobs),
        node=ints(jobs),
        gpus=ints(jobs),
        best=np.zeros(size),
        winner=ints(size),
        listed=ints(listed),
    )


class FreeCapacityArrays(NamedTuple):
    """Free GPUs while jobs are placed by `place_tightly`; `state` has the nodes."""

    levels: NodeLevels
    state: GreedyState
    divided: SharedGpus


def all_free(cluster: Cluster, tables: ClusterTables, state: GreedyState) -> FreeCapacityArrays:
    """Return the free capacity of a cluster without jobs, in arrays that kernels may change."""
    state.node_type[:] = -1
    return FreeCapacityArrays(copied(tables.all_closed), state, undivided(cluster))


def solution_of(
    nodes: NodeTables, state: GreedyState, running: int, level: Ints | None = None
) -> Solution:
    """
    Return the solution of a state.

    Parameters
    ----------
    running : int
        Entries of `state.job` that count.
    level : (J, T) int, optional
        Share level of each job by GPU type; needed if jobs have shares.
    """
    jobs, job = len(state.job), state.job[:running]
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    job_node[job], job_gpus[job] = state.node[:running], state.gpus[:running]
    job_level = np.full(jobs, -1)
    if level is not None:
        shared = job[job_gpus[job] == 0]
        gpu = nodes.gpu_of_type[state.node_type[job_node[shared]]]
        job_level[shared] = level[shared, gpu]
    return Solution.of(job_node, job_gpus, state.node_type.copy(), job_level)


@inlined
def comes_before(
    late: bool, key: float, cost: float, best_late: bool, best_key: float, best_cost: float
) -> bool:
    """Return whether a mode is better than the best one: in time, then of less key, then cost."""
    if late != best_late:
        return best_late
    return key < best_key or (key == best_key and cost < best_cost)


@inlined
def clear(nodes: NodeTables, state: GreedyState) -> None:
    """Close all nodes."""
    # no node is open: no sets, and of each class all nodes are closed
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
def place(nodes: NodeTables, state: GreedyState, kind: int, g: int, u: float) -> int:
    """
    Return the node that gives g GPUs to a job, an open one if there is one; room[kind] >= g.

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
def taken(state: GreedyState, kind: int, node: int) -> int:
    """Take an open node out of its set; return its idle GPUs."""
    before = int(state.idle[node])
    state.sets[kind, before, node >> 5] ^= 1 << (node & 31)
    state.counts[kind, before] -= 1
    return before


@inlined
def opened(nodes: NodeTables, state: GreedyState, kind: int, node: int, d: int) -> int:
    """Open the next node of class d; return its GPUs."""
    state.node_type[node] = nodes.opened_as[kind, d]
    state.closed[d] -= 1
    if state.closed[d] == 0:
        find_closed_room(nodes, state)
        for other in range(state.room.shape[0]):
            state.room[other] = max(state.open_room[other], state.closed_room[other])
    return int(nodes.size_as[kind, d])


@inlined
def fill(state: GreedyState, kind: int, node: int, left: int) -> None:
    """Add a node to the set of those with so many idle GPUs."""
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
def choose(state: GreedyState, kind: int, g: int, u: float) -> int:
    """
    Return an open node with at least g idle GPUs.

    A list of candidates is filled, the fullest nodes first (best fit), and u in [0, 1) takes one
    of them with a chance proportional to 1 / its idle GPUs.
    """
    # the list: sets by idle GPUs, within each the lowest index first
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
    # the first entry whose cumulated weight exceeds u times the total
    chosen, reached = 0, 1.0 / state.idle[state.listed[0]]
    while chosen < found - 1 and u * total >= reached:
        chosen += 1
        reached += 1.0 / state.idle[state.listed[chosen]]
    return int(state.listed[chosen])


@inlined
def largest(nodes: NodeTables, state: GreedyState, kind: int) -> tuple[int, int]:
    """Return the closed node that opens largest for a kind (ties: by index), and its class."""
    chosen, size, node = -1, 0, 0
    for d in range(state.closed.shape[0]):
        gpus = nodes.size_as[kind, d]
        if state.closed[d] > 0 and gpus >= size:
            following = nodes.members[nodes.start[d + 1] - state.closed[d]]
            if gpus > size or following < node:
                chosen, size, node = d, gpus, following
    return node, chosen


@inner
def find_closed_room(nodes: NodeTables, state: GreedyState) -> None:
    """Fill `state.closed_room`, which changes when a class has no closed node any more."""
    for kind in range(state.room.shape[0]):
        most = 0
        for d in range(state.closed.shape[0]):
            if state.closed[d] > 0:
                most = max(most, nodes.size_as[kind, d])
        state.closed_room[kind] = most


@inlined
def close_all(closed: NodeLevels, free: FreeCapacityArrays) -> None:
    """Close all nodes: the levels become those of `closed`, and no GPU is divided."""
    for i in range(closed.nodes.shape[0]):
        free.levels.nodes[i] = closed.nodes[i]
    for i in range(closed.present.shape[0]):
        free.levels.present[i] = closed.present[i]
    for kind in range(closed.room.shape[0]):
        free.levels.room[kind] = closed.room[kind]
    for node in range(free.state.idle.shape[0]):
        free.state.node_type[node], free.state.idle[node] = -1, 0
    free.divided.number[0] = 0
    free.divided.room[:] = 0


@inlined
def first_level(levels: NodeLevels, kind: int, g: int) -> int:
    """Return the first level that suffices for g GPUs; -1 = none, or g = 0."""
    for part in range(levels.parts):
        found = (
            levels.present[at(kind * levels.parts + part)]
            & levels.enough[at(g * levels.parts + part)]
        )
        if found != 0:
            return (part << SHIFT) + lowest_bit(found)
    return -1


@inlined
def most(levels: NodeLevels, kind: int) -> int:
    """Return the most GPUs that a node can give: as many as before, or fewer."""
    room = levels.room[kind]
    while room > 0 and first_level(levels, kind, room) < 0:
        room -= 1
    levels.room[kind] = room
    return int(room)


@inlined
def place_tightly(
    nodes: NodeTables, free: FreeCapacityArrays, kind: int, g: int, level: int
) -> int:
    """Return the node of a level that gives g GPUs to a job; see `first_level`."""
    levels, state = free.levels, free.state
    # the lowest node of the level: its group, the word in it, the bit in that
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
    # a closed node of several kinds is in a level of each of them
    d = nodes.class_of_node[at(node)]
    if levels.elsewhere[at(d)] and level >= levels.closed:
        for other in range(levels.room.shape[0]):
            size = nodes.size_as[other, d]
            if size > 0 and other != kind:
                take(levels, other, levels.closed + size, group, part, bit)
    # the node is open now, with what the job leaves
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
def take(levels: NodeLevels, kind: int, level: int, group: int, part: int, bit: int) -> None:
    """Take a node out of its level: bit `bit` of word `part` of a group, the first one being 1."""
    start = (kind * levels.levels + level) * levels.width
    word = start + 1 + levels.groups + ((group - 1) << SHIFT) + part
    others = levels.nodes[at(word)] ^ (1 << bit)
    levels.nodes[at(word)] = others
    levels.nodes[at(start + group)] ^= int(others == 0) << part
    left = levels.nodes[at(start)] - 1
    levels.nodes[at(start)] = left
    levels.present[at(kind * levels.parts + (level >> SHIFT))] ^= int(left == 0) << (level & LAST)


@inlined
def has_share(free: FreeCapacityArrays, kind: int, units: int) -> bool:
    """Return whether there is room for a share of a GPU."""
    return units > 0 and bool(
        units <= free.divided.room[kind] or first_level(free.levels, kind, 1) >= 0
    )


@inlined
def place_share(nodes: NodeTables, free: FreeCapacityArrays, kind: int, units: int) -> int:
    """Return the divided GPU that gives a share; see `has_share`."""
    # best fit among divided GPUs, else the next one of a node
    divided = free.divided
    gpu, least = -1, divided.whole[kind]
    for other in range(divided.number[0]):
        left = divided.left[other]
        if units <= left < least and divided.kind[other] == kind:
            gpu, least = other, left
    if gpu < 0:
        gpu = divided.number[0]
        divided.number[0] += 1
        level = first_level(free.levels, kind, 1)
        divided.node[gpu] = place_tightly(nodes, free, kind, 1, level)
        divided.kind[gpu] = kind
        divided.left[gpu] = divided.whole[kind]
    divided.left[gpu] -= units
    room = 0
    for other in range(divided.number[0]):
        if divided.kind[other] == kind:
            room = max(room, divided.left[other])
    divided.room[kind] = room
    return gpu
