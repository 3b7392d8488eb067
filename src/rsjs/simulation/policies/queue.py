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
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    as_solution,
    kinds_by_gpu_type,
    occupy_nodes,
    place_queue,
)
from rsjs.heuristics.dispatching.queues import RULES, JobModes
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.policies.placements import beside, kept
from rsjs.simulation.policies.workload_data import WorkloadData
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State


def policy(request: Request, whole: Instance) -> Policy:
    """The policy `queue` with one of its rules."""
    cluster, known = whole.cluster, WorkloadData(whole)
    rule, epochs = RULES[str(request.rule)], request.options["epochs"]
    kinds, fit = kinds_by_gpu_type(cluster), str(request.options["fit"])
    empty = partial(FreeCapacity, kinds, alone=rule.alone, fit=fit)

    def placed(state: State, jobs: Ints, capacity: FreeCapacity) -> Solution:
        of = JobModes.of(state.of(jobs, epochs), epochs, known.model(state.rows[jobs]))
        order = rule.order(of.instance).tolist()
        jobs_placed = place_queue(order, of.cheapest(), capacity, of.units)
        return as_solution(jobs_placed, capacity, of.level)

    def decide(state: State, memory: Any) -> Choice:
        if rule.preemptive:
            solution = placed(state, np.arange(len(state.rows)), empty())
        else:
            solution = kept(state)
            waiting = np.flatnonzero(solution.job_node < 0)
            if waiting.size:
                capacity = empty()
                occupy_nodes(capacity, cluster, solution)
                if not capacity.full:
                    solution = beside(solution, waiting, placed(state, waiting, capacity))
        if whole.objective.open_nodes == "jahani_eq":
            solution = select_required_nodes(state.instance, solution)
        return Choice(solution=solution)

    return Policy(spelling=request.spelling, decide=decide, keeps_running=not rule.preemptive)
