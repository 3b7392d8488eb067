"""Rules of greedy, as data, and what they make of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.placement import Ints, Pool, pool_by_gpu_type
from rsjs.heuristics.greedy import postprocessing
from rsjs.heuristics.greedy.arrays import NodeTables, node_tables
from rsjs.heuristics.greedy.node_levels import Levels, all_closed
from rsjs.instances.cluster import Cluster

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """
    One reading of the algorithm.

    Attributes
    ----------
    price : prices of the configurations (v, g), v a GPU type
    strict : whether a job that ends at its due date is late
    equivalents : what a node with idle GPUs becomes
    each_node : whether one job of each node gets the GPUs that stay idle there, the one with the
        highest speed-up; else one job of the cluster, the one that saves most time
    """

    price: Callable[[Cluster], Array]
    strict: bool
    equivalents: Callable[[Cluster], Ints]
    each_node: bool


RULES = {
    # the authors' program: a configuration costs as much as the cheapest whole VM with g GPUs
    "code": Rule(
        price=candidates.full_price_by_gpu_type,
        strict=False,
        equivalents=postprocessing.cheaper_equivalents,
        each_node=False,
    ),
    # as published: g / s_v of the price of a VM with s_v GPUs, where that is cheapest
    "paper": Rule(
        price=candidates.share_price_by_gpu_type,
        strict=True,
        equivalents=postprocessing.smaller_equivalents,
        each_node=True,
    ),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterTables:
    """
    A cluster as a rule sees it, the same for every decision on it.

    Attributes
    ----------
    pool : nodes by GPU type
    equivalents : what the rule's function says
    nodes : both as plain arrays, and the rule's prices
    """

    pool: Pool
    equivalents: Ints
    nodes: NodeTables

    @cached_property
    def all_closed(self) -> Levels:
        """The nodes by what they can give, none open."""
        return all_closed(self.nodes)


_TABLES: WeakKeyDictionary[Cluster, dict[Rule, ClusterTables]] = WeakKeyDictionary()


def cluster_tables(cluster: Cluster, rule: Rule) -> ClusterTables:
    """The tables of a cluster, made once for each rule."""
    by_rule = _TABLES.setdefault(cluster, {})
    known = by_rule.get(rule)
    if known is None:
        pool, equivalents = pool_by_gpu_type(cluster), rule.equivalents(cluster)
        known = by_rule[rule] = ClusterTables(
            pool=pool,
            equivalents=equivalents,
            nodes=node_tables(cluster, pool, rule.price(cluster), equivalents),
        )
    return known
