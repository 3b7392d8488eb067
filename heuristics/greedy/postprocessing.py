"""
What open nodes with idle GPUs become, once every job has had its turn.

Greedy replaces them by equivalent ones before jobs get GPUs that are still idle (Kiros 2020, 3.1.3,
post-processing phase; kernels/postprocessing). Equivalent is "the same type of VM but different
number of available GPUs": another node type with the same GPU that the node may take.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsjs.core.types import Ints
from rsjs.instances.cluster import Cluster


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
