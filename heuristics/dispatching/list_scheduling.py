"""
FIFO, EDF and priority scheduling: waiting jobs in a fixed order, running jobs left alone.

Jahani 2019, V-B: "All first principle methods rely on our model to right-sizing the VMs: the
configuration is obtained by exploiting the model with |N| = |J| = 1". Nothing else is printed.

code   the authors' program: one job per node. A job takes the first of its configurations, in
       time by cost (t x full price of the VM), then late by time, on exactly that VM.
paper  nodes are shared: a job takes its right-sized configuration (v, g) on an open node of type
       v with g idle GPUs, the fullest one, else on a closed node that becomes a v.

A job that finds no room waits, and the next one is tried. With `instance.current` the jobs that
run keep node and configuration (ANDREAS 2021, V: first-principle methods never change the
configuration of a job once it has been started).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult
from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.result import finished
from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    as_solution,
    kinds_by_node_type,
    place_queue,
    running,
    together,
)
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

ORDERS = {
    "fifo": candidates.by_release,
    "edf": candidates.by_due_date,
    "priority": candidates.by_weight,
}


def decide(instance: Instance, method: str, rule: str = "code") -> Solution:
    """Return the solution of an instance: the queue of a method of ORDERS, placed by a rule."""
    kept = running(instance)
    capacity = FreeCapacity(kinds_by_node_type(instance.cluster), alone=rule == "code")
    occupy_types(capacity, instance.cluster, kept, costs.execution(instance, kept).used)
    order = ORDERS[method](instance)
    queue = order[kept.job_node[order] < 0].tolist()
    placed = place_queue(queue, configurations(instance, rule), capacity)
    return together(kept, as_solution(placed, capacity))


def configurations(instance: Instance, rule: str) -> list[list[int]]:
    """Return the codes of each job's configurations by a rule, best first."""
    if rule == "code":
        hours, price = candidates.by_node_type(instance)
        return candidates.ranked(instance, hours, price, strict=False)
    cost = right_sizing_cost(instance)
    return [[code] for code in cost.reshape(len(cost), -1).argmin(axis=1).tolist()]


def occupy_types(capacity: FreeCapacity, cluster: Cluster, placement: Solution, used: Ints) -> None:
    """Open the nodes of a placement, of which (N,) GPUs are in use; kinds are node types."""
    for node in np.flatnonzero(used).tolist():
        node_type = int(placement.node_type[node])
        capacity.occupy(node, node_type, int(cluster.gpus_of_type[node_type] - used[node]))


def right_sizing_cost(instance: Instance) -> Floats:
    """
    Return (J, V, G + 1) the cost [$] of each job alone on a node of type v, with g GPUs.

    Jahani minimises tardiness, plus g / s_v c_v t (other energies: the price of the node with g
    GPUs in use, times t), plus mu (s_v - g); the job must run. inf where not admissible.
    """
    cluster, objective, jobs = instance.cluster, instance.objective, instance.jobs
    hours, _ = candidates.by_node_type(instance)
    usable = np.isfinite(hours)
    time = np.where(usable, hours, 0.0)
    if objective.tardiness_at == "completion":
        tardiness = costs.cost_tables(instance).tardiness[:, cluster.gpu_of_type]
    else:
        late = np.maximum(0.0, instance.now + time - jobs.due[:, None, None])
        tardiness = jobs.weight[:, None, None] * late
    if objective.energy == "proportional":
        price = candidates.share_price_by_node_type(cluster)
    else:
        price = candidates.full_price_by_node_type(cluster)
    idle = cluster.gpus_of_type[:, None] - np.arange(cluster.largest + 1)
    energy = np.where(np.isfinite(price), price, 0.0) * time
    return np.where(usable, tardiness + energy + objective.mu * idle, np.inf)


def _run(method: str, instance: Instance, call: Call, report: Report) -> SolveResult:
    with report.phase("solve"):
        solution = decide(instance, method, str(call.rule))
    return finished(instance, solution, report)


run_fifo = partial(_run, "fifo")
run_edf = partial(_run, "edf")
run_priority = partial(_run, "priority")
