"""How many nodes an instance's `open_nodes` rule asks for."""

from __future__ import annotations

import numpy as np

from rsjs.instances.instance import Instance


def required_nodes(instance: Instance) -> int:
    """
    Nodes that must be selected ("jahani_eq") or have a job ("rsjs_eq", "rsjs_eq_feasible").

    min(J, N) (Jahani (9), RS-JS (16)); under "rsjs_eq_feasible" the size of a maximum matching
    of jobs to nodes on which they are admissible.
    """
    jobs, nodes = len(instance.jobs), instance.cluster.nodes
    if instance.objective.open_nodes != "rsjs_eq_feasible":
        return min(jobs, nodes)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    cluster = instance.cluster
    on_gpu = np.isfinite(instance.hours_per_epoch)  # whoever may take a share may take a GPU
    runs = np.zeros((jobs, len(cluster.node_types)), dtype=bool)
    for v, (gpu, size) in enumerate(zip(cluster.gpu_of_type, cluster.gpus_of_type, strict=True)):
        runs[:, v] = on_gpu[:, gpu, : size + 1].any(axis=1)
    edges = np.matmul(runs, cluster.allowed_in_class.T)[:, cluster.class_of_node]
    matching = maximum_bipartite_matching(csr_array(edges), perm_type="column")
    return int((matching >= 0).sum())
