"""
Loads of nodes moved to where their jobs were (Filippini et al. 2024, VI-C).

Whole loads of nodes of one class change places, so that as many jobs as possible with the same GPUs
as before are on the node where they were.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Bools, Ints
from rsjs.heuristics.common.jit import compiled, smallest
from rsjs.heuristics.greedy.arrays import NodeTables, Placement
from rsjs.heuristics.greedy.rules import GREEDY_RULES, cluster_tables
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


def on_their_nodes(instance: Instance, solution: Solution) -> Solution:
    """Return a solution with loads moved within classes of nodes, so that fewest jobs migrate."""
    if instance.current is None:
        return solution
    return Loads(instance.cluster).on_their_nodes(instance.current, solution)


def prepare() -> None:
    """Import and compile what moves loads."""
    instance, waits = smallest(), Solution.empty(1, 1)
    Loads(instance.cluster).on_their_nodes(waits, waits)


class Loads:
    """The loads of nodes, which change places within a class of D."""

    def __init__(self, cluster: Cluster) -> None:
        self._nodes = tables = cluster_tables(cluster, GREEDY_RULES["code"]).nodes
        self._size = size = np.diff(tables.start)
        self._begin = np.cumsum(size * size) - size * size  # jobs by load and node: D squares
        self._within = np.empty_like(tables.members)  # position of each node in its class
        self._within[tables.members] = np.arange(cluster.nodes) - np.repeat(tables.start[:-1], size)
        self._stays = np.empty(int((size * size).sum()), dtype=np.int64)
        self._differ = np.empty(len(size), dtype=bool)

    def on_their_nodes(self, current: Solution, solution: Solution) -> Solution:
        """Return a solution with its loads where most of their jobs were."""
        from scipy.optimize import linear_sum_assignment

        count_stays(
            *(self._nodes, self._within, self._begin, Placement.of(current)),
            *(Placement.of(solution), self._stays, self._differ),
        )
        # where no job of a class has moved, its loads are where they should be
        if not self._differ.any():
            return solution
        start, begin, nodes = self._nodes.start, self._begin, self._nodes.members
        target = np.arange(len(nodes) + 1)
        target[-1] = -1  # of jobs that wait
        for c in self._differ.nonzero()[0].tolist():
            size, here = self._size[c], nodes[start[c] : start[c + 1]]
            square = self._stays[begin[c] : begin[c] + size * size].reshape(size, size)
            load, place = linear_sum_assignment(square, maximize=True)
            target[here[load]] = here[place]
        node_type = np.empty_like(solution.node_type)
        node_type[target[:-1]] = solution.node_type
        return Solution(
            job_node=target[solution.job_node],
            job_gpus=solution.job_gpus,
            job_level=solution.job_level,
            node_type=node_type,
        )


@compiled
def count_stays(
    nodes: NodeTables,
    within: Ints,
    begin: Ints,
    before: Placement,
    after: Placement,
    stays: Ints,
    differ: Bools,
) -> None:
    """
    Count the jobs that could stay where they are: on the same GPUs, on a node of one class.

    Parameters
    ----------
    within, begin : (N,) int, (D,) int
        Position of a node in its class; where the square of a class begins in `stays`.
    stays : filled with jobs by load and old node, the square of each class row by row
    differ : (D,) filled with whether one of them is on another node than before
    """
    stays[:] = 0
    differ[:] = False
    for j in range(after.node.shape[0]):
        new, old = after.node[j], before.node[j]
        if new < 0 or old < 0:
            continue
        d = nodes.class_of_node[new]
        if nodes.class_of_node[old] != d:
            continue
        gpu = nodes.gpu_of_type[after.node_type[new]]
        if gpu != nodes.gpu_of_type[before.node_type[old]]:
            continue
        if after.gpus[j] == before.gpus[j] and after.level[j] == before.level[j]:
            size = nodes.start[d + 1] - nodes.start[d]
            stays[begin[d] + within[new] * size + within[old]] += 1
            differ[d] = differ[d] or new != old
