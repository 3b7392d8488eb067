"""
Kernels: N1 to N3 of Kiros 2020, 3.1.5, pairs of jobs that change places.

A pair of running jobs on different nodes exchanges node and configuration, or a running job and a
postponed one exchange their states. The GPUs in use stay as they are, so capacity holds; a job
that is not admissible in its new place makes no neighbour. Each kernel looks at all its
neighbours, keeps the best one in `move` if it is better than what is there, and returns how many
it has looked at.

Among equals the first one counts, in the order of the lists.
"""

from __future__ import annotations

from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.local_search.arrays import Ints, Tables
from rsjs.heuristics.local_search.kernels_costs import exchange, replacement
from rsjs.heuristics.local_search.kernels_neighbourhoods import EXCHANGE, REPLACE, Move, keep
from rsjs.heuristics.local_search.schedules import DEAR, LATE, RUNNING, WAITING, Schedule


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
