"""The meters of all nodes: GPUs in use, GPUs idle, and what they cost."""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled
from rsjs.instances.cluster import Cluster
from rsjs.simulation.accounting import prices


class Nodes:
    """The nodes between two events, and their cost so far."""

    def __init__(self, cluster: Cluster, energy: str, boot: float) -> None:
        self._boot, self._cluster = boot, cluster
        self._price = prices(cluster, energy)
        types = len(cluster.gpu_types)
        self.kind = np.full(cluster.nodes, -1, dtype=np.int64)  # (N,) node type; -1 = off
        self.kind.setflags(write=False)
        self.ready = np.zeros(cluster.nodes)  # (N,) h, when the node has booted
        self.in_use = np.zeros(types, dtype=np.int64)  # GPUs in use by GPU type
        self.used_hours = np.zeros(types)  # GPU-hours in use by GPU type
        self.energy, self._rate = 0.0, 0.0  # $, $/h
        self.idle_hours, self._idle = 0.0, 0  # GPU-hours and GPUs idle, of nodes that are on
        self._changed = np.zeros(cluster.nodes, dtype=np.int64)  # room for `read_meters`
        self._billed = np.zeros(cluster.nodes)

    def run(self, hours: float) -> None:
        """Charge the nodes for the time that passes."""
        self.energy += self._rate * hours
        self.used_hours += self.in_use * hours
        self.idle_hours += self._idle * hours

    def set(self, kind: Ints, used: Ints, now: float) -> list[int]:
        """
        Set the node types from now on; return the nodes whose type has changed.

        `kind` and `used` (N,) are node types, read-only, and GPUs in use.
        """
        cluster = self._cluster
        on, changed, self._idle = read_meters(
            *(self.kind, kind, used, self._price, cluster.gpu_of_type, cluster.gpus_of_type),
            *(self.in_use, self._billed, self._changed),
        )
        self.kind, nodes = kind, self._changed[:changed]
        self.ready[nodes] = now + self._boot
        self._rate = float(self._billed[:on].sum())
        listed: list[int] = nodes.tolist()
        return listed


@compiled
def read_meters(
    before: Ints,
    kind: Ints,
    used: Ints,
    price: Floats,
    gpu_of_type: Ints,
    gpus_of_type: Ints,
    in_use: Ints,
    billed: Floats,
    changed: Ints,
) -> tuple[int, int, int]:
    """
    Fill `in_use`, the $/h of the nodes that are on, and the nodes of another type than before.

    Returns
    -------
    int, int, int
        Nodes that are on, nodes that have changed, idle GPUs of those that are on.
    """
    in_use[:] = 0
    on, differ, idle = 0, 0, 0
    for n in range(kind.shape[0]):
        v = kind[n]
        if v != before[n]:
            changed[differ] = n
            differ += 1
        if v >= 0:
            in_use[gpu_of_type[v]] += used[n]
            idle += gpus_of_type[v] - used[n]
            billed[on] = price[v, used[n]]
            on += 1
    return on, differ, idle
