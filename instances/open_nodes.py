"""Selected nodes made up to the number that `open_nodes` asks for."""

from __future__ import annotations

import numpy as np

from rsjs.instances.instance import Instance
from rsjs.instances.required_nodes import required_nodes
from rsjs.instances.solution import Solution


def complete(instance: Instance, solution: Solution) -> Solution:
    """
    Under "jahani_eq" exactly min(J, N) nodes are selected (Jahani 2019, (9)), else no change.

    Nodes that are selected without a job stay, the first ones, as long as they count; the rest
    is made up of nodes that are off, each as its allowed type with the fewest GPUs (ties: the
    first), those with the fewest of all first (ties: the first node): idle GPUs cost mu.
    """
    if instance.objective.open_nodes != "jahani_eq":
        return solution
    cluster, required = instance.cluster, required_nodes(instance)
    node_type = solution.node_type.copy()
    busy = np.zeros(cluster.nodes, dtype=bool)
    busy[solution.job_node[solution.job_node >= 0]] = True
    spare = required - int(busy.sum())
    node_type[np.flatnonzero((node_type >= 0) & ~busy)[spare:]] = -1
    missing = required - int((node_type >= 0).sum())
    size = np.where(cluster.allowed_in_class, cluster.gpus_of_type, cluster.largest + 1)
    off = np.flatnonzero(node_type < 0)
    fewest = size.min(axis=1)[cluster.class_of_node[off]]
    chosen = off[np.argsort(fewest, kind="stable")][:missing]
    node_type[chosen] = size.argmin(axis=1)[cluster.class_of_node[chosen]]
    return Solution(
        job_node=solution.job_node,
        job_gpus=solution.job_gpus,
        job_level=solution.job_level,
        node_type=node_type,
    )
