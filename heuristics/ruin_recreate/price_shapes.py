"""How jobs may take part in nodes: the columns of the dual before they are priced."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pieces:
    """
    L columns at P places; see `price_columns`.

    Attributes
    ----------
    cost : (L, J) float [$]
    place, paid : (L,) int
        Where; k of a leader, 0 of a follower or member.
    room : (L,) float
        w_a.
    place_class, place_type : (P,) int
        Larger nodes first: of equal columns the one that leaves more room is chosen.
    """

    cost: Array
    place: Index
    paid: Index
    room: Array
    place_class: Index
    place_type: Index


def pieces(instance: Instance) -> Pieces:
    """Every way in which some job may take part in a node."""
    cluster, table = instance.cluster, costs.tables(instance)
    place_class, place_type = np.nonzero(cluster.allowed_in_class)
    larger_first = np.argsort(-cluster.gpus_of_type[place_type], kind="stable")
    place_class, place_type = place_class[larger_first], place_type[larger_first]
    found: list[tuple[int, int, float, Array]] = []
    for p, v in enumerate(place_type.tolist()):
        i = int(cluster.gpu_of_type[v])
        gpu = cluster.gpu_types[i]
        for level, share in enumerate(gpu.levels):
            late, hours = table.shared_tardiness[:, i, level], table.shared_hours[:, i, level]
            found += _ways(instance, p, v, 1, share.units / gpu.units, late, hours)
        for g in range(1, cluster.node_types[v].gpus + 1):
            late, hours = table.tardiness[:, i, g], table.hours[:, i, g]
            found += _ways(instance, p, v, g, float(g), late, hours)
    place, paid, room, cost = zip(*found, strict=True)
    return Pieces(
        cost=np.array(cost),
        place=np.array(place),
        paid=np.array(paid),
        room=np.array(room),
        place_class=place_class,
        place_type=place_type,
    )


def _ways(
    instance: Instance, p: int, v: int, least: int, room: float, late: Array, hours: Array
) -> list[tuple[int, int, float, Array]]:
    """Place, paid GPUs, room and cost of each column of one shape, if some job may take it."""
    usable = np.isfinite(late)
    if not usable.any():
        return []
    objective, node = instance.objective, instance.cluster.node_types[v]
    time = np.where(usable, hours, 0.0)
    if objective.energy == "proportional":
        return [(p, 0, room, late + room / node.gpus * node.cost[-1] * time)]
    leaders = [
        (p, k, room, late + node.cost[k] * time + objective.mu * (node.gpus - k))
        for k in _paid(instance.cluster, v, least, objective.mu)
    ]
    return [(p, 0, room, late), *leaders] if room < node.gpus else leaders


def _paid(cluster: Cluster, v: int, least: int, mu: float) -> list[int]:
    """Numbers k of GPUs a leader may be charged for: the largest of each cost, all if mu > 0."""
    cost = cluster.node_types[v].cost
    sizes = range(least, len(cost))
    return [k for k in sizes if mu > 0 or k + 1 == len(cost) or cost[k + 1] > cost[k]]
