"""The data of the leader-indexed RS-JS model, and the column order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rsjs.formulations.configurations import Index
from rsjs.formulations.crews import Crews
from rsjs.formulations.rsjs_served import nodes_with_a_job, serve
from rsjs.instances.schema import Instance

MOST_NODES = 4


@dataclass(frozen=True, eq=False)
class LeaderModel:
    """
    The model's data; a place is the node of a class and type that a job leads. Columns: f, l, y.

    Attributes
    ----------
    node_class, led_by : (P,) int, class and leading job of each place
    required : int or None
        Nodes with a job; None = any number.
    """

    instance: Instance
    crews: Crews
    node_class: Index
    led_by: Index
    required: int | None

    @staticmethod
    def of(instance: Instance) -> LeaderModel:
        """The model of an instance; ValueError in one line if it is not served."""
        serve("rsjs_leaders", instance, most_nodes=MOST_NODES)
        jobs = len(instance.jobs)
        node_class, node_type = np.nonzero(instance.cluster.allowed_in_class)
        led_by = np.tile(np.arange(jobs), len(node_class))
        node_class, node_type = np.repeat(node_class, jobs), np.repeat(node_type, jobs)
        crews = Crews.of(
            instance,
            node_type,
            lambda place, job: led_by[place] != job,
            lambda place, job: led_by[place] == job,
        )
        return LeaderModel(instance, crews, node_class, led_by, nodes_with_a_job(instance))

    @cached_property
    def follows(self) -> tuple[Index, Index]:
        """(follower, leader) positions of the same place where the leader ends no later."""
        crews, hours = self.crews, self.crews.configurations.hours
        followers, leaders = [], []
        start = np.searchsorted(crews.leader_place, np.arange(len(crews.node_type) + 1))
        for i, (p, q) in enumerate(zip(crews.follower_place, crews.follower, strict=True)):
            here = np.arange(start[p], start[p + 1])
            first = here[hours[crews.leader[here]] <= hours[q]]
            followers.append(np.full(len(first), i))
            leaders.append(first)
        return np.concatenate([[], *followers]).astype(int), np.concatenate([[], *leaders]).astype(
            int
        )

    @cached_property
    def place_of(self) -> dict[tuple[int, int, int], int]:
        """(class, node type, leading job) -> place."""
        parts = (self.node_class, self.crews.node_type, self.led_by)
        keys = zip(*(part.tolist() for part in parts), strict=True)
        return {key: p for p, key in enumerate(keys)}
