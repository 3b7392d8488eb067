"""
Rules of greedy and the randomized greedy, as data, and the tables that they make of a cluster.

Greedy replaces open nodes with idle GPUs by equivalent ones before jobs get GPUs that are still
idle (Kiros 2020, 3.1.3, post-processing phase). Equivalent is "the same type of VM but different
number of available GPUs": another node type with the same GPU that the node may take.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.placement import kinds_by_gpu_type
from rsjs.heuristics.greedy.arrays import NodeLevels, NodeTables, all_closed, node_tables
from rsjs.instances.cluster import Cluster


@dataclass(frozen=True, kw_only=True, eq=False)
class GreedyRule:
    """An interpretation of the published algorithm."""

    price: Callable[[Cluster], Floats]  # $/h of g GPUs of a GPU type
    strict: bool  # whether a job that ends at its due date is late
    equivalents: Callable[[Cluster], Ints]  # what a node with idle GPUs becomes
    each_node: bool  # whether idle GPUs go to one job of each node, else to one of the cluster


def cheaper_equivalents(cluster: Cluster) -> Ints:
    """Return (C, V, G + 1) the cheapest with the GPUs in use or one more, if it is cheaper."""
    cost, size = cluster.cost_of_type.tolist(), cluster.gpus_of_type.tolist()

    def choose(v: int, used: int, equivalent: list[int]) -> int:
        fitting = [w for w in equivalent if used <= size[w] <= used + 1]
        best = min(fitting, key=lambda w: (cost[w][used], size[w], w), default=v)
        return best if cost[best][used] < cost[v][used] else v

    return _equivalents(cluster, choose)


def smaller_equivalents(cluster: Cluster) -> Ints:
    """Return (C, V, G + 1) the smallest that holds the GPUs in use; ties: the cheapest."""
    cost, size = cluster.cost_of_type.tolist(), cluster.gpus_of_type.tolist()

    def choose(v: int, used: int, equivalent: list[int]) -> int:
        fitting = [w for w in equivalent if used <= size[w] < size[v]]
        return min(fitting, key=lambda w: (size[w], cost[w][used], w), default=v)

    return _equivalents(cluster, choose)


def _equivalents(cluster: Cluster, choose: Callable[[int, int, list[int]], int]) -> Ints:
    """Return (C, V, G + 1) what a node with some GPUs in use, but not all, becomes."""
    types, gpu = len(cluster.node_types), cluster.gpu_of_type
    table = np.empty((len(cluster.allowed_in_class), types, cluster.largest + 1), dtype=np.int64)
    table[:] = np.arange(types)[:, None]
    for c, allowed in enumerate(cluster.allowed_in_class):
        for v in np.flatnonzero(allowed).tolist():
            equivalent = np.flatnonzero(allowed & (gpu == gpu[v])).tolist()
            for used in range(1, cluster.node_types[v].gpus):
                table[c, v, used] = choose(v, used, equivalent)
    return table


GREEDY_RULES = {
    # the authors' program: a configuration costs as much as the cheapest whole VM with g GPUs
    "code": GreedyRule(
        price=candidates.full_price_by_gpu_type,
        strict=False,
        equivalents=cheaper_equivalents,
        each_node=False,
    ),
    # as published: g / s_v of the price of a VM with s_v GPUs, where that is cheapest
    "paper": GreedyRule(
        price=candidates.share_price_by_gpu_type,
        strict=True,
        equivalents=smaller_equivalents,
        each_node=True,
    ),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterTables:
    """
    Cluster data of a greedy rule, which do not depend on the jobs.

    Attributes
    ----------
    equivalents : what the rule's function says
    nodes : as plain arrays, with the prices and equivalents of the rule
    """

    equivalents: Ints
    nodes: NodeTables

    @cached_property
    def all_closed(self) -> NodeLevels:
        """Return the nodes by their capacity, none open."""
        return all_closed(self.nodes)


_TABLES: WeakKeyDictionary[Cluster, dict[GreedyRule, ClusterTables]] = WeakKeyDictionary()


def cluster_tables(cluster: Cluster, rule: GreedyRule) -> ClusterTables:
    """Return the tables of a cluster, made once for each rule."""
    by_rule = _TABLES.setdefault(cluster, {})
    known = by_rule.get(rule)
    if known is None:
        equivalents = rule.equivalents(cluster)
        known = by_rule[rule] = ClusterTables(
            equivalents=equivalents,
            nodes=node_tables(
                cluster, kinds_by_gpu_type(cluster), rule.price(cluster), equivalents
            ),
        )
    return known


@dataclass(frozen=True, kw_only=True)
class RandomizedRule:
    """An interpretation of the published algorithm."""

    greedy: GreedyRule  # of the first iteration
    swap_heavier: float  # chance that the next job passes one that is heavier
    swap_other: float  # and one that is not
    listed: int  # entries of the lists that candidates and nodes are drawn from


LISTED = 3
RANDOMIZED_RULES = {
    "code": RandomizedRule(
        greedy=GREEDY_RULES["code"],
        swap_heavier=0.55,
        swap_other=0.45,
        listed=1,
    ),
    "paper": RandomizedRule(
        greedy=GREEDY_RULES["paper"],
        swap_heavier=0.45,
        swap_other=0.55,
        listed=LISTED,
    ),
}
# on shared nodes: no equivalents, no GPUs given away (`randomized_shared`)
SHARED_RULE = RandomizedRule(
    greedy=GREEDY_RULES["code"], swap_heavier=0.45, swap_other=0.55, listed=LISTED
)
