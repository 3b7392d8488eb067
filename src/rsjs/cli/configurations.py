"""Every configuration of every job in one table: hours, GPUs, cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance


@dataclass(frozen=True, kw_only=True, eq=False)
class Configurations:
    """
    C configurations: GPUs or a share level on each node type that some node may take.

    Attributes
    ----------
    hours : (J, C) float [h]
        Time to completion; inf where not admissible.
    gpus : (C,) float
        GPUs in use; a share counts as its fraction.
    cost : (J, C) float [$]
        The job's part of the price of the full node until it ends.
    """

    hours: Floats
    gpus: Floats
    cost: Floats

    @staticmethod
    def of(instance: Instance) -> Configurations:
        """The configurations of an instance."""
        cluster, table = instance.cluster, cost_tables(instance)
        columns, gpus, prices = [], [], []
        for v in np.flatnonzero(cluster.allowed_in_class.any(axis=0)).tolist():
            gpu, size = int(cluster.gpu_of_type[v]), cluster.node_types[v].gpus
            kind, price = cluster.gpu_types[gpu], cluster.node_types[v].cost[-1] / size
            shares = [level.units / kind.units for level in kind.levels]
            columns += [table.hours[:, gpu, 1 : size + 1]]
            columns += [table.shared_hours[:, gpu, : len(shares)]]
            gpus += [*range(1, size + 1), *shares]
            prices += [price] * (size + len(shares))
        hours = np.concatenate(columns, axis=1)
        in_use = np.array(gpus, dtype=np.float64)
        return Configurations(hours=hours, gpus=in_use, cost=hours * in_use * np.array(prices))

    def gpu_hours_at_least(self, by: Floats) -> tuple[Floats, Floats]:
        """(J,) GPU hours and cost of the configuration least in `by`, of ties the least used."""
        usable = np.isfinite(self.hours)
        gpu_hours = np.where(usable, self.hours, 0.0) * self.gpus
        least = by.min(axis=1, keepdims=True)
        tied = usable & (by <= least * (1 + 1e-12))
        chosen = np.where(tied, gpu_hours, np.inf).argmin(axis=1)
        rows = np.arange(len(chosen))
        return gpu_hours[rows, chosen], self.cost[rows, chosen]
