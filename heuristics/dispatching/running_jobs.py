"""Jobs that run already and are left alone: what they keep, and the room beside them."""

from __future__ import annotations

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.heuristics.dispatching.rooms import Rooms
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


def running(instance: Instance) -> Solution:
    """The placement of `instance.current` without empty nodes; its other jobs wait."""
    current = instance.current
    if current is None:
        return Solution.empty(len(instance.jobs), instance.cluster.nodes)
    for violation in check(instance, current).violations:
        if violation.constraint != "open_nodes":
            where, found = f"/current{violation.where}", described(str(violation.found))
            raise InputError(where, found, f"{violation.expected} ({violation.constraint})")
    busy = np.zeros(instance.cluster.nodes, dtype=bool)
    busy[current.job_node[current.job_node >= 0]] = True
    node_type = np.where(busy, current.node_type, -1)
    return Solution.of(current.job_node, current.job_gpus, node_type, current.job_level)


def rooms_beside(instance: Instance, kept: Solution, *, alone: bool, fit: str = "open") -> Rooms:
    """The rooms of a cluster on which jobs run."""
    cluster = instance.cluster
    rooms = Rooms(cluster, alone=alone, fit=fit)
    for node in np.flatnonzero(kept.node_type >= 0).tolist():
        jobs = np.flatnonzero(kept.job_node == node)
        v = kept.node_type[node]
        gpu = int(cluster.gpu_of_type[v])
        levels = kept.job_level[jobs]
        shares = [cluster.gpu_types[gpu].levels[a].units for a in levels[levels >= 0].tolist()]
        room = int(cluster.gpus_of_type[v] - kept.job_gpus[jobs].sum())
        rooms.occupy(node, gpu, room, shares)
    return rooms


def together(kept: Solution, new: Solution) -> Solution:
    """Jobs that run, and those placed beside them; each entry is empty in one of both."""
    return Solution.of(
        np.maximum(new.job_node, kept.job_node),
        np.maximum(new.job_gpus, kept.job_gpus),
        np.where(kept.node_type >= 0, kept.node_type, new.node_type),
        np.maximum(new.job_level, kept.job_level),
    )
