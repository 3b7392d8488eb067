"""
Some jobs and nodes of an instance as an instance of its own, at the prices of the whole.

P_j and M_j are costs of the configurations on node types that are *present* in a cluster. Here the
part has those of the whole (`Jobs.slowest_hours_per_epoch`), so what a decision of the part saves,
the whole saves: node costs and tardiness add up over nodes and jobs. Only the number of nodes that
`open_nodes` asks for does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

Index = NDArray[np.int64]


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
    jobs: Index
    nodes: Index

    def restricted(self, decision: Solution) -> Solution:
        """What a decision of the whole says of the part; its jobs are on its nodes or postponed."""
        return decision.taken(self.jobs, self.nodes)

    def merged(self, decision: Solution, part: Solution) -> Solution:
        """A decision of the whole with the part decided anew."""
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
    The part with the given jobs and nodes, each job admissible on some of the nodes.

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
