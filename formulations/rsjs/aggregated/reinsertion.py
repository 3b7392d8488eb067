"""Local search for RS-JS: take a job out and put it where it costs least, node costs exact."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsjs.formulations.rsjs.aggregated.local_search import NodeLoads

LEAST = 1e-9  # relative improvement that counts


def insert_postponed(loads: NodeLoads, *, open_nodes: bool, stop: Callable[[], bool]) -> bool:
    """
    Run postponed jobs, the dearest first, where that costs less; whether some did.

    Without `open_nodes` no job is put on an empty node.
    """
    postponement = loads.shapes.postponement
    postponed = np.flatnonzero(loads.node < 0)
    improved = False
    for j in postponed[np.argsort(-postponement[postponed], kind="stable")].tolist():
        if stop():
            break
        improved |= _put(loads, j, float(postponement[j]), open_nodes)
    return improved


def improve(loads: NodeLoads, *, open_nodes: bool, stop: Callable[[], bool]) -> None:
    """
    Move single jobs until no move saves anything.

    Without `open_nodes` the nodes that run a job stay the same.
    """
    improved = True
    while improved and not stop():
        improved = insert_postponed(loads, open_nodes=open_nodes, stop=stop)
        for j in np.flatnonzero(loads.node >= 0).tolist():
            if stop():
                return
            if not open_nodes and len(loads.jobs[loads.node[j]]) == 1:
                continue
            saved, row, which = loads.remove(j)
            if _put(loads, j, saved, open_nodes):
                improved = True
            else:
                loads.insert(j, row, which)


def _put(loads: NodeLoads, j: int, below: float, open_nodes: bool) -> bool:
    """Insert a job where it costs least if that is less than `below`, or postpone it."""
    nodes = loads.instance.cluster.nodes
    cost = loads.insertions(j)
    if not open_nodes:
        cost = cost[:nodes]
    at = int(np.argmin(cost))
    row, which = divmod(at, cost.shape[1])
    least, postponed = float(cost.flat[at]), float(loads.shapes.postponement[j])
    limit = below - LEAST * max(1.0, abs(below))
    if min(least, postponed) >= limit:
        return False
    if least < postponed:
        loads.insert(j, row, which)
    return True
