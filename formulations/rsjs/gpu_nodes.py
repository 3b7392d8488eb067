"""Nodes of one type each, their GPUs by number, and who takes which: models that name GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rsjs.formulations.modes.gpu_sharing import Shares
from rsjs.formulations.modes.modes import Configurations, Index
from rsjs.formulations.modes.rsjs_served import serve
from rsjs.instances.instance import Instance


@dataclass(frozen=True, eq=False)
class GpuNodes:
    """
    Nodes and their GPUs.

    Attributes
    ----------
    configurations : Configurations, all that are admissible
    node_type, gpu_type : (N,) int
    """

    instance: Instance
    configurations: Configurations
    node_type: Index
    gpu_type: Index

    @staticmethod
    def of(name: str, instance: Instance) -> GpuNodes:
        """The nodes of an instance; ValueError in one line if the model does not serve it."""
        serve(name, instance, one_type=True)
        node_type = instance.cluster.allowed.argmax(axis=1)
        configurations = Configurations.of(instance, pareto=False)
        return GpuNodes(
            instance, configurations, node_type, instance.cluster.gpu_of_type[node_type]
        )

    @cached_property
    def size(self) -> Index:
        """(N,) K_n."""
        return self.instance.cluster.gpus_of_type[self.node_type]

    @cached_property
    def gpu_node(self) -> Index:
        """(G,) node of each GPU."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @cached_property
    def units(self) -> Index:
        """(N,) U of each GPU of a node."""
        units = np.array([gpu.units for gpu in self.instance.cluster.gpu_types])
        return units[self.gpu_type]

    @cached_property
    def states(self) -> list[tuple[int, int]]:
        """(n, k) of gamma."""
        return [(n, k) for n, size in enumerate(self.size.tolist()) for k in range(1, size + 1)]

    def gpus_of(self, n: int) -> range:
        """GPUs of a node."""
        first, last = np.searchsorted(self.gpu_node, [n, n + 1]).tolist()
        return range(first, last)

    def taken(self, n: int, members: list[int]) -> Iterator[tuple[int, range]]:
        """The GPUs of each configuration on a node: shares on the first ones, fewest in all."""
        q, first = self.configurations, self.gpus_of(n).start
        shared = [member for member in members if q.units[member]]
        if shared:
            shares = Shares.of(self.instance.cluster, q)
            on = shares.packed(int(self.gpu_type[n]), q.units[shared].tolist())
            for member, g in zip(shared, on, strict=True):
                yield member, range(first + g, first + g + 1)
            first += 1 + max(on)
        for member in members:
            if gpus := int(q.gpus[member]):
                yield member, range(first, first + gpus)
                first += gpus
