"""
Parts and permutations of an instance, with the way back for their solutions.

A part has some of the jobs and nodes, at the prices of the whole: P_j and M_j depend on the modes
that are *present* in a cluster, so the part keeps those of the whole (`slowest_hours_per_epoch` of
`Jobs`). Node costs and tardiness add up over nodes and jobs: what a solution of the part saves, the
whole saves. Only the number of nodes that `open_nodes` requires does not add up.

A permutation has all jobs and nodes in another order, drawn from a seed: with pi over the jobs and
sigma over the nodes, job j of the permuted instance is job pi(j), node n is node sigma(n). Costs do
not change; what solvers make of them does (ties, presolve, branching). One optimum solved under
several orders shows how much of a running time is luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rsjs.core.types import Ints
from rsjs.instances import costs
from rsjs.instances.generators import random_streams
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


@dataclass(frozen=True, eq=False)
class SubInstance:
    """
    A part of an instance.

    Attributes
    ----------
    whole, instance : Instance
    jobs : (J',) int
        Jobs of the whole, ascending.
    nodes : (N',) int
        Nodes of the whole, ascending.
    """

    whole: Instance
    instance: Instance
    jobs: Ints
    nodes: Ints

    def restricted(self, decision: Solution) -> Solution:
        """Return a solution of the whole on the part; jobs on other nodes are postponed."""
        return decision.taken(self.jobs, self.nodes)

    def merged(self, decision: Solution, part: Solution) -> Solution:
        """Return a solution of the whole with the part replaced."""
        node, gpus = decision.job_node.copy(), decision.job_gpus.copy()
        level, kind = decision.job_level.copy(), decision.node_type.copy()
        runs = part.job_node >= 0
        node[self.jobs] = np.where(runs, self.nodes[part.job_node], -1)
        gpus[self.jobs], level[self.jobs] = part.job_gpus, part.job_level
        kind[self.nodes] = part.node_type
        return Solution.of(node, gpus, kind, level)


def subinstance(
    instance: Instance, jobs: Sequence[int], nodes: Sequence[int], open_nodes: str
) -> SubInstance:
    """
    Return the part with the given jobs and nodes, each job admissible on some of the nodes.

    Parameters
    ----------
    open_nodes : str
        The part's rule for the number of nodes, see `Objective`.
    """
    rows, kept = np.unique(jobs), np.unique(nodes)
    part = replace(
        instance,
        name=f"part of {instance.name}",
        cluster=instance.cluster.taken(kept),
        jobs=replace(
            instance.jobs.taken(rows),
            slowest_hours_per_epoch=costs.slowest_rates(instance)[rows],
        ),
        objective=replace(instance.objective, open_nodes=open_nodes),
        current=None,
        generator={},
    )
    return SubInstance(instance, part, rows, kept)


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
    jobs: Ints
    nodes: Ints

    def restored(self, decision: Solution) -> Solution:
        """Return a solution of the permuted instance as one of the original."""
        return decision.taken(np.argsort(self.jobs), np.argsort(self.nodes))

    def permuted(self, decision: Solution) -> Solution:
        """Return a solution of the original as one of the permuted instance."""
        return decision.taken(self.jobs, self.nodes)


def permuted(instance: Instance, seed: int) -> Permuted:
    """
    Return the instance under the permutation that a seed stands for.

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


def _order(seed: int, field: str, n: int) -> Ints:
    return np.argsort(random_streams.uniforms("permutation", seed, field, n), kind="stable")
