"""The data of the leader pattern model: slots, options and cuts, and the column order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.first_ending.costs import empty_types, gains, leader_gains, limits
from rsjs.formulations.modes.patterns import partitions
from rsjs.instances.costs import tables
from rsjs.instances.instance import Instance

Array = NDArray[np.float64]
Index = NDArray[np.int64]


class Slot(NamedTuple):
    """Room for one job: a leader on a node charged for `limit` GPUs; limit 0 = a follower."""

    node_type: int
    limit: int
    gpus: int


class Cut(NamedTuple):
    """
    A node's type, the GPUs it is charged for, and its slots.

    `leader` and `followers`, decreasing, add up to `limit`; all are empty on a node without jobs.
    """

    node_class: int
    node_type: int
    limit: int
    leader: int
    followers: tuple[int, ...]

    @property
    def slots(self) -> list[Slot]:
        """The leader's slot, then the followers'."""
        if not self.limit:
            return []
        leader = Slot(self.node_type, self.limit, self.leader)
        return [leader, *(Slot(self.node_type, 0, g) for g in self.followers)]


@dataclass(frozen=True, eq=False)
class LeaderModel:
    """
    The model's data; column order is the leader options, the follower options, the cuts.

    Attributes
    ----------
    job, slot : (n,) int, the options: a job in a slot of `slots`; leaders first
    gain : (n,) float, what an option changes against postponing the job [$]
    slots : list of Slot, leaders' first; those that some option uses
    cuts : list of Cut
    """

    instance: Instance
    job: Index
    slot: Index
    gain: Array
    slots: list[Slot]
    cuts: list[Cut]

    @staticmethod
    def of(instance: Instance) -> LeaderModel:
        """Slots, options and cuts of an instance."""
        slots: list[Slot] = []
        jobs: list[Index] = []
        gain: list[Array] = []
        for slot, kept, values in (*_leaders(instance), *_followers(instance)):
            if kept.any():
                slots.append(slot)
                jobs.append(np.flatnonzero(kept))
                gain.append(values[kept])
        return LeaderModel(
            instance,
            job=np.concatenate(jobs),
            slot=np.repeat(np.arange(len(slots)), [len(part) for part in jobs]),
            gain=np.concatenate(gain),
            slots=slots,
            cuts=list(_cuts(instance, {slot for slot in slots if slot.limit})),
        )

    @cached_property
    def leader_slots(self) -> int:
        """How many of `slots` are leaders'."""
        return sum(slot.limit > 0 for slot in self.slots)

    @cached_property
    def leader_options(self) -> int:
        """How many of the options are leaders."""
        return int(np.count_nonzero(self.slot < self.leader_slots))

    @property
    def offset(self) -> float:
        """sum_j P_j."""
        return float(tables(self.instance).postponement.sum())

    @cached_property
    def classes(self) -> list[int]:
        """The node classes that need a row: those with cuts, where there are several classes."""
        several = len(self.instance.cluster.class_sizes) > 1
        return sorted({cut.node_class for cut in self.cuts}) if several else []

    @cached_property
    def supply(self) -> list[tuple[int, int, int]]:
        """(slot, cut, how many of the slot the cut has)."""
        position = {slot: s for s, slot in enumerate(self.slots)}
        return [
            (position[slot], c, count)
            for c, cut in enumerate(self.cuts)
            for slot, count in Counter(cut.slots).items()
            if slot in position
        ]

    @cached_property
    def idle_cost(self) -> Array:
        """(cuts,) mu s_v [$]."""
        mu, types = self.instance.objective.mu, self.instance.cluster.node_types
        return np.array([mu * types[cut.node_type].gpus for cut in self.cuts])


Candidates = Iterator[tuple[Slot, NDArray[np.bool_], Array]]  # slot, jobs kept, their gains


def _leaders(instance: Instance) -> Candidates:
    for v in _offered(instance):
        for q in limits(instance.cluster.node_types[v]):
            gain = leader_gains(instance, v, q)
            for g in range(1, q + 1):
                yield Slot(v, q, g), _beats_smaller(gain, g), gain[:, g]


def _followers(instance: Instance) -> Candidates:
    for v in _offered(instance):
        gain = gains(instance, v)
        for g in range(1, gain.shape[1] - 1):  # one GPU is the leader's
            yield Slot(v, 0, g), _beats_smaller(gain, g) & (gain[:, g] < 0), gain[:, g]


def _offered(instance: Instance) -> list[int]:
    offered: list[int] = np.flatnonzero(instance.cluster.allowed_in_class.any(axis=0)).tolist()
    return offered


def _beats_smaller(gain: Array, g: int) -> NDArray[np.bool_]:
    beats: NDArray[np.bool_] = gain[:, g] < gain[:, :g].min(axis=1)
    return beats


def _cuts(instance: Instance, leaders: set[Slot]) -> Iterator[Cut]:
    """Every partition of every limit with each of its parts as the leader's."""
    cluster = instance.cluster
    for k, allowed in enumerate(cluster.allowed_in_class):
        for v in np.flatnonzero(allowed).tolist():
            for q in limits(cluster.node_types[v]):
                for parts in partitions(q):
                    for at, g in enumerate(parts):
                        if g not in parts[:at] and Slot(v, q, g) in leaders:
                            yield Cut(k, v, q, g, parts[:at] + parts[at + 1 :])
    for k, v in enumerate(empty_types(instance)):
        yield Cut(k, v, 0, 0, ())
