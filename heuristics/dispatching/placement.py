"""
Jobs onto nodes, one by one: best fit on open nodes, else on a node that is opened.

Nodes are told apart by *kind*: what a configuration asks for, a GPU type or a node type. A set
of nodes is a Python integer, bit n = node n, and there is one set per (kind, idle GPUs): the best
fit is the first non-empty one from g on, its lowest set bit the node with the lowest index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Bools, Ints
from rsjs.instances.cluster import Cluster


@dataclass(frozen=True, eq=False)
class Pool:
    """
    The nodes of a cluster, seen through kinds.

    Attributes
    ----------
    configurations : list of (kind, g)
        By code kind * (G + 1) + g.
    openings : list, per kind, of (GPUs, set of nodes)
        How large a node is when it is opened for this kind; the largest first.
    opened_as : list, per kind and node, of int
        The node type then; -1 = never.
    """

    configurations: list[tuple[int, int]]
    openings: list[list[tuple[int, int]]]
    opened_as: list[list[int]]

    @property
    def nodes(self) -> int:
        """N."""
        return len(self.opened_as[0])


def pool_by_node_type(cluster: Cluster) -> Pool:
    """A node opens as the very node type that is asked for."""
    types = np.arange(len(cluster.node_types))
    return _pool(cluster, np.where(cluster.allowed_in_class.T, types[:, None], -1))


def pool_by_gpu_type(cluster: Cluster) -> Pool:
    """A node opens as its largest allowed type with the GPU asked for; ties: cheapest, first."""
    choice = np.full((len(cluster.gpu_types), len(cluster.allowed_in_class)), -1)
    cost, size = cluster.cost_of_type, cluster.gpus_of_type
    for c, allowed in enumerate(cluster.allowed_in_class):
        types = np.flatnonzero(allowed)
        largest_last = np.lexsort((-types, -cost[types, size[types]], size[types]))
        for v in types[largest_last].tolist():
            choice[cluster.gpu_of_type[v], c] = v
    return _pool(cluster, choice)


def _pool(cluster: Cluster, choice: Ints) -> Pool:
    """A pool from the node type that each class of nodes opens as, (kinds, C)."""
    opened_as = choice[:, cluster.class_of_node]
    size = np.where(opened_as >= 0, cluster.gpus_of_type[opened_as], 0)
    stride = cluster.largest + 1
    return Pool(
        configurations=[(kind, g) for kind in range(len(choice)) for g in range(stride)],
        openings=[
            [(s, _set_of(row == s)) for s in sorted(set(row.tolist()), reverse=True) if s]
            for row in size
        ],
        opened_as=opened_as.tolist(),
    )


def _set_of(members: Bools) -> int:
    return int.from_bytes(np.packbits(members, bitorder="little").tobytes(), "little")


@dataclass(frozen=True, eq=False)
class Assignment:
    """(J,) node or -1 and GPUs of each job, (N,) type of each node or -1: as in `Solution`."""

    job_node: Ints
    job_gpus: Ints
    node_type: Ints


def assign(
    queue: Sequence[int],
    candidates: Sequence[Sequence[int]],
    pool: Pool,
    *,
    alone: bool = False,
    occupied: Sequence[tuple[int, int, int]] = (),
) -> Assignment:
    """
    Give each job of the queue its first candidate that finds a node; jobs that find none wait.

    Parameters
    ----------
    queue : jobs in order
    candidates : codes of configurations of each job, best first
    alone : bool
        One job per node.
    occupied : (node, kind, idle GPUs)
        Nodes that are open before; their types are not part of the result.
    """
    configurations, openings, opened_as = pool.configurations, pool.openings, pool.opened_as
    stride = len(configurations) // len(openings)
    by_idle = [[0] * stride for _ in openings]  # [kind][idle] -> set of nodes
    levels = [0] * len(openings)  # [kind] -> set of idle for which there are nodes
    closed, idle_gpus = (1 << pool.nodes) - 1, 0
    for node, kind, idle in occupied:
        closed ^= 1 << node
        if idle and not alone:
            by_idle[kind][idle] |= 1 << node
            levels[kind] |= 1 << idle
            idle_gpus += idle
    job_node, job_gpus = [-1] * len(candidates), [0] * len(candidates)
    node_type = [-1] * pool.nodes
    for j in queue:
        for code in candidates[j]:
            kind, g = configurations[code]
            fits = levels[kind] >> g
            if fits:
                left = (fits & -fits).bit_length() - 1
                nodes = by_idle[kind][g + left]
                bit = nodes & -nodes
                by_idle[kind][g + left] = nodes = nodes ^ bit
                if not nodes:
                    levels[kind] ^= 1 << (g + left)
                idle_gpus -= g
            else:
                for size, members in openings[kind]:
                    nodes = closed & members
                    if nodes:
                        left = size - g
                        break
                else:
                    continue
                if left < 0:
                    continue
                bit = nodes & -nodes
                closed ^= bit
                node_type[bit.bit_length() - 1] = opened_as[kind][bit.bit_length() - 1]
                if alone:
                    left = 0
                idle_gpus += left
            job_node[j], job_gpus[j] = bit.bit_length() - 1, g
            if left:
                by_idle[kind][left] |= bit
                levels[kind] |= 1 << left
            break
        if not closed and not idle_gpus:
            break
    return Assignment(np.array(job_node), np.array(job_gpus), np.array(node_type))
