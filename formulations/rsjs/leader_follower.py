"""
Crews: jobs that share a node, one of them, its leader, charged for the node until it ends.

Most of the model `rsjs_nodes`: places where a crew may work, the columns f (followers), l
(leaders), y (GPUs filled with shares), in this order, and their costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.first_ending.costs import limits
from rsjs.formulations.modes.gpu_sharing import Shares
from rsjs.formulations.modes.modes import Configurations
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance


@dataclass(frozen=True, eq=False)
class Crews:
    """
    Places and the columns of the crews.

    Attributes
    ----------
    node_type : (P,) int, of each place
    follower_place, follower : (F,) int, place and configuration
    leader_place, leader, paid : (L,) int, place, configuration, and GPUs in use at most
    fill_place, fill : (Y,) int, place and pattern
    """

    instance: Instance
    configurations: Configurations
    shares: Shares
    node_type: Ints
    follower_place: Ints
    follower: Ints
    leader_place: Ints
    leader: Ints
    paid: Ints
    fill_place: Ints
    fill: Ints

    @staticmethod
    def of(instance: Instance, node_type: Ints) -> Crews:
        """Crews at places of these node types."""
        cluster = instance.cluster
        q = Configurations.of(instance, pareto=True)
        shares = Shares.of(cluster, q)
        gpu, size = cluster.gpu_of_type[node_type], cluster.gpus_of_type[node_type]
        place, config = np.nonzero(
            (gpu[:, None] == q.gpu_type) & (np.maximum(q.gpus, 1) <= size[:, None])
        )
        follower = np.flatnonzero(q.gpus[config] < size[place])
        steps = np.zeros((len(cluster.node_types), cluster.largest + 1), dtype=bool)
        for v, kind in enumerate(cluster.node_types):
            steps[v, limits(kind)] = True
        leader, paid = np.nonzero(
            steps[node_type[place]]
            & (np.arange(cluster.largest + 1) >= np.maximum(q.gpus[config, None], 1))
        )
        here = np.concatenate([place[follower], place[leader]])
        shared = q.units[np.concatenate([config[follower], config[leader]])] > 0
        patterns = np.zeros(len(node_type), dtype=np.int64)
        with_shares = np.unique(here[shared])
        patterns[with_shares] = shares.patterns[gpu[with_shares]]
        fill_place = np.repeat(np.arange(len(node_type)), patterns)
        fill = np.arange(len(fill_place)) - np.repeat(np.cumsum(patterns) - patterns, patterns)
        return Crews(
            instance,
            q,
            shares,
            node_type,
            place[follower],
            config[follower],
            place[leader],
            config[leader],
            paid,
            fill_place,
            fill,
        )

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of columns f, l, y."""
        return len(self.follower), len(self.leader), len(self.fill)

    @property
    def columns(self) -> int:
        """Number of columns."""
        return sum(self.sizes)

    @cached_property
    def gpu_type(self) -> Ints:
        """(P,)."""
        return self.instance.cluster.gpu_of_type[self.node_type]

    @cached_property
    def capacity(self) -> Ints:
        """(P,) s_v."""
        return self.instance.cluster.gpus_of_type[self.node_type]

    @cached_property
    def place(self) -> Ints:
        """(F + L,) of followers and leaders."""
        return np.concatenate([self.follower_place, self.leader_place])

    @cached_property
    def member(self) -> Ints:
        """(F + L,) configuration of followers and leaders."""
        return np.concatenate([self.follower, self.leader])

    @cached_property
    def gpus(self) -> Ints:
        """(F + L,) k_q of a follower, k_q - k of a leader: what it takes from the GPUs at hand."""
        paid = np.concatenate([np.zeros_like(self.follower), self.paid])
        taken: Ints = self.configurations.gpus[self.member] - paid
        return taken

    @cached_property
    def divided(self) -> Ints:
        """Places whose GPUs somebody takes beside the leader, in order: those with a row."""
        return np.unique(np.concatenate([self.place[self.gpus != 0], self.fill_place]))

    @cached_property
    def share_rows(self) -> list[tuple[int, int]]:
        """(place, r) of the rows on shares."""
        used = np.unique(self.fill_place).tolist()
        return [(p, r) for p in used for r in range(int(self.shares.rows[self.gpu_type[p]]))]

    @cached_property
    def cost(self) -> Floats:
        """T_q - P_j, and c_vk theta_q for a leader; 0 for y [$]."""
        q = self.configurations
        run = q.tardiness - cost_tables(self.instance).postponement[q.job]
        price = self.instance.cluster.cost_of_type[self.node_type[self.leader_place], self.paid]
        lead = run[self.leader] + price * q.hours[self.leader]
        return np.concatenate([run[self.follower], lead, np.zeros(len(self.fill))])

    @cached_property
    def upper(self) -> Floats:
        """Upper bounds of the columns."""
        filled = self.capacity[self.fill_place].astype(float)
        return np.concatenate([np.ones(len(self.member)), filled])

    @property
    def offset(self) -> float:
        """sum_j P_j."""
        return float(cost_tables(self.instance).postponement.sum())

    @cached_property
    def _columns(self) -> dict[tuple[int, ...], int]:
        """(place, q) of followers, (place, q, k) of leaders -> column."""
        pairs = zip(self.follower_place.tolist(), self.follower.tolist(), strict=True)
        triples = zip(
            self.leader_place.tolist(), self.leader.tolist(), self.paid.tolist(), strict=True
        )
        return {key: column for column, key in enumerate([*pairs, *triples])}

    @cached_property
    def _first_fill(self) -> dict[int, int]:
        """Place -> column of its first pattern."""
        first = len(self.member)
        return {p: first + i for i, p in reversed([*enumerate(self.fill_place.tolist())])}

    def put(self, x: Floats, place: int, members: list[int]) -> None:
        """Let a crew of these configurations work at a place."""
        q, leader = self.configurations, self.configurations.first_to_end(members)
        units = [int(u) for u in q.units[members] if u]
        used = int(q.gpus[members].sum())
        if units:
            filled = self.shares.filled(int(self.gpu_type[place]), units)
            used += len(filled)
            np.add.at(x, self._first_fill[place] + np.array(filled), 1.0)
        node_type = self.instance.cluster.node_types[self.node_type[place]]
        paid = next(k for k in limits(node_type) if k >= used)
        x[self._columns[place, leader, paid]] = 1.0
        x[[self._columns[place, member] for member in members if member != leader]] = 1.0
