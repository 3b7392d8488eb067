"""
What runs at one moment on the nodes: whether it fits, what it costs, and what one mode more adds.

Preemption and migration are free, so only the number of jobs in each mode counts. Shares are packed
into GPUs, and these and the dedicated ones onto nodes, largest first. A node is in a state: off, or
of a type with so many GPUs in use; a piece of k GPUs moves one node from a state to another. Of the
moves that nodes admit the cheapest one is taken, and of equal ones that which leaves the fewest
GPUs; where a piece then finds no room, all is packed once more by the room left alone.

GPU types that no node can take both of are packed apart: they are in different groups. What is
known of the count of modes of a group is kept under its key, a sum of random words, until another
count takes its place.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner

Counts = NDArray[np.int16]
Words = NDArray[np.uint64]

CHEAPEST, TIGHTEST = 0, 1  # orders of moves


class Moves(NamedTuple):
    """
    Q modes in U groups, and what a piece of GPUs makes of a node.

    S states of nodes, T GPU types, up to G GPUs.
    """

    gpu: Ints  # (Q,) GPU type
    size: Ints  # (Q,) dedicated GPUs; 0 = a share
    units: Ints  # (Q,) of a share
    whole: Ints  # (T,) units of a GPU
    group: Ints  # (Q,) -1 = no job has the mode
    slot: Ints  # (Q,) place in its group
    modes: Ints  # those that jobs have: by group, GPU type, shares first, the largest first
    first_mode: Ints  # (U + 1,) of each group
    gpus: Ints  # (T,) GPU types by group
    first_gpu: Ints  # (U + 1,)
    nodes: Ints  # (S,) nodes by state while nothing runs; states are by group
    first_state: Ints  # (U + 1,)
    spare: Ints  # (S, T) GPUs of a type that a node in this state has left
    first: Ints  # (2, T, G + 2) moves first[o, i, k], ..., first[o, i, k + 1] - 1, by order
    before: Ints  # state of the node
    after: Ints
    cost: Floats  # $/h
    then: Ints  # the best of the better moves that the node admits afterwards; -1 = none
    word: Words  # (Q,)
    empty: Words  # (U,) key of a group without jobs


class Known(NamedTuple):
    """Counts of modes that were packed, 2^n of them at most."""

    key: Words
    rate: Floats  # $/h
    extra: Floats  # (., most modes of a group) $/h that one mode more adds; inf = no room


class PackingSpace(NamedTuple):
    """Room to pack one count of modes."""

    pieces: Ints  # (T, G + 1)
    nodes: Ints  # (S,)
    bins: Ints  # GPUs by units free
    steps: Ints  # (., 2) moves of the last packing, and nodes that made them
    size: Ints  # (1,) how many of these


@inner
def _fill_pieces(moves: Moves, count: Counts, row: int, group: int, space: PackingSpace) -> None:
    """Fill the pieces of a group: dedicated GPUs, and those that shares pack into, best fit."""
    pieces, bins = space.pieces, space.bins
    for at in range(moves.first_gpu[group], moves.first_gpu[group + 1]):
        for k in range(pieces.shape[1]):
            pieces[moves.gpus[at], k] = 0
    packs = -1
    for at in range(moves.first_mode[group], moves.first_mode[group + 1]):
        q = moves.modes[at]
        gpu, whole = moves.gpu[q], moves.whole[moves.gpu[q]]
        if moves.size[q] > 0:
            pieces[gpu, moves.size[q]] += count[row, q]
            continue
        if packs != gpu:
            packs = gpu
            for free in range(whole + 1):
                bins[free] = 0
        for _ in range(count[row, q]):
            free = moves.units[q]
            while free < whole and bins[free] == 0:
                free += 1
            if free < whole:
                bins[free] -= 1
            else:
                pieces[gpu, 1] += 1
            bins[free - moves.units[q]] += 1


@inner
def _pack(moves: Moves, group: int, space: PackingSpace, order: int) -> float:
    """Put all pieces of a group on its nodes; return $/h, inf if some find no room."""
    pieces, nodes = space.pieces, space.nodes
    for s in range(moves.first_state[group], moves.first_state[group + 1]):
        nodes[s] = moves.nodes[s]
    cost, size = 0.0, 0
    for k in range(pieces.shape[1] - 1, 0, -1):
        for at in range(moves.first_gpu[group], moves.first_gpu[group + 1]):
            i = moves.gpus[at]
            left, m = pieces[i, k], moves.first[order, i, k]
            while left > 0:
                if m == moves.first[order, i, k + 1]:
                    return inf
                some = min(left, nodes[moves.before[m]])
                if some == 0:
                    m += 1
                    continue
                if moves.then[m] >= 0:
                    some = 1
                nodes[moves.before[m]] -= some
                nodes[moves.after[m]] += some
                cost += some * moves.cost[m]
                left -= some
                space.steps[size, 0], space.steps[size, 1] = m, some
                size += 1
                if moves.then[m] >= 0:
                    m = moves.then[m]
    space.size[0] = size
    return cost


@inner
def pack(moves: Moves, group: int, space: PackingSpace) -> float:
    """Return the $/h of the pieces of a group; inf if they find no room in either order."""
    cost = _pack(moves, group, space, CHEAPEST)
    return cost if cost < inf else _pack(moves, group, space, TIGHTEST)


@inner
def look_up(
    moves: Moves, known: Known, count: Counts, row: int, group: int, key: int, space: PackingSpace
) -> int:
    """
    Return where all is known of a group's modes in a row of counts.

    What one mode more adds is the cost of a move of the nodes as they are, or, where none has room,
    that of packing all anew.
    """
    at = int(key & np.uint64(len(known.key) - 1))
    if known.key[at] == key:
        return at
    _fill_pieces(moves, count, row, group, space)
    known.key[at], known.rate[at] = key, pack(moves, group, space)
    gpu, spare, refused = -1, 0, 0
    for place in range(moves.first_mode[group], moves.first_mode[group + 1]):
        q = moves.modes[place]
        k, extra = moves.size[q], inf
        if gpu != moves.gpu[q]:
            gpu, spare, refused = moves.gpu[q], 0, moves.first.shape[2]
            for s in range(moves.first_state[group], moves.first_state[group + 1]):
                spare += space.nodes[s] * moves.spare[s, gpu]
        if k == 0:
            count[row, q] += 1
            _fill_pieces(moves, count, row, group, space)
            extra = pack(moves, group, space) - known.rate[at]
            count[row, q] -= 1
            _fill_pieces(moves, count, row, group, space)
            pack(moves, group, space)
        elif k <= spare and k < refused:
            for m in range(moves.first[CHEAPEST, gpu, k], moves.first[CHEAPEST, gpu, k + 1]):
                if space.nodes[moves.before[m]] > 0:
                    extra = moves.cost[m]
                    break
            if extra == inf:
                space.pieces[gpu, k] += 1
                extra = pack(moves, group, space) - known.rate[at]
                space.pieces[gpu, k] -= 1
                pack(moves, group, space)
                if extra == inf:
                    refused = k
        known.extra[at, moves.slot[q]] = extra
    return at


@compiled
def pack_row(moves: Moves, count: Counts, row: int, group: int, space: PackingSpace) -> float:
    """Pack a group of a row of counts, with its steps; return $/h."""
    _fill_pieces(moves, count, row, group, space)
    return pack(moves, group, space)
