"""Number of nodes that an instance's `open_nodes` rule requires, and a solution with that many."""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Bools
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


def required_nodes(instance: Instance) -> int:
    """
    Return how many nodes to select ("jahani_eq") or use ("rsjs_eq", "rsjs_eq_feasible").

    min(J, N) (Jahani (9), RS-JS (16)); under "rsjs_eq_feasible" the size of a maximum matching
    of jobs to nodes on which they are admissible.
    """
    jobs, nodes = len(instance.jobs), instance.cluster.nodes
    if instance.objective.open_nodes != "rsjs_eq_feasible":
        return min(jobs, nodes)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    edges = runs_on_class(instance)[:, instance.cluster.class_of_node]
    matching = maximum_bipartite_matching(csr_array(edges), perm_type="column")
    return int((matching >= 0).sum())


def selected_nodes(instance: Instance) -> tuple[float, float]:
    """Return the min and max number of selected nodes; -inf for any number."""
    if instance.objective.open_nodes == "free":
        return -np.inf, float(instance.cluster.nodes)
    required = float(required_nodes(instance))
    return required, required


def runs_on_class(instance: Instance) -> Bools:
    """Return (J, C) whether a job may run on some node type of a class of nodes."""
    cluster = instance.cluster
    on_gpu = np.isfinite(instance.hours_per_epoch)  # a job that may take a share may take a GPU
    runs = np.zeros((len(instance.jobs), len(cluster.node_types)), dtype=bool)
    for v, (gpu, size) in enumerate(zip(cluster.gpu_of_type, cluster.gpus_of_type, strict=True)):
        runs[:, v] = on_gpu[:, gpu, : size + 1].any(axis=1)
    by_class: Bools = np.matmul(runs, cluster.allowed_in_class.T)
    return by_class


def nodes_with_a_job(instance: Instance) -> int | None:
    """
    Return how many nodes have a job, the right-hand side of RS-JS (16); None = any number.

    Also None under "jahani_eq": nodes selected without a job cost nothing where mu = 0.
    """
    if instance.objective.open_nodes in ("free", "jahani_eq"):
        return None
    return required_nodes(instance)


def select_required_nodes(instance: Instance, solution: Solution) -> Solution:
    """
    Return a solution with exactly min(J, N) selected nodes under "jahani_eq" (Jahani 2019, (9)).

    Other rules need no such change. Of the selected nodes without a job the first ones stay, as
    many as are required. Where nodes are missing, those that are off are selected, each as its
    allowed type with the fewest GPUs, smallest first (ties: the first): idle GPUs cost mu.
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
