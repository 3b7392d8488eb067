"""
Column types, the ways in which a job may take part in a node, whichever node of its class that is.

A node group is a node class together with a type its nodes may take. There a job follows, or leads:
it is charged for at most k GPUs of the node until it ends. Nodes of a class are alike: the models
of form E (rsjs.md 3) say which column type a job has, and not on which node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.first_ending.costs import limits
from rsjs.instances.cluster import Cluster
from rsjs.instances.costs import change_costs, cost_tables
from rsjs.instances.instance import Instance


@dataclass(frozen=True, eq=False)
class ColumnTypes:
    """Modes q, node groups p and column types l of a cluster: data independent of the jobs."""

    cluster: Cluster
    # mode_gpu, gpus, level, units: (Q,) GPU type; k_q dedicated GPUs, or 0 and a share level with
    # its units u_q (-1 and 0 if dedicated). Of each GPU type, shares come first, by units, then 1,
    # 2, ... GPUs
    mode_gpu: Ints
    gpus: Ints
    level: Ints
    units: Ints
    # node_class, node_type: (P,) of each node group
    node_class: Ints
    node_type: Ints
    # group, mode, paid: (L,) of each column type; paid = k, 0 for a follower
    group: Ints
    mode: Ints
    paid: Ints

    @property
    def least(self) -> Ints:
        """(Q,) GPUs of a node that a mode needs to itself or has a share of."""
        return np.maximum(self.gpus, 1)

    @property
    def rest(self) -> Ints:
        """(L,) paid GPUs that a leader leaves whole; 0 for a follower."""
        rest: Ints = np.maximum(self.paid - self.least[self.mode], 0)
        return rest

    @property
    def leads(self) -> Bools:
        """(L,) whether a column type is a leader's."""
        leads: Bools = self.paid > 0
        return leads

    def gpu_units(self, group: int) -> int:
        """Return the units of a GPU at a node group."""
        gpu = int(self.cluster.gpu_of_type[self.node_type[group]])
        return self.cluster.gpu_types[gpu].units

    def sizes(self, group: int) -> tuple[int, ...]:
        """Return units of the share levels at a node group, ascending."""
        here = self.mode_gpu == self.cluster.gpu_of_type[self.node_type[group]]
        return tuple(np.unique(self.units[here & (self.units > 0)]).tolist())


@lru_cache(maxsize=16)
def column_types_of(cluster: Cluster) -> ColumnTypes:
    """Return the column types of a cluster."""
    modes = [
        mode for i in np.flatnonzero(cluster.largest_of_gpu).tolist() for mode in _modes(cluster, i)
    ]
    mode_gpu, gpus, level, units = np.array(modes, dtype=np.int64).T
    node_class, node_type = np.nonzero(cluster.allowed_in_class)
    types = []
    for p, v in enumerate(node_type.tolist()):
        kind = cluster.node_types[v]
        for q in np.flatnonzero(mode_gpu == cluster.gpu_of_type[v]).tolist():
            least = max(gpus[q], 1)
            follower = [0] if gpus[q] < kind.gpus else []
            paid = follower + [k for k in limits(kind) if k >= least]
            types += [(p, q, k) for k in paid if least <= kind.gpus]
    group, mode, paid_gpus = np.array(types, dtype=np.int64).T
    return ColumnTypes(
        cluster,
        mode_gpu,
        gpus,
        level,
        units,
        node_class,
        node_type,
        group,
        mode,
        paid_gpus,
    )


def _modes(cluster: Cluster, i: int) -> list[tuple[int, int, int, int]]:
    levels = cluster.gpu_types[i].levels
    by_units = sorted(range(len(levels)), key=lambda a: levels[a].units)
    shares = [(i, 0, a, levels[a].units) for a in by_units]
    return shares + [(i, k, -1, 0) for k in range(1, int(cluster.largest_of_gpu[i]) + 1)]


@dataclass(frozen=True, eq=False)
class ModeCosts:
    """Times and costs of the jobs of an instance in the modes of its cluster."""

    # hours, tardiness: (Q, J) theta_qj and T_qj, with what it costs to start the job; 0 and inf
    # where not admissible or dominated by a smaller mode [h], [$]
    hours: Floats
    tardiness: Floats
    # (Q, J) the mode that stands for a mode because it dominates it, or itself; -1 = none
    stands: Ints
    postponement: Floats  # (J,) P_j [$]

    @staticmethod
    def of(instance: Instance, types: ColumnTypes) -> ModeCosts:
        """Return the modes of the jobs of an instance."""
        table = cost_tables(instance)
        hours = _by_mode(types, table.hours, table.shared_hours)
        tardiness = _by_mode(types, table.tardiness, table.shared_tardiness)
        tardiness += change_costs(instance).least  # moving a job costs nothing
        number = np.arange(len(types.gpus))[:, None]
        stands = np.empty(hours.shape, dtype=np.int64)
        for i in np.unique(types.mode_gpu).tolist():
            own = types.mode_gpu == i
            # a mode is dominated by a smaller one that is no slower
            least = np.minimum.accumulate(hours[own], axis=0)
            best = np.isfinite(least)
            best[1:] &= least[1:] < least[:-1]
            stands[own] = np.maximum.accumulate(np.where(best, number[own], -1), axis=0)
        kept = stands == number
        return ModeCosts(
            np.where(kept, hours, 0.0),
            np.where(kept, tardiness, np.inf),
            stands,
            table.postponement,
        )

    def costs(self, types: ColumnTypes) -> Floats:
        """
        Return (L, J) what a column type costs a job: T_q, and c_vk theta_q for a leader [$].

        inf where not admissible, and for followers that cost no less than being postponed.
        """
        price = types.cluster.cost_of_type[types.node_type[types.group], types.paid]
        cost: Floats = self.tardiness[types.mode] + price[:, None] * self.hours[types.mode]
        follows = ~types.leads
        cost[follows] = np.where(cost[follows] < self.postponement, cost[follows], np.inf)
        return cost


def _by_mode(types: ColumnTypes, dedicated: Floats, shared: Floats) -> Floats:
    """Return (Q, J) from (J, T, G + 1) and (J, T, L)."""
    values = dedicated[:, types.mode_gpu, types.gpus]
    share = np.flatnonzero(types.level >= 0)
    values[:, share] = shared[:, types.mode_gpu[share], types.level[share]]
    return np.ascontiguousarray(values.T)
