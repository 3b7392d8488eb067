"""
Jahani's arc-flow model with a row for each kind of mode: what its Lagrangian dual is made of.

A mode (gpu type, $/h per GPU, g GPUs) costs a job the same on every node type that offers it, so
one row serves all of them; x_js is the job in the mode, S is the number of modes. With C_js, P_j,
L_kv and y_vug as in `patterns`, and s_vg the mode of g GPUs on type v,

    min  sum_j P_j + sum_js (C_js - P_j) x_js + sum_kv mu s_v L_kv
    (cover)   sum_s x_js <= 1                                   for all j
    (slots)   sum_j x_js <= sum of the y_vug with s_vg = s      for all s
    (source), (flow)                                            as in `patterns`
    (nodes)   sum_kv L_kv = min(J, N), or <= N                  open_nodes jahani_eq, free
    (class)   sum_v L_kv <= N_k                                 for all k

Columns that cannot be in an optimum cost inf: C_js >= P_j, and those no better than a smaller
mode of the same GPUs (a larger mode can be split).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.jahani.patterns import execution_costs, mode_arcs
from rsjs.formulations.modes.arc_flow import Arc, path
from rsjs.instances.cluster import Cluster
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import selected_nodes

Entries = tuple[Ints, Ints, Floats]  # rows, columns and values


@dataclass(frozen=True, eq=False)
class NodeCuts:
    """The columns that offer modes: nodes (k, v), then arcs; and the rows that tie them."""

    cost: Floats  # (Y,) mu s_v of a node [$], 0 of an arc
    of_class: Ints  # (n,) node class of each column of nodes
    of_type: Ints  # (n,) node type
    offers: Entries  # modes, columns, how many of the mode a unit of the column offers
    balance: Entries  # rows of (source) and (flow), all <= 0
    arcs: Sequence[Arc] = ()
    mode: Ints = field(default_factory=lambda: np.empty((0, 0), np.int64))  # (V, G + 1), see below
    sizes: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # (V,) s_v

    @property
    def rows(self) -> int:
        """Number of rows of `balance`."""
        return int(self.balance[0].max(initial=-1)) + 1

    @staticmethod
    def of(cluster: Cluster, mode: Ints, mu: float) -> NodeCuts:
        """Return nodes and arcs of a cluster; `mode` (V, G + 1) is -1 where there is none."""
        sizes = cluster.gpus_of_type
        of_class, of_type = np.argwhere(cluster.allowed_in_class).T
        types = sorted(set(of_type.tolist()))
        arcs = mode_arcs(sizes, [(v, g) for v in types for g in range(1, int(sizes[v]) + 1)])
        n = len(of_type)
        # rows: the source of each type at position 0, then its inner positions
        row = {(v, u): r for r, (v, u) in enumerate((v, u) for v in types for u in range(sizes[v]))}
        entries = [(row[v, 0], column, -1.0) for column, v in enumerate(of_type.tolist())]
        for column, arc in enumerate(arcs, n):
            entries.append((row[arc.node_type, arc.tail], column, 1.0))
            if arc.head < sizes[arc.node_type]:
                entries.append((row[arc.node_type, arc.head], column, -1.0))
        rows, columns, values = (np.array(part) for part in zip(*entries, strict=True))
        modes = np.array([mode[arc.node_type, arc.gpus] for arc in arcs], dtype=np.int64)
        return NodeCuts(
            cost=np.concatenate([mu * sizes[of_type], np.zeros(len(arcs))]),
            of_class=of_class,
            of_type=of_type,
            offers=(modes, n + np.arange(len(arcs)), np.ones(len(arcs))),
            balance=(rows, columns, values),
            arcs=arcs,
            mode=mode,
            sizes=sizes,
        )

    @staticmethod
    def fixed(offered: Floats, cost: float) -> NodeCuts:
        """Return one column, taken once, that offers so many (S,) of the modes."""
        none = np.empty(0, dtype=np.int64)
        modes = np.flatnonzero(offered)
        return NodeCuts(
            cost=np.array([cost]),
            of_class=np.zeros(1, dtype=np.int64),
            of_type=np.zeros(1, dtype=np.int64),
            offers=(modes, np.zeros(len(modes), dtype=np.int64), offered[modes]),
            balance=(none, none, np.empty(0)),
        )

    @cached_property
    def column_of(self) -> dict[Arc | tuple[int, int], int]:
        """Column of nodes (k, v), and of an arc."""
        nodes = zip(self.of_class.tolist(), self.of_type.tolist(), strict=True)
        return {key: column for column, key in enumerate([*nodes, *self.arcs])}

    def path(self, v: int, gpus: Iterable[int]) -> list[int]:
        """Return the columns of the arcs that cut a node of type v into these slots."""
        return [self.column_of[arc] for arc in path(v, gpus)]

    def offered(self, flow: Floats | Ints, modes: int) -> Floats:
        """Return (modes,) how many of each mode columns (Y,) offer."""
        mode, column, amount = self.offers
        total = np.zeros(modes)
        np.add.at(total, mode, amount * flow[column])
        return total

    def most_valuable(self, multipliers: Floats) -> dict[int, tuple[float, tuple[int, ...]]]:
        """Return, by node type, the max value of the arcs of a node, and their GPUs."""
        if not self.arcs:
            modes, _, amount = self.offers
            return {0: (float(amount @ multipliers[modes]), ())}
        return {v: _best_slots(self.values(v, multipliers)) for v in set(self.of_type.tolist())}

    def values(self, v: int, multipliers: Floats) -> Floats:
        """Return (s_v + 1,) what a slot of g GPUs of a node type is worth."""
        modes = self.mode[v, 1:][self.mode[v, 1:] >= 0]
        return np.concatenate([[0.0], multipliers[modes]])

    def reduced_costs(self, multipliers: Floats) -> Floats:
        """
        Return (Y,) by how much the cheapest use of each column exceeds the cheapest node.

        Of nodes (k, v), compared with the best type of the class; of an arc, by the best path
        through it, on a node of the class in which its type costs least: every solution that uses
        a column costs at least D(pi) and this.
        """
        excess, n = np.empty(len(self.cost)), len(self.of_class)
        through = {
            v: _values_through(self.values(v, multipliers)) for v in set(self.of_type.tolist())
        }
        worth = {v: float(value.max()) for v, value in through.items()}
        price = self.cost[:n] - [worth[v] for v in self.of_type.tolist()]
        best = np.full(int(self.of_class.max()) + 1, np.inf)
        np.minimum.at(best, self.of_class, price)
        excess[:n] = price - best[self.of_class]
        least = np.full(len(self.mode), np.inf)
        np.minimum.at(least, self.of_type, excess[:n])
        v, tail, gpus = np.array([(arc.node_type, arc.tail, arc.gpus) for arc in self.arcs]).T
        excess[n:] = [
            least[u] + worth[u] - through[u][t, g]
            for u, t, g in zip(v.tolist(), tail.tolist(), gpus.tolist(), strict=True)
        ]
        return excess


def _best_slots(value: Floats) -> tuple[float, tuple[int, ...]]:
    """Solve the unbounded knapsack of a node's GPUs: the most that slots are worth, and which."""
    size = len(value) - 1
    worth, last = np.zeros(size + 1), np.zeros(size + 1, dtype=np.int64)
    for room in range(1, size + 1):
        # a slot of 1, 2, ... GPUs, and the rest
        with_slot = value[1 : room + 1] + worth[room - 1 :: -1]
        last[room] = int(with_slot.argmax()) + 1
        worth[room] = with_slot[last[room] - 1]
    slots, room = [], size
    while room and worth[room] > 0.0:
        slots.append(int(last[room]))
        room -= slots[-1]
    return float(worth[size]), tuple(slots)


