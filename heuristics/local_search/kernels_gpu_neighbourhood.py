"""
Kernel: N7 of Kiros 2020, 3.1.5, the GPUs of a node dealt out anew among its jobs.

All ways to give each of m jobs at least one of the c GPUs that shares leave, C(c, m) of them, in
lexicographic order; of more than MOST the first ones. Jobs on shares keep them.
"""

from __future__ import annotations

from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.local_search.arrays import Tables
from rsjs.heuristics.local_search.kernels_costs import reshaping
from rsjs.heuristics.local_search.kernels_neighbourhoods import RESHAPE, Move, keep, keep_columns
from rsjs.heuristics.local_search.kernels_node_neighbourhoods import is_listed_before
from rsjs.heuristics.local_search.schedules import LATE, Schedule

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
