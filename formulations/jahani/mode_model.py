"""
Jahani's pattern model with a row for each kind of mode: what its Lagrangian dual is made of.

A mode (gpu type, $/h per GPU, g GPUs) costs a job the same on every node type that offers it, so
one row serves all of them; x_js is the job in the mode, S is the number of modes. With C_js, P_j,
L_c and a_cs as in `patterns`, c = (k, v, p),

    min  sum_j P_j + sum_js (C_js - P_j) x_js + sum_c mu s_c L_c
    (cover)   sum_s x_js <= 1                        for all j
    (slots)   sum_j x_js <= sum_c a_cs L_c           for all s
    (nodes)   sum_c L_c = min(J, N), or <= N         open_nodes jahani_eq, free
    (class)   sum_{c of class k} L_c <= N_k          for all k

Columns that cannot be in an optimum cost inf: C_js >= P_j, and those no better than a smaller
mode of the same GPUs (a larger mode can be split).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.jahani.patterns import Pattern, execution_costs, node_patterns
from rsjs.instances.cluster import Cluster
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import selected_nodes


@dataclass(frozen=True, eq=False)
class ModeModel:
    """Jobs that want modes, patterns that offer them."""

    gain: Floats  # (S, J) C_js - P_j < 0 [$]; inf where left out
    postponement: Floats  # (J,) P_j [$]
    parts: Floats  # (C, S) a_cs, the modes a pattern offers
    idle: Floats  # (C,) mu s_c [$]
    of_class: Ints  # (C,) node class of each pattern
    sizes: Floats  # (K,) nodes of each class
    nodes: float  # nodes to select, or that may be selected
    exactly: bool  # whether so many must be selected

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return len(self.postponement)

    def cheapest_patterns(self, multipliers: Floats) -> list[tuple[int, int, float, float]]:
        """
        Return the minimum over L of sum_c (mu s_c - sum_s a_cs pi_s) L_c.

        Returns
        -------
        list of (class, pattern, price, nodes)
            The cheapest class first; those that save nothing only where nodes must be selected.
        """
        price = self.idle - self.parts @ multipliers
        best = []
        for k in range(len(self.sizes)):
            of_class = np.flatnonzero(self.of_class == k)
            c = int(of_class[price[of_class].argmin()])
            best.append((float(price[c]), k, c))
        found, left = [], self.nodes
        for least, k, c in sorted(best):
            number = min(left, float(self.sizes[k]))
            if number <= 0.0 or (least >= 0.0 and not self.exactly):
                break
            found.append((k, c, least, number))
            left -= number
        return found

    def sample(self, jobs: int) -> ModeModel:
        """Return every s-th job on 1/s of the nodes, `jobs` in all."""
        every = self.jobs / jobs
        kept = (np.arange(jobs) * every).astype(np.int64)
        return replace(
            self,
            gain=np.ascontiguousarray(self.gain[:, kept]),
            postponement=self.postponement[kept],
            sizes=self.sizes / every,
            nodes=self.nodes / every,
        )

    def with_patterns(self, counts: Floats) -> ModeModel:
        """Return the jobs' problem for fixed L: all nodes together are one pattern, taken once."""
        return replace(
            self,
            parts=(counts @ self.parts)[None],
            idle=np.atleast_1d(counts @ self.idle),
            of_class=np.zeros(1, dtype=np.int64),
            sizes=np.ones(1),
            nodes=1.0,
            exactly=True,
        )


@dataclass(frozen=True, eq=False)
class InstanceModes:
    """An instance's modes and patterns beside their model."""

    instance: Instance
    mode: Ints  # (V, G + 1) mode of g GPUs on a node type; -1 where there is none
    gpus: Ints  # (S,) g of each mode
    patterns: list[Pattern]
    model: ModeModel

    @staticmethod
    def of(instance: Instance) -> InstanceModes:
        """Return modes, patterns and costs of an instance."""
        cluster, objective = instance.cluster, instance.objective
        mode, members = _modes(cluster)
        patterns = node_patterns(cluster)
        offered = np.zeros((len(patterns), len(members)))
        for row, (_, v, parts) in zip(offered, patterns, strict=True):
            np.add.at(row, mode[v, list(parts)], 1.0)
        least, most = selected_nodes(instance)
        model = ModeModel(
            gain=_gain(instance, members),
            postponement=cost_tables(instance).postponement,
            parts=offered,
            idle=np.array([objective.mu * sum(parts) for _, _, parts in patterns]),
            of_class=np.array([k for k, _, _ in patterns]),
            sizes=cluster.class_sizes.astype(float),
            nodes=most,
            exactly=least == most,
        )
        return InstanceModes(instance, mode, np.array([g for _, g in members]), patterns, model)


def _modes(cluster: Cluster) -> tuple[Ints, list[tuple[int, int]]]:
    """Return (V, G + 1) modes, and a node type and g of each."""
    mode = np.full((len(cluster.node_types), cluster.largest + 1), -1)
    known: dict[tuple[int, float, int], int] = {}
    members: list[tuple[int, int]] = []
    for v in np.flatnonzero(cluster.allowed_in_class.any(axis=0)).tolist():
        gpu, size = int(cluster.gpu_of_type[v]), int(cluster.gpus_of_type[v])
        price = float(cluster.cost_of_type[v, 1]) / size
        for g in range(1, size + 1):
            mode[v, g] = known.setdefault((gpu, price, g), len(known))
            if mode[v, g] == len(members):
                members.append((v, g))
    return mode, members


def _gain(instance: Instance, members: list[tuple[int, int]]) -> Floats:
    """Return (S, J) C_js - P_j; inf where left out."""
    cost, postponement = execution_costs(instance), cost_tables(instance).postponement
    cluster = instance.cluster
    gain = np.empty((len(members), len(postponement)))
    best: dict[tuple[int, float], Floats] = {}
    for row, (v, g) in zip(gain, members, strict=True):
        price = float(cluster.cost_of_type[v, 1] / cluster.gpus_of_type[v])
        of_gpu = int(cluster.gpu_of_type[v]), price
        least = best.get(of_gpu, postponement)
        row[:] = np.where(cost[:, v, g] < least, cost[:, v, g] - postponement, np.inf)
        best[of_gpu] = np.minimum(least, cost[:, v, g])
    return gain
