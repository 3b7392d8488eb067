"""Kernel: the best neighbour of all neighbourhoods, again and again, until none costs less."""

from __future__ import annotations

from rsjs.heuristics.common.jit import compiled
from rsjs.heuristics.local_search.arrays import Bools, Ints, Tables
from rsjs.heuristics.local_search.kernels_gpu_neighbourhood import other_gpu_counts
from rsjs.heuristics.local_search.kernels_job_neighbourhoods import (
    late_with_dear,
    late_with_running,
    postponed_with_running,
)
from rsjs.heuristics.local_search.kernels_neighbourhoods import Move, clear, make
from rsjs.heuristics.local_search.kernels_node_neighbourhoods import (
    half_the_gpus,
    other_gpu_type,
    twice_the_gpus,
)
from rsjs.heuristics.local_search.kernels_refreshing import refresh
from rsjs.heuristics.local_search.schedules import COST, Schedule

LEAST = 1e-12  # relative improvement that counts
MOVES, NEIGHBOURS = range(2)  # in `done`


@compiled
def descend(
    tables: Tables, s: Schedule, move: Move, chosen: Bools, moves: int, neighbours: int, done: Ints
) -> bool:
    """
    Make improving moves, each the best one of all neighbourhoods.

    Parameters
    ----------
    chosen : (7,) which of N1 to N7
    moves, neighbours : int
        No further move begins after so many moves or neighbours.
    done : (2,) int
        Counts of both, added to.

    Returns
    -------
    Whether no neighbour costs less any more.
    """
    made, seen = 0, 0
    while made < moves and seen < neighbours:
        clear(move)
        found = 0
        if chosen[0]:
            found += late_with_dear(tables, s, move)
        if chosen[1]:
            found += late_with_running(tables, s, move)
        if chosen[2]:
            found += postponed_with_running(tables, s, move)
        if chosen[3]:
            found += other_gpu_type(tables, s, move)
        if chosen[4]:
            found += twice_the_gpus(tables, s, move)
        if chosen[5]:
            found += half_the_gpus(tables, s, move)
        if chosen[6]:
            found += other_gpu_counts(tables, s, move)
        seen += found
        done[NEIGHBOURS] += found
        before = s.total[COST]
        if move.change[0] >= -LEAST * abs(before):
            return True
        make(s, move)
        made += 1
        done[MOVES] += 1
        if refresh(tables, s) >= before:  # nothing but rounding
            return True
    return False
