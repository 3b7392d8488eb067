"""
Kernels of the seven neighbourhoods of Kiros 2020, 3.1.5, and the move that they propose.

Each kernel looks at all its neighbours, keeps the best one in `move` if it is cheaper than what is
there, and returns how many it has looked at. Among equals the first one counts, in the order of the
lists.

N1 to N3 swap two running jobs on different nodes, or a running and a postponed one. The GPUs in use
stay as they are, so capacity holds; a job that is not admissible on its new node makes no
neighbour. N4 to N6 change the type of a node to one that it may take; nodes with jobs on shares of
GPUs have no such neighbours. N7 enumerates all ways to give each of m jobs at least one of the c
GPUs that shares leave, C(c, m) of them, in lexicographic order, MAX_WAYS at most.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.local_search.arrays import (
    EXPENSIVE,
    LATE,
    RUNNING,
    WAITING,
    SolutionArrays,
    Tables,
)
from rsjs.heuristics.local_search.kernels_costs import exchange, replacement, reshaping

EXCHANGE, REPLACE, RESHAPE = range(1, 4)
MAX_WAYS = 20_000  # of N7 on one node


class Move(NamedTuple):
    """The best neighbour found so far, as a change of the solution."""

    what: Ints  # (3,) a constant above, 0 = no move; jobs j and i, or a node and its new type
    column: Ints  # (J,) new columns of the jobs of a node that is reshaped
    change: Floats  # (1,) $ by which it costs more


def no_move(jobs: int) -> Move:
    """Return space for a move."""
    return Move(np.zeros(3, dtype=np.int64), np.zeros(jobs, dtype=np.int64), np.zeros(1))


@inner
def clear(move: Move) -> None:
    """Forget the move: only neighbours that cost less are kept."""
    move.what[0], move.change[0] = 0, 0.0


@inner
def keep(move: Move, kind: int, a: int, b: int, change: float) -> None:
    """Keep a neighbour that is better than the best one so far."""
    move.what[0], move.what[1], move.what[2] = kind, a, b
    move.change[0] = change


@inner
def keep_columns(s: SolutionArrays, move: Move, n: int, column: Ints) -> None:
    """Keep the columns of a node's jobs with the move."""
    for i in range(s.begin[n], s.begin[n + 1]):
        j = s.member[i]
        move.column[j] = column[j]


@inner
def make(s: SolutionArrays, move: Move) -> None:
    """Change the solution; what follows from it is left to `refresh`."""
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
def swap_tardy_with_expensive(tables: Tables, s: SolutionArrays, move: Move) -> int:
    """N1: swap one of the k most tardy jobs with one of the k most expensive on-time jobs."""
    return _swap_tardy_with(tables, s, s.expensive, s.length[EXPENSIVE], move)


@inner
def swap_tardy_with_running(tables: Tables, s: SolutionArrays, move: Move) -> int:
    """N2: swap one of the k most tardy jobs with a running job, the most pressing one first."""
    return _swap_tardy_with(tables, s, s.running, s.length[RUNNING], move)


@inner
def _swap_tardy_with(
    tables: Tables, s: SolutionArrays, others: Ints, count: int, move: Move
) -> int:
    """Swap one of the k most tardy jobs with one of the first `count` of others."""
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
def replace_by_postponed(tables: Tables, s: SolutionArrays, move: Move) -> int:
    """N3: replace a running job by a more pressing postponed one, the least pressing ones first."""
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
def is_listed_before(s: SolutionArrays, a: int) -> bool:
    """Return whether an earlier one of the most tardy jobs is on the node of the one at `a`."""
    b = 0
    while s.node[s.late[b]] != s.node[s.late[a]]:
        b += 1
    return b < a


@inner
def is_faster(tables: Tables, s: SolutionArrays, n: int, v: int) -> bool:
    """Return whether the times of a node's jobs fall in sum on type v, on as many GPUs as now."""
    saved = 0.0
    for i in range(s.begin[n], s.begin[n + 1]):
        j = s.member[i]
        time = tables.hours[j, tables.gpu[v] * tables.columns + s.column[j]]
        if time == inf:
            return False
        saved += tables.hours[j, s.mode[j]] - time
    return saved > 0.0


@inner
def change_type(tables: Tables, s: SolutionArrays, move: Move, times: int, over: int) -> int:
    """
    N4 to N6: change the type of a node of the k most tardy jobs to `times` / `over` as many GPUs.

    N4: 1 / 1, another GPU type on which the jobs' times fall in sum. N5: 2 / 1, N6: 1 / 2, the GPU
    type stays; each job gets `times` / `over` as many GPUs, which must be a whole number.
    """
    seen = 0
    for a in range(s.length[LATE]):
        n = s.node[s.late[a]]
        size = times * tables.size[s.kind[n]]
        if s.bins[n] > 0 or size % over > 0 or is_listed_before(s, a):
            continue
        # numbers of GPUs of the jobs after the change
        whole = True
        for i in range(s.begin[n], s.begin[n + 1]):
            j = s.member[i]
            whole = whole and times * s.column[j] % over == 0
            s.trial[j] = times * s.column[j] // over
        if whole:
            seen += _other_types(tables, s, move, n, size // over, times * s.used[n] // over)
    return seen


@inner
def _other_types(
    tables: Tables, s: SolutionArrays, move: Move, n: int, size: int, used: int
) -> int:
    """Look at the other types of one size that a node may take, its jobs with columns `trial`."""
    seen, w = 0, s.kind[n]
    for v in range(tables.size.shape[0]):
        if not tables.allowed[tables.node_class[n], v] or tables.size[v] != size:
            continue
        # N4 changes the GPU type and keeps the size, N5 and N6 the other way round
        if (tables.gpu[v] == tables.gpu[w]) == (size == tables.size[w]):
            continue
        if tables.gpu[v] != tables.gpu[w] and not is_faster(tables, s, n, v):
            continue
        seen += 1
        change = reshaping(tables, s, n, v, used, s.trial)
        if change < move.change[0]:
            keep(move, RESHAPE, n, v, change)
            keep_columns(s, move, n, s.trial)
    return seen


@inner
def redistribute_gpus(tables: Tables, s: SolutionArrays, move: Move) -> int:
    """N7: redistribute the GPUs of a node of the k most tardy jobs among its jobs."""
    seen = 0
    for a in range(s.length[LATE]):
        if not is_listed_before(s, a):
            seen += _on_node(tables, s, move, s.node[s.late[a]])
    return seen


@inner
def _on_node(tables: Tables, s: SolutionArrays, move: Move, n: int) -> int:
    """Look at all ways to distribute the GPUs of a node that shares leave."""
    # the first way: one GPU for each job that has dedicated ones
    dedicated = 0
    for i in range(s.begin[n], s.begin[n + 1]):
        j = s.member[i]
        s.trial[j] = s.column[j]
        if s.column[j] <= tables.largest:
            s.trial[j] = 1
            dedicated += 1
    capacity = tables.size[s.kind[n]] - s.bins[n]
    taken, seen = dedicated, 0
    while dedicated > 0 and seen < MAX_WAYS:
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
def _next(tables: Tables, s: SolutionArrays, n: int, idle: int) -> int:
    """
    Make the next way in lexicographic order, in `trial`.

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
