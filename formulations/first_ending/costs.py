"""What the first-ending objective charges jobs and nodes, in the terms of linear models."""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.cluster import NodeType
from rsjs.instances.costs import change_costs, cost_tables
from rsjs.instances.instance import Instance


def limits(node_type: NodeType) -> list[int]:
    """Return the numbers of GPUs beyond which the price rises, and s_v (flat: s_v alone)."""
    cost = node_type.cost
    return [q for q in range(1, len(cost)) if q == node_type.gpus or cost[q] < cost[q + 1]]


def gains(instance: Instance, v: int) -> Floats:
    """
    Return (J, s_v + 1) T_jvg - mu g - P_j [$]: running a job that does not pay for its node.

    T_jvg: tardiness cost, P_j: postponement cost; inf where not admissible.
    """
    table, size = cost_tables(instance), instance.cluster.node_types[v].gpus
    tardiness = table.tardiness[:, instance.cluster.gpu_of_type[v], : size + 1]
    idle = instance.objective.mu * np.arange(size + 1)
    gain: Floats = tardiness - idle - table.postponement[:, None]
    return gain


def follower_gains(instance: Instance, v: int) -> Floats:
    """Return `gains` and what it costs to start a job, where moving one costs nothing."""
    charged: Floats = gains(instance, v) + change_costs(instance).least[:, None]
    return charged


def leader_gains(instance: Instance, v: int) -> tuple[Floats, Ints]:
    """
    Return (J, s_v) least `follower_gains` plus c_v,r+g t_jvg, and the g: leading, r GPUs left.

    The job runs on some g = 1..s_v - r GPUs, and pays until it ends for them and for the r GPUs of
    others, r = 0..s_v - 1. What it costs never falls with r.
    """
    node_type, gain = instance.cluster.node_types[v], follower_gains(instance, v)
    size, price = node_type.gpus, np.array(node_type.cost)
    hours = cost_tables(instance).hours[:, instance.cluster.gpu_of_type[v], : size + 1]
    hours = np.where(np.isfinite(hours), hours, 0.0)
    least, gpus = np.empty((len(gain), size)), np.empty((len(gain), size), dtype=np.int64)
    for r in range(size):
        charged = gain[:, 1 : size - r + 1] + price[r + 1 :] * hours[:, 1 : size - r + 1]
        gpus[:, r] = charged.argmin(axis=1) + 1
        least[:, r] = charged.min(axis=1)
    return least, gpus


def empty_types(instance: Instance) -> list[int]:
    """
    Return, by node class, the smallest type allowed: that of a node selected without a job.

    Only "jahani_eq" selects such nodes; the list is empty otherwise.
    """
    cluster = instance.cluster
    if instance.objective.open_nodes != "jahani_eq":
        return []
    size = np.where(cluster.allowed_in_class, cluster.gpus_of_type, cluster.largest + 1)
    types: list[int] = size.argmin(axis=1).tolist()
    return types
