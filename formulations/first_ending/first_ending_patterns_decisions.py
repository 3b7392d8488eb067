"""Decisions as vectors of the leader pattern model, and back."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.first_ending.costs import gains, leader_gains, limits
from rsjs.formulations.first_ending.first_ending_patterns_arrays import arrays
from rsjs.formulations.first_ending.first_ending_patterns_data import (
    Array,
    Cut,
    Index,
    LeaderModel,
    Slot,
)
from rsjs.instances.costs import tables
from rsjs.instances.solution import Solution


def warm_start(data: LeaderModel, solution: Solution) -> Array:
    """
    The column vector of a feasible decision: on each node the first job to end leads.

    A job whose option was left out takes the smaller slot that is no worse, or, as a follower,
    is postponed; nodes without a job are as small as they may be, and off where they need not
    be on: the vector never costs more than the decision.
    """
    instance, hours = data.instance, tables(data.instance).hours
    cluster = instance.cluster
    position = {slot: s for s, slot in enumerate(data.slots)}
    keys = zip(data.job.tolist(), data.slot.tolist(), strict=True)
    option = {key: i for i, key in enumerate(keys)}
    cut = {key: len(data.job) + c for c, key in enumerate(data.cuts)}
    empty = {k: c for (k, _, limit, _, _), c in cut.items() if not limit}
    x = np.zeros(len(data.job) + len(data.cuts))
    for n in np.flatnonzero(solution.node_type >= 0).tolist():
        v, k = int(solution.node_type[n]), int(cluster.class_of_node[n])
        jobs = np.flatnonzero(solution.job_node == n)
        if not jobs.size:
            if k in empty:
                x[empty[k]] += 1.0
            continue
        used = solution.job_gpus[jobs]
        first = int(hours[jobs, cluster.gpu_of_type[v], used].argmin())
        follows, parts = gains(instance, v), []
        for at in np.delete(np.arange(len(jobs)), first).tolist():
            j, g = int(jobs[at]), int(follows[jobs[at], : used[at] + 1].argmin())
            if follows[j, g] < 0:
                x[option[j, position[Slot(v, 0, g)]]] = 1.0
                parts.append(g)
        j, most = int(jobs[first]), int(used[first])
        q = next(q for q in limits(cluster.node_types[v]) if q >= most + sum(parts))
        g = int(leader_gains(instance, v, q)[j, : most + 1].argmin())
        x[option[j, position[Slot(v, q, g)]]] = 1.0
        parts += [1] * (q - g - sum(parts))
        x[cut[Cut(k, v, q, g, tuple(sorted(parts, reverse=True)))]] += 1.0
    return x


def extract(data: LeaderModel, x: Array) -> Solution:
    """
    The decision in a column vector with integral L; fractional options are optimised again.

    It costs at most what the vector costs: a node is charged until its first job ends, whoever
    leads, and for the GPUs in use.
    """
    counts = np.rint(x[len(data.job) :])
    taken = x[: len(data.job)]
    chosen = np.flatnonzero(taken > 0.5)
    if np.abs(taken - np.rint(taken)).max(initial=0.0) > 1e-6:
        chosen = _best_options(data, counts)
    cluster, jobs = data.instance.cluster, len(data.instance.jobs)
    free = [
        np.flatnonzero(cluster.class_of_node == k).tolist()[::-1]
        for k in range(len(cluster.class_sizes))
    ]
    node_type = np.full(cluster.nodes, -1)
    nodes: dict[Slot, list[int]] = {}
    for cut, count in zip(data.cuts, counts.astype(int).tolist(), strict=True):
        for _ in range(count):
            n = free[cut.node_class].pop()
            node_type[n] = cut.node_type
            for slot in cut.slots:
                nodes.setdefault(slot, []).append(n)
    job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    for i in chosen.tolist():
        j, slot = int(data.job[i]), data.slots[data.slot[i]]
        job_node[j], job_gpus[j] = nodes[slot].pop(0), slot.gpus
    return Solution.of(job_node, job_gpus, node_type)


def _best_options(data: LeaderModel, counts: Array) -> Index:
    """The cheapest options for fixed cuts: a transportation problem."""
    from scipy.optimize import LinearConstraint, milp

    model, options = arrays(data), len(data.job)
    A = model.A.tocsc()
    supplied = A[:, options:] @ counts
    rows = LinearConstraint(A[:, :options], model.row_lower - supplied, model.row_upper - supplied)
    found = milp(
        model.cost[:options], integrality=np.ones(options), bounds=(0, 1), constraints=rows
    )
    chosen: Index = np.flatnonzero(found.x > 0.5)
    return chosen
