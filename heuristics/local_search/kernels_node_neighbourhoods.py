"""
Kernels: N4 to N6 of Kiros 2020, 3.1.5, other types for the nodes of the k latest jobs.

N4  as many GPUs of another GPU type, if the times of the node's jobs fall in sum
N5  twice as many GPUs of the same type, and twice as many for each job
N6  half as many, and half as many for each job, where all of them have an even number

Types are those that the node may take: a node of fixed type has no such neighbours. So neither
has one with jobs on shares of GPUs. Each kernel keeps its best neighbour and returns how many it
has looked at, as in job_neighbourhoods.py.
"""

from __future__ import annotations

from math import inf

from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.local_search.arrays import Tables
from rsjs.heuristics.local_search.kernels_costs import reshaping
from rsjs.heuristics.local_search.kernels_neighbourhoods import RESHAPE, Move, keep, keep_columns
from rsjs.heuristics.local_search.schedules import LATE, Schedule


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
