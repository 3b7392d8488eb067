"""
Nodes by what they can still give, for kernels that place tightly; sizes as in decision_tables.

Level l of a kind is the open nodes with l idle GPUs, level G + 1 + s the closed ones that open with
s GPUs. So of the levels that suffice for a job the first is that of the fullest open nodes or, if
there is none, of the smallest closed ones. Sets are bits of words, the lowest index in the lowest
bit, and of the words that are not 0 there are sets too: the first node is found without a search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.greedy.arrays import Ints, NodeTables

SHIFT, LAST = 5, 31  # element i of a set is bit i & LAST of word i >> SHIFT


class Levels(NamedTuple):
    """
    Sets of nodes in L = 2 (G + 1) levels of K kinds.

    Each level has a row of `nodes`: how many nodes; which words of their set are not 0, as words
    again (groups); the words of the set. Row kind * L + level starts at that times `width`.
    """

    nodes: Ints  # (K L width,)
    present: Ints  # (K parts,) levels that are not empty
    enough: Ints  # ((G + 1) parts,) levels that suffice for so many GPUs
    room: Ints  # (K,) no node can give more GPUs
    elsewhere: NDArray[np.bool_]  # (D,) whether nodes of a class are closed nodes of several kinds
    levels: int  # L
    closed: int  # G + 1
    width: int
    groups: int
    parts: int


def all_closed(nodes: NodeTables) -> Levels:
    """The levels of a cluster without jobs."""
    stride, kinds = nodes.price.shape[1], len(nodes.size_as)
    size = nodes.size_as[:, nodes.class_of_node]  # (K, N)
    kind, node = np.nonzero(size)
    level = stride + size[kind, node]
    row = kind * 2 * stride + level
    sets = _sets((kinds * 2 * stride, len(nodes.class_of_node)), row, node)
    filled = _sets(sets.shape, *np.nonzero(sets))
    rows = np.hstack([np.bincount(row, minlength=len(sets))[:, None], filled, sets])
    present = _sets((kinds, 2 * stride), kind, level)
    gpus, suffices = np.nonzero(np.tile(np.tri(stride, dtype=bool).T, 2))
    some = suffices % stride > 0
    return Levels(
        nodes=rows.ravel(),
        present=present.ravel(),
        enough=_sets((stride, 2 * stride), gpus[some], suffices[some]).ravel(),
        room=size.max(axis=1),
        elsewhere=(nodes.size_as > 0).sum(axis=0) > 1,
        levels=2 * stride,
        closed=stride,
        width=rows.shape[1],
        groups=filled.shape[1],
        parts=present.shape[1],
    )


def copied(levels: Levels) -> Levels:
    """The same in memory of its own."""
    own = {name: getattr(levels, name).copy() for name in ("nodes", "present", "room")}
    return levels._replace(**own)


def _sets(shape: tuple[int, ...], row: Ints, member: Ints) -> Ints:
    """(rows, words) the members of each row, out of shape[1] possible ones, as bits of words."""
    rows, most = shape
    found = np.zeros((rows, (most + LAST) >> SHIFT), dtype=np.int64)
    np.bitwise_or.at(found, (row, member >> SHIFT), 1 << (member & LAST))
    return found
