"""The data of the GPU-indexed RS-JS model, and the column order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rsjs.formulations.modes.modes import Array, Index
from rsjs.formulations.modes.rsjs_served import nodes_with_a_job
from rsjs.formulations.rsjs.gpu_nodes import GpuNodes
from rsjs.instances.costs import tables
from rsjs.instances.instance import Instance


@dataclass(frozen=True, eq=False)
class GpuModel:
    """
    The model's data; column order: x (node, config), z, u, gamma, r.

    Attributes
    ----------
    node, config : (X,) int, of each x: an option
    required : int or None
        Nodes with a job; None = any number.
    """

    nodes: GpuNodes
    node: Index
    config: Index
    required: int | None

    @staticmethod
    def of(instance: Instance) -> GpuModel:
        """The model of an instance; ValueError in one line if it is not served."""
        nodes = GpuNodes.of("rsjs_gpu", instance)
        q = nodes.configurations
        fits = (nodes.gpu_type[:, None] == q.gpu_type) & (q.gpus <= nodes.size[:, None])
        node, config = np.nonzero(fits)
        return GpuModel(nodes, node, config, nodes_with_a_job(instance))

    @property
    def instance(self) -> Instance:
        """The instance."""
        return self.nodes.instance

    @cached_property
    def job(self) -> Index:
        """(X,) job of each option."""
        return self.nodes.configurations.job[self.config]

    @cached_property
    def width(self) -> Index:
        """(X,) GPUs that an option runs on, max(k_q, 1)."""
        return np.maximum(self.nodes.configurations.gpus[self.config], 1)

    @cached_property
    def taken(self) -> Index:
        """(X,) units that an option takes from each of its GPUs."""
        shared = self.nodes.configurations.units[self.config]
        return np.where(shared > 0, shared, self.nodes.units[self.node])

    @cached_property
    def uses(self) -> list[tuple[int, int]]:
        """(option, GPU) of z."""
        return [(i, g) for i, n in enumerate(self.node.tolist()) for g in self.nodes.gpus_of(n)]

    @cached_property
    def leads(self) -> list[tuple[int, int]]:
        """(option, k) of r."""
        pairs = zip(self.width.tolist(), self.nodes.size[self.node].tolist(), strict=True)
        return [(i, k) for i, (least, most) in enumerate(pairs) for k in range(least, most + 1)]

    @cached_property
    def cost(self) -> Array:
        """Cost of every column [$]."""
        q, option = self.nodes.configurations, self.config
        run = q.tardiness[option] - tables(self.instance).postponement[q.job[option]]
        i, k = np.array(self.leads).T
        price = self.instance.cluster.cost_of_type[self.nodes.node_type[self.node[i]], k]
        free = np.zeros(len(self.uses) + len(self.nodes.gpu_node) + len(self.nodes.states))
        return np.concatenate([run, free, price * q.hours[option[i]]])

    @property
    def offset(self) -> float:
        """sum_j P_j."""
        return float(tables(self.instance).postponement.sum())

    @cached_property
    def option_of(self) -> dict[tuple[int, int], int]:
        """(node, configuration) -> option."""
        pairs = zip(self.node.tolist(), self.config.tolist(), strict=True)
        return {pair: i for i, pair in enumerate(pairs)}

    @cached_property
    def positions(self) -> dict[tuple[str, Any], int]:
        """(variable, index) -> column."""
        parts = {
            "x": range(len(self.node)),
            "z": self.uses,
            "u": range(len(self.nodes.gpu_node)),
            "gamma": self.nodes.states,
            "r": self.leads,
        }
        keys = [(name, index) for name, indices in parts.items() for index in indices]
        return {key: column for column, key in enumerate(keys)}
