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

from dataclasses import dataclass
from functools import partial

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult
from rsjs.core.types import Floats
from rsjs.heuristics.common.result import finished
from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    NodeKinds,
    as_solution,
    kinds_by_node_type,
    place_queue,
    running,
    together,
)
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

ORDERS = {
    "fifo": candidates.by_release,
    "edf": candidates.by_due_date,
    "priority": candidates.by_weight,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedQueue:
    """
    All that one decision needs.

    Attributes
    ----------
    queue : waiting jobs in order
    candidates : codes of each job's configurations
    kinds : nodes by node type
    alone : whether a node runs one job only
    running : the placement of running jobs, all others postponed
    occupied : (node, type, idle GPUs) of their nodes
    """

    queue: list[int]
    candidates: list[list[int]]
    kinds: NodeKinds
    alone: bool
    running: Solution
    occupied: list[tuple[int, int, int]]


def prepare(instance: Instance, method: str, rule: str = "code") -> PreparedQueue:
    """Order the queue as a method of ORDERS does, and each job's candidates by a rule."""
    if rule == "code":
        hours = candidates.hours_by_node_type(instance)
        price = candidates.full_price_by_node_type(instance.cluster)
        configurations = candidates.ranked(instance, hours, price, strict=False)
    else:
        cost = right_sizing_cost(instance)
        configurations = [[code] for code in cost.reshape(len(cost), -1).argmin(axis=1).tolist()]
    kept, occupied = _running(instance)
    order = ORDERS[method](instance)
    return PreparedQueue(
        queue=order[kept.job_node[order] < 0].tolist(),
        candidates=configurations,
        kinds=kinds_by_node_type(instance.cluster),
        alone=rule == "code",
        running=kept,
        occupied=occupied,
    )


def right_sizing_cost(instance: Instance) -> Floats:
    """
    Return (J, V, G + 1) the cost [$] of each job alone on a node of type v, with g GPUs.

    Jahani minimises tardiness, plus g / s_v c_v t (other energies: the price of the node with g
    GPUs in use, times t), plus mu (s_v - g); the job must run. inf where not admissible.
    """
    cluster, objective, jobs = instance.cluster, instance.objective, instance.jobs
    hours = candidates.hours_by_node_type(instance)
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


def _running(instance: Instance) -> tuple[Solution, list[tuple[int, int, int]]]:
    """Return the running jobs, and (node, type, idle GPUs) of the nodes on which they run."""
    kept = running(instance)
    busy = np.flatnonzero(kept.node_type >= 0)
    types = kept.node_type[busy]
    idle = instance.cluster.gpus_of_type[types] - costs.execution(instance, kept).used[busy]
    return kept, list(zip(busy.tolist(), types.tolist(), idle.tolist(), strict=True))


def decide(prepared: PreparedQueue) -> Solution:
    """Return the solution of one decision."""
    capacity = FreeCapacity(prepared.kinds, alone=prepared.alone)
    for node, node_type, idle in prepared.occupied:
        capacity.occupy(node, node_type, idle)
    placed = place_queue(prepared.queue, prepared.candidates, capacity)
    return together(prepared.running, as_solution(placed, capacity))


def _run(method: str, instance: Instance, call: Call, report: Report) -> SolveResult:
    assert call.rule is not None
    with report.phase("prepare"):
        prepared = prepare(instance, method, call.rule)
    with report.phase("solve"):
        solution = decide(prepared)
    return finished(instance, solution, report)


run_fifo = partial(_run, "fifo")
run_edf = partial(_run, "edf")
run_priority = partial(_run, "priority")
