"""The data of the node-indexed RS-JS model, and the column order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.modes.modes import Index
from rsjs.formulations.modes.rsjs_served import nodes_with_a_job, serve
from rsjs.formulations.rsjs.leader_follower import Crews
from rsjs.instances.instance import Instance


@dataclass(frozen=True, eq=False)
class NodeModel:
    """
    The model's data; a place is a node as one of its types. Column order: f, l, y, nu.

    Attributes
    ----------
    node : (P,) int, of each place
    required : int or None
        Nodes with a job; None = any number.
    """

    instance: Instance
    crews: Crews
    node: Index
    required: int | None

    @staticmethod
    def of(instance: Instance) -> NodeModel:
        """The model of an instance; ValueError in one line if it is not served."""
        serve("rsjs_nodes", instance)
        node, node_type = np.nonzero(instance.cluster.allowed)
        crews = Crews.of(instance, node_type)
        return NodeModel(instance, crews, node, nodes_with_a_job(instance))

    @property
    def columns(self) -> int:
        """Number of columns."""
        return self.crews.columns + len(self.node)

    @cached_property
    def leads(self) -> NDArray[np.bool_]:
        """(F + L,) whether a column is a leader's."""
        return np.repeat([False, True], self.crews.sizes[:2])

    @cached_property
    def links(self) -> list[tuple[int, int]]:
        """(job, place) pairs with a column, in order."""
        job = self.crews.configurations.job[self.crews.member]
        pairs = np.unique(np.stack([job, self.crews.place], axis=1), axis=0)
        return [(j, p) for j, p in pairs.tolist()]

    @cached_property
    def place_of(self) -> dict[tuple[int, int], int]:
        """(node, node type) -> place."""
        pairs = zip(self.node.tolist(), self.crews.node_type.tolist(), strict=True)
        return {pair: p for p, pair in enumerate(pairs)}

    @cached_property
    def free_nodes(self) -> dict[int, list[int]]:
        """Nodes that may take several types, and their places."""
        places: dict[int, list[int]] = {}
        for p, n in enumerate(self.node.tolist()):
            places.setdefault(n, []).append(p)
        return {n: several for n, several in places.items() if len(several) > 1}
