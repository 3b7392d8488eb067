"""Jobs and nodes of instances made by hand."""

from numbers import Real

import numpy as np

from rsjs.instances.cluster import NodeGroup
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.jobs import Jobs
from rsjs.rows.columns import COLUMNS


def undeclared(rows):
    """Return the columns of rows that are not declared, or hold what is not of their type."""
    found = set()
    for name, value in (item for row in rows for item in row.items()):
        column = COLUMNS.get(name)
        if column is None:
            found.add(name)
        elif value is None:
            found |= set() if column.optional else {name}
        elif column.type is float:
            found |= set() if isinstance(value, Real) and not isinstance(value, bool) else {name}
        else:
            found |= set() if type(value) is column.type else {name}
    return found


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
