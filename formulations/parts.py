"""
Parts of an instance, each with some of its jobs and nodes, and the union of their decisions.

A part has the data of its jobs and nodes as they are. Two numbers depend on which node types are
present and so may be smaller in a part than in the whole: M_j, the longest time of a job, with its
postponement cost P_j, and the jobs that can run at all. A job that runs on no node of its part is
left out of it and stays postponed. Both agree with the whole wherever every part has a node that
may take each type. What a decision costs is said by the costs of the whole instance.

open_nodes  free, jahani_eq    as in the whole; sum_k min(J_k, N_k) <= min(J, N)
            rsjs_eq*           rsjs_eq_feasible: a part need not have a matching of its own
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.splitting import Division, Index, runs_on
from rsjs.instances.cluster import Cluster, NodeGroup
from rsjs.instances.jobs import ARRAYS, Jobs
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """
    What one controller decides.

    Attributes
    ----------
    jobs : (J_k,) int
        Rows of the whole, ascending.
    nodes : (N_k,) int
        Nodes of the whole, ascending.
    able : (j,) int
        The jobs that some node of the part runs: those of `instance`.
    instance : Instance or None
        None if no job of the part can run.
    """

    jobs: Index
    nodes: Index
    able: Index
    instance: Instance | None


def parts(instance: Instance, division: Division) -> list[Part]:
    """One part for each controller."""
    runs = runs_on(instance, division.node, division.controllers)
    return [
        _part(instance, division, k, np.flatnonzero(runs[:, k]))
        for k in range(division.controllers)
    ]


def _part(instance: Instance, division: Division, k: int, able: Index) -> Part:
    jobs = np.flatnonzero(division.job == k)
    nodes = np.flatnonzero(division.node == k)
    able = np.intersect1d(jobs, able, assume_unique=True)
    if not able.size:
        return Part(jobs=jobs, nodes=nodes, able=able, instance=None)
    objective = instance.objective
    if objective.open_nodes == "rsjs_eq":
        objective = replace(objective, open_nodes="rsjs_eq_feasible")
    made = replace(
        instance,
        name=f"{instance.name}, controller {k + 1} of {division.controllers}",
        cluster=_cluster(instance.cluster, division.node == k),
        jobs=_jobs(instance.jobs, able),
        objective=objective,
        current=_current(instance, able, nodes),
        generator={},
    )
    return Part(jobs=jobs, nodes=nodes, able=able, instance=made)


def _cluster(cluster: Cluster, mine: NDArray[np.bool_]) -> Cluster:
    """The same catalogue with the nodes of one controller, which keep their names."""
    names, groups, first = cluster.node_names, [], 0
    for group in cluster.groups:
        members = first + np.flatnonzero(mine[first : first + group.count])
        first += group.count
        if members.size:
            own = tuple(names[n] for n in members.tolist())
            groups.append(NodeGroup(count=len(own), types=group.types, names=own))
    return replace(cluster, groups=tuple(groups))


def _jobs(jobs: Jobs, rows: Index) -> Jobs:
    fields: dict[str, Any] = {
        name: values[rows] if name in ARRAYS else tuple(values[j] for j in rows.tolist())
        for name, values in vars(jobs).items()
    }
    return Jobs(**fields)


def _current(instance: Instance, rows: Index, nodes: Index) -> Solution | None:
    """The placement before this decision; a job on a node of another controller waits."""
    current = instance.current
    if current is None:
        return None
    here = np.full(instance.cluster.nodes + 1, -1)  # the last entry is that of node -1
    here[nodes] = np.arange(len(nodes))
    node = here[current.job_node[rows]]
    return Solution.of(
        node,
        np.where(node >= 0, current.job_gpus[rows], 0),
        current.node_type[nodes],
        np.where(node >= 0, current.job_level[rows], -1),
    )


def union(
    instance: Instance, parts: Sequence[Part], decisions: Sequence[Solution | None]
) -> Solution:
    """The decisions of some parts as one of the whole; jobs of the others are postponed."""
    jobs, nodes = len(instance.jobs), instance.cluster.nodes
    job_node, job_level, node_type = (np.full(size, -1) for size in (jobs, jobs, nodes))
    job_gpus = np.zeros(jobs, dtype=np.int64)
    for part, decision in zip(parts, decisions, strict=True):
        if decision is None:
            continue
        running = decision.job_node >= 0
        rows = part.able[running]
        job_node[rows] = part.nodes[decision.job_node[running]]
        job_gpus[rows] = decision.job_gpus[running]
        job_level[rows] = decision.job_level[running]
        node_type[part.nodes] = decision.node_type
    return Solution.of(job_node, job_gpus, node_type, job_level)
