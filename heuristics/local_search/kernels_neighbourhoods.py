"""A move: the best neighbour found so far, and kernels that keep and make it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.local_search.arrays import Floats, Ints
from rsjs.heuristics.local_search.schedules import Schedule

EXCHANGE, REPLACE, RESHAPE = range(1, 4)


class Move(NamedTuple):
    """
    One change of a schedule.

    Attributes
    ----------
    what : (3,) int
        A constant of this module, 0 = no move; jobs j and i, or a node and its new type.
    column : (J,) int
        New columns of the jobs of a node that is reshaped.
    change : (1,) float [$]
        By how much it costs more.
    """

    what: Ints
    column: Ints
    change: Floats


def no_move(jobs: int) -> Move:
    """Room for a move."""
    return Move(np.zeros(3, dtype=np.int64), np.zeros(jobs, dtype=np.int64), np.zeros(1))


@inner
def clear(move: Move) -> None:
    """Only neighbours that cost less are kept."""
    move.what[0], move.change[0] = 0, 0.0


@inner
def keep(move: Move, kind: int, a: int, b: int, change: float) -> None:
    """Take a neighbour that is better than the best one so far."""
    move.what[0], move.what[1], move.what[2] = kind, a, b
    move.change[0] = change


@inner
def keep_columns(s: Schedule, move: Move, n: int, column: Ints) -> None:
    """The columns of a node's jobs, too."""
    for i in range(s.begin[n], s.begin[n + 1]):
        j = s.member[i]
        move.column[j] = column[j]


@inner
def make(s: Schedule, move: Move) -> None:
    """Change the decision; what follows from it is left to `refresh`."""
    kind, a, b = move.what[0], move.what[1], move.what[2]
    if kind == EXCHANGE:
        s.node[a], s.node[b] = s.node[b], s.node[a]
        s.column[a], s.column[b] = s.column[b], s.column[a]
    elif kind == REPLACE:
        s.node[a], s.column[a] = s.node[b], s.column[b]
        s.node[b], s.column[b] = -1, 0
    else:
        s.kind[a] = b
        for i in range(s.begin[a], s.begin[a + 1]):
            j = s.member[i]
            s.column[j] = move.column[j]