def _values_through(value: Floats) -> Floats:
    """Return (s_v + 1, s_v + 1) most that decreasing slots with one of g after u are worth."""
    size = len(value) - 1
    before = np.full((size + 1, size + 2), -np.inf)  # fills u GPUs with slots of g and more
    after = np.zeros((size + 1, size + 1))  # fits into r GPUs, with slots of g and less
    before[0] = 0.0
    for u in range(1, size + 1):
        g = np.arange(1, u + 1)
        before[u, g] = np.maximum.accumulate((before[u - g, g] + value[g])[::-1])[::-1]
        after[u, g] = np.maximum.accumulate(after[u - g, g] + value[g])
        after[u, u:] = after[u, u]
    through = np.full((size + 1, size + 1), -np.inf)
    for u in range(size):
        g = np.arange(1, size - u + 1)
        through[u, g] = before[u, g] + value[g] + after[size - u - g, g]
    return through


@dataclass(frozen=True, eq=False)
class ModeModel:
    """Jobs that want modes, nodes and arcs that offer them."""

    gain: Floats  # (S, J) C_js - P_j < 0 [$]; inf where left out
    postponement: Floats  # (J,) P_j [$]
    cuts: NodeCuts
    sizes: Floats  # (K,) nodes of each class
    nodes: float  # nodes to select, or that may be selected
    exactly: bool  # whether so many must be selected

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return len(self.postponement)

    def cheapest_nodes(
        self, worth: Mapping[int, tuple[float, tuple[int, ...]]]
    ) -> list[tuple[int, int, tuple[int, ...], float, float]]:
        """
        Return the minimum over L and y of sum mu s_v L_kv - sum pi_s y_vug.

        Parameters
        ----------
        worth : mapping
            `NodeCuts.most_valuable` of the multipliers.

        Returns
        -------
        list of (class, column, GPUs of its slots, price, nodes)
            The cheapest class first; those that save nothing only where nodes must be selected.
        """
        cuts = self.cuts
        price = cuts.cost[: len(cuts.of_type)] - [worth[v][0] for v in cuts.of_type.tolist()]
        best = []
        for k in range(len(self.sizes)):
            of_class = np.flatnonzero(cuts.of_class == k)
            c = int(of_class[price[of_class].argmin()])
            best.append((float(price[c]), k, c))
        found, left = [], self.nodes
        for least, k, c in sorted(best):
            number = min(left, float(self.sizes[k]))
            if number <= 0.0 or (least >= 0.0 and not self.exactly):
                break
            found.append((k, c, worth[int(cuts.of_type[c])][1], least, number))
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

    def with_flow(self, flow: Floats | Ints) -> ModeModel:
        """Return the jobs' problem for fixed L and y (Y,): one column, taken once."""
        offered = self.cuts.offered(flow, len(self.gain))
        return replace(
            self,
            cuts=NodeCuts.fixed(offered, float(self.cuts.cost @ flow)),
            sizes=np.ones(1),
            nodes=1.0,
            exactly=True,
        )


@dataclass(frozen=True, eq=False)
class InstanceModes:
    """An instance's modes beside their model."""

    instance: Instance
    mode: Ints  # (V, G + 1) mode of g GPUs on a node type; -1 where there is none
    gpus: Ints  # (S,) g of each mode
    model: ModeModel

    @staticmethod
    def of(instance: Instance) -> InstanceModes:
        """Return modes, arcs and costs of an instance."""
        cluster, objective = instance.cluster, instance.objective
        mode, members = _modes(cluster)
        least, most = selected_nodes(instance)
        model = ModeModel(
            gain=_gain(instance, members),
            postponement=cost_tables(instance).postponement,
            cuts=NodeCuts.of(cluster, mode, objective.mu),
            sizes=cluster.class_sizes.astype(float),
            nodes=most,
            exactly=least == most,
        )
        return InstanceModes(instance, mode, np.array([g for _, g in members]), model)


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
