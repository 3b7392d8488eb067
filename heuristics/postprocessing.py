"""
What greedy does with the idle GPUs of open nodes, once every job has had its turn.

First a node becomes an equivalent one, then jobs get GPUs that are still idle (Kiros 2020, 3.1.3,
post-processing phase). Equivalent is "the same type of VM but different number of available
GPUs": another node type with the same GPU that the node may take.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.best_fit import Ints
from rsjs.instances.cluster import Cluster

Array = NDArray[np.float64]


def cheaper_equivalents(cluster: Cluster) -> Ints:
    """(C, V, G + 1) the cheapest with exactly the GPUs in use or one more, if it is cheaper."""
    cost, size = cluster.cost_of_type.tolist(), cluster.gpus_of_type.tolist()

    def choose(v: int, used: int, equivalent: list[int]) -> int:
        fitting = [w for w in equivalent if used <= size[w] <= used + 1]
        best = min(fitting, key=lambda w: (cost[w][used], size[w], w), default=v)
        return best if cost[best][used] < cost[v][used] else v

    return _equivalents(cluster, choose)


def smaller_equivalents(cluster: Cluster) -> Ints:
    """(C, V, G + 1) the one with the fewest GPUs that holds those in use; ties: the cheapest."""
    cost, size = cluster.cost_of_type.tolist(), cluster.gpus_of_type.tolist()

    def choose(v: int, used: int, equivalent: list[int]) -> int:
        fitting = [w for w in equivalent if used <= size[w] < size[v]]
        return min(fitting, key=lambda w: (size[w], cost[w][used], w), default=v)

    return _equivalents(cluster, choose)


def _equivalents(cluster: Cluster, choose: Callable[[int, int, list[int]], int]) -> Ints:
    """What a node of each class and type with some GPUs in use, but not all, becomes."""
    types, gpu = len(cluster.node_types), cluster.gpu_of_type
    table = np.empty((len(cluster.allowed_in_class), types, cluster.largest + 1), dtype=np.int64)
    table[:] = np.arange(types)[:, None]
    for c, allowed in enumerate(cluster.allowed_in_class):
        for v in np.flatnonzero(allowed).tolist():
            equivalent = np.flatnonzero(allowed & (gpu == gpu[v])).tolist()
            for used in range(1, cluster.node_types[v].gpus):
                table[c, v, used] = choose(v, used, equivalent)
    return table


def give_to_one_job(gpus: Ints, node: Ints, idle: Ints, before: Array, after: Array) -> Ints:
    """
    One job of the cluster gets all idle GPUs of its node: the one that saves most time.

    Parameters
    ----------
    gpus, node, idle : (R,) GPUs of running jobs, their nodes, idle GPUs there
    before, after : (R,) hours now, and with the idle GPUs (inf: not admissible)

    Returns
    -------
    (R,) GPUs
    """
    best = int(np.argmax(before - after))  # the first of equals
    if before[best] > after[best]:
        gpus = gpus.copy()
        gpus[best] += idle[best]
    return gpus


def give_on_each_node(gpus: Ints, node: Ints, idle: Ints, before: Array, after: Array) -> Ints:
    """
    One job of each node gets all idle GPUs there: the one with the highest speed-up.

    Parameters and return value as in `give_to_one_job`.
    """
    speed_up = before / after
    order = np.lexsort((-speed_up, node))
    first = np.append(True, np.diff(node[order]) != 0)
    best = order[first]
    best = best[speed_up[best] > 1]
    gpus = gpus.copy()
    gpus[best] += idle[best]
    return gpus
