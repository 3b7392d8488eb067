"""An instance in terms of the slot model: its slots, its patterns, and what jobs save in slots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.formulations.jahani.jahani_patterns_data import execution_costs
from rsjs.formulations.jahani.slot_model import Array, Index, SlotModel
from rsjs.formulations.modes.patterns import partitions
from rsjs.instances.costs import tables
from rsjs.instances.instance import Instance
from rsjs.instances.required_nodes import required_nodes


@dataclass(frozen=True, eq=False)
class Slots:
    """
    An instance's slots and patterns beside their model.

    Attributes
    ----------
    slot : (V, G + 1) int
        Slot of g GPUs on a node type; -1 where there is none.
    gpus : (S,) int
        g of each slot.
    cut : list of (class, node type, parts)
        The patterns.
    """

    instance: Instance
    slot: Index
    gpus: Index
    cut: list[tuple[int, int, tuple[int, ...]]]
    model: SlotModel

    @staticmethod
    def of(instance: Instance) -> Slots:
        """Slots, patterns and costs of an instance."""
        cluster, objective = instance.cluster, instance.objective
        slot, members = _slots(instance)
        cut = [
            (k, int(v), parts)
            for k, allowed in enumerate(cluster.allowed_in_class)
            for v in np.flatnonzero(allowed)
            for parts in partitions(int(cluster.gpus_of_type[v]))
        ]
        offered = np.zeros((len(cut), len(members)))
        for row, (_, v, parts) in zip(offered, cut, strict=True):
            np.add.at(row, slot[v, list(parts)], 1.0)
        free = objective.open_nodes == "free"
        model = SlotModel(
            gain=_gain(instance, members),
            postponement=tables(instance).postponement,
            parts=offered,
            idle=np.array([objective.mu * sum(parts) for _, _, parts in cut]),
            of_class=np.array([k for k, _, _ in cut]),
            sizes=cluster.class_sizes.astype(float),
            nodes=float(cluster.nodes if free else required_nodes(instance)),
            exactly=not free,
        )
        return Slots(instance, slot, np.array([g for _, g in members]), cut, model)


def _slots(instance: Instance) -> tuple[Index, list[tuple[int, int]]]:
    """(V, G + 1) slots, and a node type and g of each."""
    cluster = instance.cluster
    slot = np.full((len(cluster.node_types), cluster.largest + 1), -1)
    known: dict[tuple[int, float, int], int] = {}
    members: list[tuple[int, int]] = []
    for v in np.flatnonzero(cluster.allowed_in_class.any(axis=0)).tolist():
        gpu, size = int(cluster.gpu_of_type[v]), int(cluster.gpus_of_type[v])
        price = float(cluster.cost_of_type[v, 1]) / size
        for g in range(1, size + 1):
            slot[v, g] = known.setdefault((gpu, price, g), len(known))
            if slot[v, g] == len(members):
                members.append((v, g))
    return slot, members


def _gain(instance: Instance, members: list[tuple[int, int]]) -> Array:
    """(S, J) C_js - P_j; inf where left out."""
    cost, postponement = execution_costs(instance), tables(instance).postponement
    cluster = instance.cluster
    gain = np.empty((len(members), len(postponement)))
    best: dict[tuple[int, float], Array] = {}
    for row, (v, g) in zip(gain, members, strict=True):
        price = float(cluster.cost_of_type[v, 1] / cluster.gpus_of_type[v])
        of_gpu = int(cluster.gpu_of_type[v]), price
        least = best.get(of_gpu, postponement)
        row[:] = np.where(cost[:, v, g] < least, cost[:, v, g] - postponement, np.inf)
        best[of_gpu] = np.minimum(least, cost[:, v, g])
    return gain
