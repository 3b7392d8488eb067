"""
A move: the best neighbour found so far, and kernels that keep and make it.

Kernels: N1 to N3 of Kiros 2020, 3.1.5, pairs of jobs that change places.

A pair of running jobs on different nodes exchanges node and configuration, or a running job and a
postponed one exchange their states. The GPUs in use stay as they are, so capacity holds; a job
that is not admissible in its new place makes no neighbour. Each kernel looks at all its
neighbours, keeps the best one in `move` if it is better than what is there, and returns how many
it has looked at.

Among equals the first one counts, in the order of the lists.

Kernels: N4 to N6 of Kiros 2020, 3.1.5, other types for the nodes of the k latest jobs.

N4  as many GPUs of another GPU type, if the times of the node's jobs fall in sum
N5  twice as many GPUs of the same type, and twice as many for each job
N6  half as many, and half as many for each job, where all of them have an even number

Types are those that the node may take: a node of fixed type has no such neighbours. So neither
has one with jobs on shares of GPUs. Each kernel keeps its best neighbour and returns how many it
has looked at, as in job_neighbourhoods.py.

Kernel: N7 of Kiros 2020, 3.1.5, the GPUs of a node dealt out anew among its jobs.

All ways to give each of m jobs at least one of the c GPUs that shares leave, C(c, m) of them, in
lexicographic order; of more than MOST the first ones. Jobs on shares keep them.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.local_search.arrays import DEAR, LATE, RUNNING, WAITING, Schedule, Tables
from rsjs.heuristics.local_search.kernels_costs import exchange, replacement, reshaping

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


@inner
def late_with_dear(tables: Tables, s: Schedule, move: Move) -> int:
    """N1: the k latest jobs x the k dearest ones in time."""
    return _late_with(tables, s, s.dear, s.length[DEAR], move)


@inner
def late_with_running(tables: Tables, s: Schedule, move: Move) -> int:
    """N2: the k latest jobs x all that run, the most pressing one first."""
    return _late_with(tables, s, s.running, s.length[RUNNING], move)


@inner
def _late_with(tables: Tables, s: Schedule, others: Ints, count: int, move: Move) -> int:
    """The k latest jobs x the first `count` of others."""
    seen = 0
    for a in range(s.length[LATE]):
        j = s.late[a]
        for b in range(count):
            i = others[b]
            if s.node[i] != s.node[j]:
                seen += 1
                change = exchange(tables, s, j, i)
                if change < move.change[0]:
                    keep(move, EXCHANGE, j, i, change)
    return seen


@inner
def postponed_with_running(tables: Tables, s: Schedule, move: Move) -> int:
    """N3: postponed jobs x running ones that are less pressing, the least pressing ones first."""
    seen = 0
    for a in range(s.length[WAITING] - 1, -1, -1):
        j = s.waiting[a]
        for b in range(s.length[RUNNING] - 1, -1, -1):
            i = s.running[b]
            if tables.only_late and tables.pressure[i] >= tables.pressure[j]:
                break
            seen += 1
            change = replacement(tables, s, j, i)
            if change < move.change[0]:
                keep(move, REPLACE, j, i, change)
    return seen


@inner
def is_listed_before(s: Schedule, a: int) -> bool:
    """Whether an earlier one of the latest jobs is on the node of the one at `a`."""
    b = 0
    while s.node[s.late[b]] != s.node[s.late[a]]:
        b += 1
    return b < a


@inner
def is_faster(tables: Tables, s: Schedule, n: int, v: int) -> bool:
    """Whether the times of a node's jobs fall in sum on type v, each on as many GPUs as now."""
    saved = 0.0
    for i in range(s.begin[n], s.begin[n + 1]):
        j = s.member[i]
        time = tables.hours[j, tables.gpu[v] * tables.columns + s.column[j]]
        if time == inf:
            return False
        saved += tables.hours[j, s.code[j]] - time
    return saved > 0.0


