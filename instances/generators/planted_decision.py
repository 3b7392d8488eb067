"""A decision that fills every GPU of a cluster, drawn before there are any times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.cluster import Cluster
from rsjs.instances.generators import random_streams
from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.solution import Solution

Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Planted:
    """
    Which jobs run where, and how.

    Attributes
    ----------
    type_of_node : (N,) int
    node : (J,) int
        -1 = postponed.
    node_type, gpus : (J,) int
        The configuration of each job; of a postponed one, that which suits it best.
    first : (J,) bool
        One job on each node.
    """

    type_of_node: Integers
    node: Integers
    node_type: Integers
    gpus: Integers
    first: NDArray[np.bool_]

    def decision(self) -> Solution:
        """The same as a solution."""
        return Solution.of(self.node, np.where(self.node >= 0, self.gpus, 0), self.type_of_node)


def plant(stream: str, seed: int, cluster: Cluster, jobs: int, running: int) -> Planted | None:
    """
    Draw types of the nodes, and cut their GPUs into `running` parts, one per job.

    A node that may have several types takes each with the same probability; all ways to cut are
    equally likely; which jobs run is drawn. None if there are more parts than GPUs, or fewer than
    nodes.
    """

    def u(field: str, n: int) -> Floats:
        return random_streams.uniforms(stream, seed, field, n)

    nodes, last = cluster.nodes, len(cluster.node_types)
    ranks = np.cumsum(cluster.allowed, axis=1)
    drawn = random_streams.index(u("node", nodes), ranks[:, -1]) + 1
    of_node = np.argmax(ranks == drawn[:, None], axis=1)
    sizes = cluster.gpus_of_type[of_node]
    if not nodes <= running <= sizes.sum():
        return None
    begins = np.append(0, np.cumsum(sizes)[:-1])
    cut = u("cut", int(sizes.sum()))
    cut[begins] = -1.0  # a node is a cut in any case
    starts = np.sort(np.argsort(cut, kind="stable")[:running])
    parts = np.diff(starts, append=sizes.sum())
    node = np.searchsorted(begins, starts, side="right") - 1
    order = np.argsort(u("order", jobs), kind="stable")
    node_type = random_streams.index(u("type", jobs), last)
    gpus = 1 + random_streams.index(u("gpus", jobs), cluster.gpus_of_type[node_type])
    where, first = np.full(jobs, -1), np.zeros(jobs, dtype=bool)
    runs = order[:running]
    where[runs], gpus[runs], node_type[runs] = node, parts, of_node[node]
    first[runs] = np.isin(starts, begins)
    return Planted(type_of_node=of_node, node=where, node_type=node_type, gpus=gpus, first=first)
