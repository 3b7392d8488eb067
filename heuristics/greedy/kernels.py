"""
One greedy decision; see greedy.py.

No candidates are sorted: when a job has its turn, its first candidate that finds a node is the
least of those that fit, in the order of `candidates.ranking`.

Memory of the kernels: a schedule that is being made.

Nodes for jobs, one job after the other, as `best_fit.assign` does it, on arrays.

Open nodes are bits of 32-bit words, one set per (kind, idle GPUs); of a class of nodes the next
closed one is known. So a try costs O(G), and the first bit of a set is its lowest node. A node is
opened as the largest one there is; `tight_placement` takes the smallest one that suffices.

Idle GPUs of open nodes after greedy: smaller nodes, then more GPUs for jobs.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined, inner, lowest_bit
from rsjs.heuristics.greedy.arrays import NodeTables


class State(NamedTuple):
    """A schedule; sizes as in decision_tables."""

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


def new_state(nodes: NodeTables, jobs: int, listed: int) -> State:
    """Room for schedules of `jobs` jobs; lists of nodes to choose from have `listed` entries."""
    (kinds, classes), stride = nodes.size_as.shape, nodes.cost_of_type.shape[1]
    size = len(nodes.class_of_node)

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return State(
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


@inner
def postprocess(
    nodes: NodeTables, hours: Floats, state: State, running: int, each_node: bool
) -> None:
    """Smaller nodes for what is in use, then GPUs that stay idle for jobs that gain from them."""
    gpus_of_type, gpu_of_type = nodes.gpus_of_type, nodes.gpu_of_type
    equivalents, class_of_node = nodes.equivalents, nodes.class_of_node
    node_type, idle, job, node, gpus = (
        state.node_type,
        state.idle,
        state.job,
        state.node,
        state.gpus,
    )
    some = False
    for n in range(idle.shape[0]):
        v = node_type[n]
        if v >= 0 and idle[n] > 0:
            used = gpus_of_type[v] - idle[n]
            v = equivalents[class_of_node[n], v, used]
            node_type[n] = v
            idle[n] = gpus_of_type[v] - used
            some = some or idle[n] > 0
    if some and each_node:
        give_on_each_node(
            gpu_of_type,
            hours,
            node_type,
            idle,
            running,
            job,
            node,
            gpus,
            state.best,
            state.winner,
        )
    elif some:
        give_to_one_job(gpu_of_type, hours, node_type, idle, running, job, node, gpus)


@inner
def give_to_one_job(
    gpu_of_type: Ints,
    hours: Floats,
    node_type: Ints,
    idle: Ints,
    running: int,
    job: Ints,
    node: Ints,
    gpus: Ints,
) -> None:
    """All idle GPUs of its node for the job that saves most time; ties: the first job."""
    winner, most = -1, 0.0
    for r in range(running):
        n, j, g = node[r], job[r], gpus[r]
        if idle[n] > 0:
            gpu = gpu_of_type[node_type[n]]
            saved = hours[j, gpu, g] - hours[j, gpu, g + idle[n]]
            if saved > most or (saved == most and winner >= 0 and j < job[winner]):
                winner, most = r, saved
    if winner >= 0:
        gpus[winner] += idle[node[winner]]
        idle[node[winner]] = 0


@inner
def give_on_each_node(
    gpu_of_type: Ints,
    hours: Floats,
    node_type: Ints,
    idle: Ints,
    running: int,
    job: Ints,
    node: Ints,
    gpus: Ints,
    best: Floats,
    winner: Ints,
) -> None:
    """All idle GPUs of each node for its job with the highest speed-up; ties: the first job."""
    best[:] = 1.0
    winner[:] = -1
    for r in range(running):
        n, j, g = node[r], job[r], gpus[r]
        if idle[n] > 0:
            gpu = gpu_of_type[node_type[n]]
            speed_up = hours[j, gpu, g] / hours[j, gpu, g + idle[n]]
            tied = speed_up == best[n] and winner[n] >= 0
            if speed_up > best[n] or (tied and j < job[winner[n]]):
                best[n], winner[n] = speed_up, r
    for n in range(idle.shape[0]):
        if winner[n] >= 0:
            gpus[winner[n]] += idle[n]
            idle[n] = 0


@compiled
def decide(
    nodes: NodeTables,
    hours: Floats,
    due: Floats,
    now: float,
    strict: bool,
    each_node: bool,
    state: State,
    job_node: Ints,
    job_gpus: Ints,
) -> None:
    """
    Fill `job_node`, `job_gpus` and `state.node_type`.

    Parameters
    ----------
    hours : (J, T, G + 1)
    strict : whether the due date itself is late
    each_node : whether idle GPUs go to one job of each node, else to one of the cluster
    """
    clear(nodes, state)
    jobs, running = due.shape[0], 0
    urgency = np.empty(jobs)
    for j in range(jobs):
        fastest = inf
        for t in range(hours.shape[1]):
            for g in range(hours.shape[2]):
                fastest = min(fastest, hours[j, t, g])
        urgency[j] = -(now + fastest - due[j])
    for j in np.argsort(urgency, kind="mergesort"):
        kind, g = first_that_fits(nodes, state, hours, j, now, due[j], strict)
        if kind < 0:
            continue
        state.node[running] = place(nodes, state, kind, g, 0.0)
        state.job[running], state.gpus[running] = j, g
        running += 1
        if state.room.max() == 0:
            break
    postprocess(nodes, hours, state, running, each_node)
    job_node[:] = -1
    job_gpus[:] = 0
    for r in range(running):
        job_node[state.job[r]] = state.node[r]
        job_gpus[state.job[r]] = state.gpus[r]


@inlined
def first_that_fits(
    nodes: NodeTables,
    state: State,
    hours: Floats,
    job: int,
    now: float,
    due: float,
    strict: bool,
) -> tuple[int, int]:
    """A job's best configuration (kind, g) with g <= room[kind]; kind -1 = there is none."""
    best_kind, best_g, best_late, best_key, best_cost = -1, 0, True, inf, inf
    for kind in range(state.room.shape[0]):
        for g in range(1, state.room[kind] + 1):
            time, price = hours[job, kind, g], nodes.price[kind, g]
            if time == inf or price == inf:
                continue
            end, cost = now + time, time * price
            late = end >= due if strict else end > due
            key = time if late else cost
            if late == best_late:
                better = key < best_key or (key == best_key and cost < best_cost)
            else:
                better = best_late
            if better or best_kind < 0:
                best_kind, best_g, best_late, best_key, best_cost = kind, g, late, key, cost
    return best_kind, best_g