@inner
def other_gpu_type(tables: Tables, s: Schedule, move: Move) -> int:
    """N4."""
    seen = 0
    for a in range(s.length[LATE]):
        n = s.node[s.late[a]]
        if s.bins[n] > 0 or is_listed_before(s, a):
            continue
        w = s.kind[n]
        for v in range(tables.size.shape[0]):
            if (
                tables.allowed[tables.node_class[n], v]
                and tables.gpu[v] != tables.gpu[w]
                and tables.size[v] == tables.size[w]
                and is_faster(tables, s, n, v)
            ):
                seen += 1
                change = reshaping(tables, s, n, v, s.used[n], s.column)
                if change < move.change[0]:
                    keep(move, RESHAPE, n, v, change)
                    keep_columns(s, move, n, s.column)
    return seen


@inner
def twice_the_gpus(tables: Tables, s: Schedule, move: Move) -> int:
    """N5."""
    seen = 0
    for a in range(s.length[LATE]):
        n = s.node[s.late[a]]
        if s.bins[n] > 0 or is_listed_before(s, a):
            continue
        for i in range(s.begin[n], s.begin[n + 1]):
            s.trial[s.member[i]] = 2 * s.column[s.member[i]]
        seen += _same_gpu_type(tables, s, move, n, 2 * tables.size[s.kind[n]], 2 * s.used[n])
    return seen


@inner
def half_the_gpus(tables: Tables, s: Schedule, move: Move) -> int:
    """N6."""
    seen = 0
    for a in range(s.length[LATE]):
        n = s.node[s.late[a]]
        size = tables.size[s.kind[n]]
        if s.bins[n] > 0 or size % 2 == 1 or is_listed_before(s, a):
            continue
        even = True
        for i in range(s.begin[n], s.begin[n + 1]):
            even = even and s.column[s.member[i]] % 2 == 0
            s.trial[s.member[i]] = s.column[s.member[i]] // 2
        if even:
            seen += _same_gpu_type(tables, s, move, n, size // 2, s.used[n] // 2)
    return seen


@inner
def _same_gpu_type(tables: Tables, s: Schedule, move: Move, n: int, size: int, used: int) -> int:
    """The allowed types of one size with the node's GPU type, its jobs with the columns `trial`."""
    seen = 0
    for v in range(tables.size.shape[0]):
        if (
            tables.allowed[tables.node_class[n], v]
            and tables.gpu[v] == tables.gpu[s.kind[n]]
            and tables.size[v] == size
        ):
            seen += 1
            change = reshaping(tables, s, n, v, used, s.trial)
            if change < move.change[0]:
                keep(move, RESHAPE, n, v, change)
                keep_columns(s, move, n, s.trial)
    return seen


MOST = 20_000  # ways on one node


@inner
def other_gpu_counts(tables: Tables, s: Schedule, move: Move) -> int:
    """N7: nodes of the k latest jobs."""
    seen = 0
    for a in range(s.length[LATE]):
        if not is_listed_before(s, a):
            seen += _on_node(tables, s, move, s.node[s.late[a]])
    return seen


@inner
def _on_node(tables: Tables, s: Schedule, move: Move, n: int) -> int:
    dedicated = 0
    for i in range(s.begin[n], s.begin[n + 1]):
        j = s.member[i]
        s.trial[j] = s.column[j]
        if s.column[j] <= tables.largest:
            s.trial[j] = 1
            dedicated += 1
    capacity = tables.size[s.kind[n]] - s.bins[n]
    taken, seen = dedicated, 0
    while dedicated > 0 and seen < MOST:
        seen += 1
        change = reshaping(tables, s, n, s.kind[n], taken + s.bins[n], s.trial)
        if change < move.change[0]:
            keep(move, RESHAPE, n, s.kind[n], change)
            keep_columns(s, move, n, s.trial)
        step = _next(tables, s, n, capacity - taken)
        if step > capacity:
            break
        taken += step
    return seen


@inner
def _next(tables: Tables, s: Schedule, n: int, idle: int) -> int:
    """
    The next way in lexicographic order, in `trial`.

    Returns
    -------
    How many more GPUs it takes; more than any node has if there is none.
    """
    step = 0
    for i in range(s.begin[n + 1] - 1, s.begin[n] - 1, -1):
        j = s.member[i]
        if s.column[j] > tables.largest:
            continue
        if step < idle:
            s.trial[j] += 1
            return step + 1
        step -= s.trial[j] - 1
        s.trial[j] = 1
    return tables.largest + 1
