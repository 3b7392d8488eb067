"""
What runs on each node, as arrays that kernels change in place; to and from a `Solution`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.heuristics.ruin_recreate.arrays import Array, Index, Shapes
from rsjs.heuristics.ruin_recreate.share_bins import by_units
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import complete
from rsjs.instances.solution import Solution


class State(NamedTuple):
    """
    Nodes and postponed jobs; M is the most jobs that a node can have.

    Attributes
    ----------
    kind : (N,) int
        Node type; an empty node has one too.
    load : (N,) int
        Jobs on the node.
    jobs, shape : (N, M + 1) int
        Its jobs and their shapes, in the first `load` entries.
    dedicated, shares : (N,) int
        Dedicated GPUs in use; index of the shares in the table of bins.
    first : (N,) float [h]
        Least theta, inf if empty.
    base, cost : (N,) float [$]
        Cost of the node apart from its jobs' own costs, of an empty one as a spare; with them,
        0 if empty.
    waiting : (J,) int
        Postponed jobs, in the first `size[0]` entries.
    size : (1,) int
    empty : (C,) int
        Empty nodes of each class.
    """

    kind: Index
    load: Index
    jobs: Index
    shape: Index
    dedicated: Index
    shares: Index
    first: Array
    base: Array
    cost: Array
    waiting: Index
    size: Index
    empty: Index


def nothing_runs(problem: Shapes, kind: Index) -> State:
    """Empty nodes of the given types, (N,), and all jobs postponed."""
    nodes, jobs = len(kind), len(problem.postponement)
    least = np.where(problem.units > 0, problem.units, 1 << 40).min(axis=1)
    most = int(min(jobs, (problem.size * problem.whole // least).max()))
    classes = len(problem.type_count)
    return State(
        kind=kind.astype(np.int64),
        load=np.zeros(nodes, dtype=np.int64),
        jobs=np.zeros((nodes, most + 1), dtype=np.int64),
        shape=np.zeros((nodes, most + 1), dtype=np.int64),
        dedicated=np.zeros(nodes, dtype=np.int64),
        shares=np.zeros(nodes, dtype=np.int64),
        first=np.full(nodes, np.inf),
        base=problem.spare[problem.node_class],
        cost=np.zeros(nodes),
        waiting=np.arange(jobs),
        size=np.array([jobs]),
        empty=np.bincount(problem.node_class, minlength=classes),
    )


def decision(instance: Instance, problem: Shapes, state: State) -> Solution:
    """The decision, completed as `open_nodes` asks."""
    jobs, cluster = len(instance.jobs), instance.cluster
    node, level = np.full(jobs, -1), np.full(jobs, -1)
    gpus = np.zeros(jobs, dtype=np.int64)
    for n in np.flatnonzero(state.load).tolist():
        v, count = int(state.kind[n]), int(state.load[n])
        there, shape = state.jobs[n, :count], state.shape[n, :count]
        node[there], gpus[there] = n, problem.gpus[v, shape]
        shared = problem.gpus[v, shape] == 0
        if shared.any():
            order = by_units(cluster.gpu_types[cluster.gpu_of_type[v]])
            level[there[shared]] = np.array(order)[shape[shared]]
    kind = np.where(state.load > 0, state.kind, -1)
    return complete(instance, Solution.of(node, gpus, kind, level))


def loaded(instance: Instance, problem: Shapes, start: Solution) -> State:
    """A feasible decision as a state; node costs are left to be computed."""
    kind = np.where(start.node_type >= 0, start.node_type, problem.types[problem.node_class, 0])
    state = nothing_runs(problem, kind)
    gpu = instance.cluster.gpu_of_type
    for j in np.flatnonzero(start.job_node >= 0).tolist():
        n = int(start.job_node[j])
        v = int(kind[n])
        order = by_units(instance.cluster.gpu_types[gpu[v]]) if instance.has_sharing else []
        if start.job_level[j] >= 0:
            a = order.index(int(start.job_level[j]))
        else:
            a = len(order) + int(start.job_gpus[j]) - 1
        at = int(state.load[n])
        state.jobs[n, at], state.shape[n, at] = j, a
        state.load[n] += 1
    waits = np.flatnonzero(start.job_node < 0)
    state.waiting[: len(waits)] = waits
    state.size[0] = len(waits)
    busy = state.load > 0
    state.empty[:] = np.bincount(problem.node_class[~busy], minlength=len(state.empty))
    return state
