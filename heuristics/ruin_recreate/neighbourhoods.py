"""
Which nodes and jobs a part of a schedule has, to be decided anew.

A neighbourhood is a few nodes, the jobs on them, and postponed jobs that could run there. The
nodes are related: after a first one, drawn at random, come those that could run its jobs, too,
at random, or every other time any nodes. An empty node joins where nodes may be empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.required_nodes import required_nodes
from rsjs.instances.solution import Solution
from rsjs.instances.transform import SubInstance, subinstance

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """
    Draws parts of a schedule.

    Attributes
    ----------
    runs : (J, C) bool
        Whether a job may run on some node type of a class.
    """

    instance: Instance
    runs: NDArray[np.bool_]

    @staticmethod
    def of(instance: Instance) -> Neighbourhoods:
        """The neighbourhoods of an instance."""
        cluster = instance.cluster
        on_gpu = np.isfinite(instance.hours_per_epoch)  # whoever may take a share may take a GPU
        on_type = np.stack(
            [
                on_gpu[:, gpu, : size + 1].any(axis=1)
                for gpu, size in zip(cluster.gpu_of_type, cluster.gpus_of_type, strict=True)
            ],
            axis=1,
        )
        return Neighbourhoods(instance, np.matmul(on_type, cluster.allowed_in_class.T))

    def draw(
        self, decision: Solution, nodes: int, postponed: int, rng: np.random.Generator
    ) -> SubInstance | None:
        """Up to so many nodes and postponed jobs; None if there is nothing to decide."""
        chosen = self._nodes(decision, nodes, rng)
        if not chosen.size:
            return None
        able = self.runs[:, np.unique(self.instance.cluster.class_of_node[chosen])].any(axis=1)
        waits = np.flatnonzero((decision.job_node < 0) & able)
        price = costs.tables(self.instance).postponement[waits]
        key = price * rng.random(len(waits)) - rng.random(len(waits)) * 1e-9
        joining = waits[np.argsort(-key, kind="stable")[:postponed]]
        jobs = np.append(np.flatnonzero(np.isin(decision.job_node, chosen)), joining)
        if not jobs.size:
            return None
        return subinstance(self.instance, jobs.tolist(), chosen.tolist(), self._rule(jobs, chosen))

    def _nodes(self, decision: Solution, count: int, rng: np.random.Generator) -> Index:
        of_class = self.instance.cluster.class_of_node
        busy = np.unique(decision.job_node[decision.job_node >= 0])
        order = rng.permutation(busy)
        if len(busy) and rng.random() < 0.5:
            here = np.flatnonzero(decision.job_node == order[0])
            classes = np.flatnonzero(self.runs[here].any(axis=0))
            related = np.isin(of_class[order], classes)
            order = np.concatenate([order[related], order[~related]])
        chosen = order[:count]
        if not self.instance.objective.open_nodes.startswith("rsjs"):
            empty = np.setdiff1d(np.arange(len(of_class)), busy)
            chosen = np.append(chosen, rng.permutation(empty)[:1])
        return chosen

    def _rule(self, jobs: Index, nodes: Index) -> str:
        """As many nodes as now where the whole has a rule that charges or fixes their number."""
        objective = self.instance.objective
        if objective.open_nodes.startswith("rsjs"):
            return "rsjs_eq"
        every = required_nodes(self.instance) == self.instance.cluster.nodes
        kept = objective.open_nodes == "jahani_eq" and every and len(jobs) >= len(nodes)
        return "jahani_eq" if kept else "free"
