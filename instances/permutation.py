"""
The same instance with its jobs and nodes in another order, drawn from a seed.

Costs do not change, what solvers make of it does: ties, presolve, branching. One optimum seen
under several orders shows how much of a time is luck. With pi a permutation of the jobs and sigma
one of the nodes, job j of the permuted instance is job pi(j), node n is node sigma(n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances import streams
from rsjs.instances.cluster import Cluster, NodeGroup
from rsjs.instances.jobs import ARRAYS, Jobs
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Permuted:
    """
    A permuted instance.

    Attributes
    ----------
    original, instance : Instance
    jobs : (J,) int
        pi: the original's number of each job.
    nodes : (N,) int
        sigma: the original's number of each node.
    """

    original: Instance
    instance: Instance
    jobs: Index
    nodes: Index

    def restored(self, decision: Solution) -> Solution:
        """A decision for the permuted instance as one for the original."""
        return _reordered(decision, np.argsort(self.jobs), np.argsort(self.nodes))

    def permuted(self, decision: Solution) -> Solution:
        """A decision for the original as one for the permuted instance."""
        return _reordered(decision, self.jobs, self.nodes)


def permuted(instance: Instance, seed: int) -> Permuted:
    """
    The instance under the permutation that a seed stands for.

    Parameters
    ----------
    seed : int
        >= 1; the order depends on it and on the numbers of jobs and nodes alone.

    Returns
    -------
    Permuted
        Its instance is named <name>-p<seed>; jobs and nodes keep their names.
    """
    jobs = _order(seed, "jobs", len(instance.jobs))
    nodes = _order(seed, "nodes", instance.cluster.nodes)
    current = instance.current
    made = replace(
        instance,
        name=f"{instance.name}-p{seed}",
        cluster=_cluster(instance.cluster, nodes),
        jobs=_jobs(instance.jobs, jobs),
        current=None if current is None else _reordered(current, jobs, nodes),
        generator={},
    )
    return Permuted(instance, made, jobs, nodes)


def _order(seed: int, field: str, n: int) -> Index:
    return np.argsort(streams.uniforms("permutation", seed, field, n), kind="stable")


def _reordered(decision: Solution, jobs: Index, nodes: Index) -> Solution:
    """Job i of the result is job jobs[i] of the decision, node i is node nodes[i]."""
    position = np.full(len(nodes) + 1, -1)  # the last entry is that of node -1
    position[nodes] = np.arange(len(nodes))
    return Solution.of(
        position[decision.job_node[jobs]],
        decision.job_gpus[jobs],
        decision.node_type[nodes],
        decision.job_level[jobs],
    )


def _cluster(cluster: Cluster, nodes: Index) -> Cluster:
    """Neighbours that may take the same types form a group; every node keeps its name."""
    names = cluster.node_names
    types = [group.types for group in cluster.groups for _ in range(group.count)]
    groups = []
    for allowed, members in groupby(nodes.tolist(), key=lambda n: types[n]):
        own = tuple(names[n] for n in members)
        groups.append(NodeGroup(count=len(own), types=allowed, names=own))
    return replace(cluster, groups=tuple(groups))


def _jobs(jobs: Jobs, order: Index) -> Jobs:
    kept: dict[str, Any] = {
        name: values[order] if name in ARRAYS else _picked(values, order)
        for name, values in vars(jobs).items()
    }
    return Jobs(**kept)


def _picked(values: Sequence[Any], order: Index) -> tuple[Any, ...]:
    return tuple(values[j] for j in order.tolist())
