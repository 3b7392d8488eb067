"""
The same instance with its jobs and nodes in another order, drawn from a seed.

Costs do not change, what solvers make of it does: ties, presolve, branching. One optimum seen
under several orders shows how much of a time is luck. With pi a permutation of the jobs and sigma
one of the nodes, job j of the permuted instance is job pi(j), node n is node sigma(n).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.generators import random_streams
from rsjs.instances.instance import Instance
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
        return decision.taken(np.argsort(self.jobs), np.argsort(self.nodes))

    def permuted(self, decision: Solution) -> Solution:
        """A decision for the original as one for the permuted instance."""
        return decision.taken(self.jobs, self.nodes)


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
        cluster=instance.cluster.taken(nodes),
        jobs=instance.jobs.taken(jobs),
        current=None if current is None else current.taken(jobs, nodes),
        generator={},
    )
    return Permuted(instance, made, jobs, nodes)


def _order(seed: int, field: str, n: int) -> Index:
    return np.argsort(random_streams.uniforms("permutation", seed, field, n), kind="stable")
