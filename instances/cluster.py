"""GPU types, node types and the nodes of a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from rsjs.core.types import Bools, Floats, Ints, ReadOnly


@dataclass(frozen=True, kw_only=True)
class ShareLevel:
    """A share of one GPU: `units` of the GPU's units, for jobs of at most `max_memory_gb`."""

    units: int
    max_memory_gb: float


@dataclass(frozen=True, kw_only=True)
class GpuType:
    """A GPU model."""

    name: str
    memory_gb: float
    units: int = 1  #: equal parts a GPU divides into; 1 = not shared. Shares are sums of integers.
    levels: tuple[ShareLevel, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NodeType:
    """A VM type or a physical node."""

    name: str
    gpu_type: str
    #: $/h for 0, 1, ..., s_v GPUs in use; cost[0] = 0, non-decreasing. A VM's cost is flat.
    cost: tuple[float, ...]

    @property
    def gpus(self) -> int:
        """s_v, the number of GPUs."""
        return len(self.cost) - 1

    @property
    def flat(self) -> bool:
        """Whether the price does not depend on the number of GPUs in use."""
        return len(set(self.cost[1:])) == 1


@dataclass(frozen=True, kw_only=True)
class NodeGroup:
    """`count` nodes that may take any of `types`: one type = hardware, several = right-sizing."""

    count: int
    types: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Cluster(ReadOnly):
    """
    All nodes, numbered group by group; the arrays are indexed by positions in the tuples.

    T GPU types, V node types, N nodes, G = GPUs of the largest node type.
    """

    gpu_types: tuple[GpuType, ...]
    node_types: tuple[NodeType, ...]
    groups: tuple[NodeGroup, ...]

    def __hash__(self) -> int:
        return hash((self.nodes, len(self.node_types)))  # of all fields takes as long as a decision

    @staticmethod
    def of_fixed(
        gpu_types: Iterable[GpuType], node_types: Sequence[NodeType], counts: Sequence[int]
    ) -> Cluster:
        """Build a cluster of counts[v] nodes of each type; a type without nodes has no group."""
        return Cluster(
            gpu_types=tuple(gpu_types),
            node_types=tuple(node_types),
            groups=tuple(
                NodeGroup(count=count, types=(node_type.name,))
                for node_type, count in zip(node_types, counts, strict=True)
                if count
            ),
        )

    @cached_property
    def nodes(self) -> int:
        """N, the number of nodes."""
        return sum(group.count for group in self.groups)

    @cached_property
    def node_names(self) -> tuple[str, ...]:
        """(N,) names; nodes without one are n1, n2, ... by position."""
        names: list[str] = []
        for group in self.groups:
            numbered = [f"n{len(names) + i + 1}" for i in range(group.count)]
            names.extend(group.names or numbered)
        return tuple(names)

    @cached_property
    def largest(self) -> int:
        """G, the number of GPUs of the largest node type."""
        return max(node_type.gpus for node_type in self.node_types)

    @cached_property
    def gpu_of_type(self) -> Ints:
        """(V,) GPU type of each node type."""
        position = {gpu.name: i for i, gpu in enumerate(self.gpu_types)}
        return _frozen([position[node_type.gpu_type] for node_type in self.node_types])

    @cached_property
    def gpus_of_type(self) -> Ints:
        """(V,) s_v, the number of GPUs of each node type."""
        return _frozen([node_type.gpus for node_type in self.node_types])

    @cached_property
    def cost_of_type(self) -> Floats:
        """(V, G + 1) $/h by GPUs in use; inf beyond s_v."""
        cost = np.full((len(self.node_types), self.largest + 1), np.inf)
        for row, node_type in zip(cost, self.node_types, strict=True):
            row[: len(node_type.cost)] = node_type.cost
        cost.setflags(write=False)
        return cost

    @cached_property
    def allowed(self) -> Bools:
        """(N, V) whether a node may be configured as a type."""
        allowed: Bools = self.allowed_in_class[self.class_of_node]
        allowed.setflags(write=False)
        return allowed

    @cached_property
    def _classes(self) -> tuple[Bools, Ints]:
        position = {node_type.name: v for v, node_type in enumerate(self.node_types)}
        rows = np.zeros((len(self.groups), len(self.node_types)), dtype=bool)
        for row, group in zip(rows, self.groups, strict=True):
            row[[position[name] for name in group.types]] = True
        first: dict[bytes, tuple[int, Bools]] = {}
        of_group = [first.setdefault(row.tobytes(), (len(first), row))[0] for row in rows]
        distinct = np.array([row for _, row in first.values()])
        of_node = np.repeat(of_group, [group.count for group in self.groups])
        distinct.setflags(write=False)
        return distinct, _frozen(of_node)

    @cached_property
    def allowed_in_class(self) -> Bools:
        """(C, V) the distinct sets of allowed types: nodes of a class are interchangeable."""
        return self._classes[0]

    @cached_property
    def class_of_node(self) -> Ints:
        """(N,) class of each node."""
        return self._classes[1]

    @cached_property
    def class_sizes(self) -> Ints:
        """(C,) number of nodes in each class."""
        return _frozen(np.bincount(self.class_of_node, minlength=len(self.allowed_in_class)))

    @cached_property
    def largest_of_class(self) -> Ints:
        """(C,) the largest s_v of the types that nodes of a class may take."""
        return _frozen(np.where(self.allowed_in_class, self.gpus_of_type, 0).max(axis=1))

    @cached_property
    def largest_of_gpu(self) -> Ints:
        """(T,) GPUs of the largest type some node may take with this GPU; 0 = GPU not present."""
        present = self.allowed_in_class.any(axis=0)
        largest = np.zeros(len(self.gpu_types), dtype=np.int64)
        np.maximum.at(largest, self.gpu_of_type[present], self.gpus_of_type[present])
        return _frozen(largest)

    def taken(self, nodes: Ints) -> Cluster:
        """Return the cluster of these nodes, in this order, with their names, grouped anew."""
        types = [group.types for group in self.groups for _ in range(group.count)]
        groups = []
        for allowed, members in groupby(nodes.tolist(), key=lambda n: types[n]):
            names = tuple(self.node_names[n] for n in members)
            groups.append(NodeGroup(count=len(names), types=allowed, names=names))
        return replace(self, groups=tuple(groups))


def _frozen(values: Sequence[int] | Ints) -> Ints:
    array = np.asarray(values, dtype=np.int64)
    array.setflags(write=False)
    return array
