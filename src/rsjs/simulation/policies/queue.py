"""
The queues of `heuristics.queue_scheduling`, some of which decide on all jobs at each event.

The decisions are those of the method `queue`, but where jobs that run are left alone (edf,
edf_alone, fifo, priority), only those that wait are looked at.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.dispatching.queues import RULES, Choices
from rsjs.heuristics.dispatching.rooms import Rooms, as_solution, first_fit
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.placements import beside, kept
from rsjs.simulation.policies.workload_data import WorkloadData
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State


def policy(request: Request, whole: Instance) -> Policy:
    """The policy `queue` with one of its rules."""
    cluster, known = whole.cluster, WorkloadData(whole)
    rule, epochs = RULES[str(request.rule)], request.options["epochs"]
    empty = partial(Rooms, cluster, alone=rule.alone, fit=str(request.options["fit"]))

    def placed(state: State, jobs: Ints, rooms: Rooms) -> Solution:
        of = Choices.of(state.of(jobs, epochs), epochs, known.model(state.rows[jobs]))
        order = rule.order(of.instance).tolist()
        return as_solution(
            first_fit(order, of.cheapest(), of.units, rooms, of.stride), of.level, rooms
        )

    def decide(state: State, memory: Any) -> Choice:
        if rule.preemptive:
            solution = placed(state, np.arange(len(state.rows)), empty())
        else:
            solution = kept(state)
            waiting = np.flatnonzero(solution.job_node < 0)
            if waiting.size and not (rooms := _occupied(empty(), cluster, solution)).full:
                solution = beside(solution, waiting, placed(state, waiting, rooms))
        if whole.objective.open_nodes == "jahani_eq":
            solution = select_required_nodes(state.instance, solution)
        return Choice(solution=solution)

    return Policy(spelling=request.spelling, decide=decide, keeps_running=not rule.preemptive)


def _occupied(rooms: Rooms, cluster: Cluster, placement: Solution) -> Rooms:
    """Return the rooms of a cluster with the jobs of a placement on them."""
    runs = np.flatnonzero(placement.job_node >= 0)
    node, level = placement.job_node[runs], placement.job_level[runs]
    dedicated = np.bincount(node, placement.job_gpus[runs], cluster.nodes).astype(np.int64)
    used = np.unique(node)
    kind = placement.node_type[used]
    gpu = dict(zip(used.tolist(), cluster.gpu_of_type[kind].tolist(), strict=True))
    shares: dict[int, list[int]] = {n: [] for n in gpu}
    for n, own in zip(node[level >= 0].tolist(), level[level >= 0].tolist(), strict=True):
        shares[n].append(cluster.gpu_types[gpu[n]].levels[own].units)
    room = (cluster.gpus_of_type[kind] - dedicated[used]).tolist()
    for (n, units), left in zip(shares.items(), room, strict=True):
        rooms.occupy(n, gpu[n], left, units)
    return rooms
