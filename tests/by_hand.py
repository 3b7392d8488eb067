"""Jobs and nodes of instances made by hand."""

import numpy as np

from rsjs.instances.cluster import NodeGroup
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.jobs import Jobs


def jobs_of(hours, due, **given):
    """Jobs j0, j1, ... of one epoch that need no memory and share no GPU, unless `given`."""
    n, gpu_types, _ = hours.shape
    usual = {
        "id": tuple(f"j{j}" for j in range(n)),
        "application": ("app",) * n,
        "release": np.zeros(n),
        "weight": np.ones(n),
        "memory_gb": np.zeros(n),
        "epochs_max": np.ones(n, dtype=np.int64),
        "epochs_done": np.zeros(n),
        "law": (FIXED,) * n,
        "inflation": np.full((n, gpu_types, 0), np.inf),
        "meta": ({},) * n,
    }
    return Jobs(hours_per_epoch=hours, due=due, **{**usual, **given})


def nodes_of(*allowed):
    """A group of one node for each collection of node types."""
    return tuple(NodeGroup(count=1, types=tuple(types)) for types in allowed)
