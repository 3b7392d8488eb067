"""
What runs at one moment on the nodes: whether it fits, what it costs, and what one mode more adds.

Preemption and migration are free, so only the number of jobs in each mode counts. Shares are packed
into GPUs, and these and the dedicated ones onto nodes, largest first. A node is in a state: off, or
of a type with so many GPUs in use; a piece of k GPUs moves one node from a state to another. Of the
moves that nodes admit the cheapest one is taken, and of equal ones that which leaves the fewest
GPUs; where a piece then finds no room, all is packed once more by the room left alone.

What is known of a count of modes is kept under its key, a sum of random words, until another count
takes its place.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import inner

Counts = NDArray[np.int16]
Words = NDArray[np.uint64]

CHEAPEST, TIGHTEST = 0, 1  # orders of moves


class Moves(NamedTuple):
    """Q modes, and what a piece of GPUs makes of a node; S states, T GPU types, up to G GPUs."""

    gpu: Ints  # (Q,) GPU type
    size: Ints  # (Q,) dedicated GPUs; 0 = a share
    shares: Ints  # modes that are shares, by GPU type, the largest first
    units: Ints  # (Q,) of a share
    whole: Ints  # (T,) units of a GPU
    used: Ints  # modes that jobs have
    nodes: Ints  # (S,) nodes by state while nothing runs
    first: Ints  # (2, T, G + 2) moves first[o, i, k], ..., first[o, i, k + 1] - 1, by order
    before: Ints  # state of the node
    after: Ints
    cost: Floats  # $/h
    word: Words  # (Q,)


class Known(NamedTuple):
    """Counts of modes that were packed, 2^n of them at most."""

    key: Words
    rate: Floats  # $/h
    extra: Floats  # (., Q) $/h that one mode more adds; inf = no room


class PackingSpace(NamedTuple):
    """Room to pack one count of modes."""

    pieces: Ints  # (T, G + 1)
    nodes: Ints  # (S,)
    bins: Ints  # GPUs by units free


@inner
def _pack(moves: Moves, count: Counts, row: int, space: PackingSpace, order: int) -> float:
    """Pack the modes of a row of counts; return $/h, inf if they find no room in this order."""
    pieces, nodes, bins = space.pieces, space.nodes, space.bins
    types, width = pieces.shape
    for i in range(types):
        for k in range(width):
            pieces[i, k] = 0
    for q in moves.used:
        pieces[moves.gpu[q], moves.size[q]] += count[row, q]
    # shares into GPUs: the fullest one with room
    at = 0
    while at < len(moves.shares):
        gpu = moves.gpu[moves.shares[at]]
        whole = moves.whole[gpu]
        for free in range(whole + 1):
            bins[free] = 0
        while at < len(moves.shares) and moves.gpu[moves.shares[at]] == gpu:
            q = moves.shares[at]
            for _ in range(count[row, q]):
                free = moves.units[q]
                while free < whole and bins[free] == 0:
                    free += 1
                if free < whole:
                    bins[free] -= 1
                else:
                    pieces[gpu, 1] += 1
                bins[free - moves.units[q]] += 1
            at += 1
    # pieces onto nodes
    for s in range(len(nodes)):
        nodes[s] = moves.nodes[s]
    cost = 0.0
    for k in range(width - 1, 0, -1):
        for i in range(types):
            left, m = pieces[i, k], moves.first[order, i, k]
            while left > 0:
                if m == moves.first[order, i, k + 1]:
                    return inf
                some = min(left, nodes[moves.before[m]])
                if some == 0:
                    m += 1
                    continue
                nodes[moves.before[m]] -= some
                nodes[moves.after[m]] += some
                cost += some * moves.cost[m]
                left -= some
                m = moves.first[order, i, k]  # the new state may admit a better move
    return cost


@inner
def packed(moves: Moves, count: Counts, row: int, space: PackingSpace) -> float:
    """Return the $/h of the modes of a row of counts; inf if they find no room."""
    cost = _pack(moves, count, row, space, CHEAPEST)
    return cost if cost < inf else _pack(moves, count, row, space, TIGHTEST)


@inner
def look_up(
    moves: Moves, known: Known, count: Counts, row: int, key: int, space: PackingSpace
) -> int:
    """Return where all is known of a row of counts, which is packed if it is not."""
    at = np.int64(key & np.uint64(len(known.key) - 1))
    if known.key[at] != key:
        known.key[at] = key
        rate = packed(moves, count, row, space)
        known.rate[at] = rate
        for q in moves.used:
            count[row, q] += 1
            known.extra[at, q] = packed(moves, count, row, space) - rate
            count[row, q] -= 1
    return at
