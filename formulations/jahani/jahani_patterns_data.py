"""The data of the pattern model: options, slots and patterns, and the column order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.modes.patterns import partitions
from rsjs.instances.costs import tables
from rsjs.instances.instance import Instance

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PatternModel:
    """
    The model's data; column order is the options (x), then the patterns (L).

    Attributes
    ----------
    job, node_type, gpus : (n,) int, the options (j, v, g) kept
    gain : (n,) float, C_jvg - P_j < 0
    cost : (J, V, G + 1) float, C_jvg; inf where not admissible
    cut : list of (class, node type, parts), the patterns
    """

    instance: Instance
    job: Index
    node_type: Index
    gpus: Index
    gain: Array
    cost: Array
    cut: list[tuple[int, int, tuple[int, ...]]]

    @staticmethod
    def of(instance: Instance) -> PatternModel:
        """Options and patterns of an instance."""
        cost = execution_costs(instance)
        gain = cost - tables(instance).postponement[:, None, None]
        best_smaller = np.minimum.accumulate(cost, axis=2)[:, :, :-1]
        useful = gain < 0
        useful[:, :, 1:] &= cost[:, :, 1:] < best_smaller
        job, node_type, gpus = np.nonzero(useful)
        cluster = instance.cluster
        cut = [
            (k, int(v), parts)
            for k, allowed in enumerate(cluster.allowed_in_class)
            for v in np.flatnonzero(allowed)
            for parts in partitions(int(cluster.gpus_of_type[v]))
        ]
        return PatternModel(instance, job, node_type, gpus, gain[useful], cost, cut)

    @property
    def offset(self) -> float:
        """sum_j P_j."""
        return float(tables(self.instance).postponement.sum())

    @property
    def selected_nodes(self) -> tuple[float, float]:
        """Least and most nodes selected."""
        nodes = self.instance.cluster.nodes
        if self.instance.objective.open_nodes == "free":
            return -np.inf, float(nodes)
        required = float(min(len(self.instance.jobs), nodes))
        return required, required

    @cached_property
    def slots(self) -> list[tuple[int, int]]:
        """(v, g) pairs that some option uses, in order."""
        return sorted(set(zip(self.node_type.tolist(), self.gpus.tolist(), strict=True)))

    @cached_property
    def several_classes(self) -> bool:
        """Whether the class rows are needed."""
        return len(self.instance.cluster.class_sizes) > 1

    def idle_cost(self, v: int) -> float:
        """mu s_v."""
        return self.instance.objective.mu * float(self.instance.cluster.gpus_of_type[v])


def execution_costs(instance: Instance) -> Array:
    """(J, V, G + 1) C_jvg [$]; inf where (v, g) is not admissible for j or no node takes v."""
    table, cluster = tables(instance), instance.cluster
    gpu, size = cluster.gpu_of_type, cluster.gpus_of_type
    hours, tardiness = table.hours[:, gpu, :], table.tardiness[:, gpu, :]
    g = np.arange(hours.shape[2])
    offered = np.asarray(cluster.allowed_in_class.any(axis=0))
    usable = np.isfinite(hours) & (g <= size[:, None]) & offered[:, None]
    price = cluster.cost_of_type[:, 1] / size
    cost = tardiness + (g * price[:, None]) * np.where(usable, hours, 0.0)
    return np.where(usable, cost - instance.objective.mu * g, np.inf)
