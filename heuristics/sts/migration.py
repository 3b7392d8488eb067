"""
Loads of nodes moved to where their jobs were (Filippini et al. 2024, VI-C).

Whole loads of nodes of one class change places, so that as many jobs as possible with the same GPUs
as before are on the node where they were.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.greedy.rules import GREEDY_RULES, cluster_tables
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


def on_their_nodes(instance: Instance, solution: Solution) -> Solution:
    """Return a solution with loads moved within classes of nodes, so that fewest jobs migrate."""
    current = instance.current
    if current is None:
        return solution
    cluster = instance.cluster
    new, old = solution.job_node, current.job_node
    gpu = np.append(cluster.gpu_of_type, -1)  # the last entry is type -1
    same = (
        (new >= 0)
        & (old >= 0)
        & (solution.job_gpus == current.job_gpus)
        & (solution.job_level == current.job_level)
        & (gpu[solution.node_type[new]] == gpu[current.node_type[old]])
    )
    target = _targets(cluster, new[same], old[same])
    node_type = np.empty_like(solution.node_type)
    node_type[target] = solution.node_type
    return Solution(
        job_node=np.where(new >= 0, target[new], -1),
        job_gpus=solution.job_gpus,
        job_level=solution.job_level,
        node_type=node_type,
    )


def _targets(cluster: Cluster, new: Ints, old: Ints) -> Ints:
    """
    Return (N,) where the load of each node goes: most of the jobs to where they were.

    Parameters
    ----------
    new, old : (n,) int
        Nodes of jobs that could stay.
    """
    from scipy.optimize import linear_sum_assignment

    tables = cluster_tables(cluster, GREEDY_RULES["code"]).nodes
    target, start, nodes = np.arange(cluster.nodes), tables.start, tables.members
    own, size = tables.class_of_node[new], np.diff(start)
    within = np.empty_like(target)  # position in its class
    within[nodes] = target - np.repeat(start[:-1], size)
    same = own == tables.class_of_node[old]
    # jobs by load and old node: one square for each class
    end = np.cumsum(size * size)
    begin = end - size * size
    pairs = begin[own] + within[new] * size[own] + within[old]
    stays = np.bincount(pairs[same], minlength=end[-1])
    # where no job of a class has moved, its loads are where they should be
    for c in np.flatnonzero(np.bincount(own[same & (new != old)])).tolist():
        square = stays[begin[c] : end[c]].reshape(size[c], size[c])
        load, place = linear_sum_assignment(square, maximize=True)
        here = nodes[start[c] : start[c + 1]]
        target[here[load]] = here[place]
    return target
