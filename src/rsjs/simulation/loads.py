"""GPUs in use on the nodes of a cluster."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rsjs.core.types import Ints
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.cluster import Cluster
from rsjs.instances.solution import Solution


def gpus_in_use(cluster: Cluster, placement: Solution) -> Ints:
    """(N,) dedicated GPUs, and those that the shares pack into; jobs are on nodes that are on."""
    node, level = placement.job_node, placement.job_level
    runs = node >= 0
    used = np.bincount(node[runs], placement.job_gpus[runs], cluster.nodes).astype(np.int64)
    shares: dict[int, list[int]] = {}
    for j in (level >= 0).nonzero()[0].tolist():
        shares.setdefault(int(node[j]), []).append(int(level[j]))
    for n, levels in shares.items():
        gpu = cluster.gpu_types[cluster.gpu_of_type[placement.node_type[n]]]
        used[n] += _packed(tuple(sorted(gpu.levels[own].units for own in levels)), gpu.units)
    return used


@lru_cache(maxsize=4096)
def _packed(shares: tuple[int, ...], units: int) -> int:
    return gpus_for_shares(shares, units)
