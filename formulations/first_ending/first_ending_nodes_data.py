"""The data of the node-indexed first-ending model, and the column order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.first_ending.costs import empty_types, gains, limits
from rsjs.instances.costs import tables
from rsjs.instances.instance import Instance

Array = NDArray[np.float64]


class State(NamedTuple):
    """A node selected as a type and charged for `limit` GPUs; limit 0 = without a job."""

    node: int
    node_type: int
    limit: int


class Option(NamedTuple):
    """A job on `gpus` GPUs of a node configured as a type."""

    job: int
    node: int
    node_type: int
    gpus: int


@dataclass(frozen=True, eq=False)
class NodeModel:
    """The model's data; column order is the states (u), the options (x), the leaders (a)."""

    instance: Instance

    @cached_property
    def states(self) -> list[State]:
        """(n, v, q)."""
        return list(_states(self.instance))

    @cached_property
    def options(self) -> list[Option]:
        """(j, n, v, g)."""
        cluster, gain = self.instance.cluster, self.gain
        return [
            Option(j, n, v, g)
            for n, v in self.pairs
            for g in range(1, cluster.node_types[v].gpus + 1)
            for j in np.flatnonzero(np.isfinite(gain[v][:, g])).tolist()
        ]

    @cached_property
    def leaders(self) -> list[tuple[int, int]]:
        """(state, option): the option's job leads the node in that state."""
        position: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for s, (n, v, q) in enumerate(self.states):
            position.setdefault((n, v), []).append((s, q))
        return [
            (s, i)
            for i, (_, n, v, g) in enumerate(self.options)
            for s, q in position[n, v]
            if g <= q
        ]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """(n, v) that may have jobs."""
        return list(dict.fromkeys((n, v) for n, v, limit in self.states if limit))

    @cached_property
    def gain(self) -> dict[int, Array]:
        """Node type -> (J, s_v + 1) T_jvg - mu g - P_j [$]; inf where not admissible."""
        return {v: gains(self.instance, v) for _, v in self.pairs}

    @cached_property
    def cost(self) -> Array:
        """Cost of every column [$]."""
        cluster, hours = self.instance.cluster, tables(self.instance).hours
        mu = self.instance.objective.mu
        idle = [mu * cluster.node_types[v].gpus for _, v, _ in self.states]
        run = [self.gain[v][j, g] for j, _, v, g in self.options]
        lead = []
        for s, i in self.leaders:
            j, _, v, g = self.options[i]
            price = cluster.node_types[v].cost[self.states[s].limit]
            lead.append(price * hours[j, cluster.gpu_of_type[v], g])
        return np.array([*idle, *run, *lead])

    @property
    def offset(self) -> float:
        """sum_j P_j."""
        return float(tables(self.instance).postponement.sum())


def _states(instance: Instance) -> Iterator[State]:
    cluster, empty = instance.cluster, empty_types(instance)
    for n, k in enumerate(cluster.class_of_node.tolist()):
        for v in np.flatnonzero(cluster.allowed_in_class[k]).tolist():
            for q in limits(cluster.node_types[v]):
                yield State(n, v, q)
        if empty:
            yield State(n, empty[k], 0)
