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

import numpy as np

from rsjs.heuristics.decomposition.partition import Division, Index, runs_on
from rsjs.instances.instance import Instance
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
    current, objective = instance.current, instance.objective
    if objective.open_nodes == "rsjs_eq":
        objective = replace(objective, open_nodes="rsjs_eq_feasible")
    made = replace(
        instance,
        name=f"{instance.name}, controller {k + 1} of {division.controllers}",
        cluster=instance.cluster.taken(nodes),
        jobs=instance.jobs.taken(able),
        objective=objective,
        current=None if current is None else current.taken(able, nodes),
        generator={},
    )
    return Part(jobs=jobs, nodes=nodes, able=able, instance=made)


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
