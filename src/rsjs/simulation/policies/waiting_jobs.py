"""
FIFO, EDF and priority: jobs that run are left alone, those that wait are tried in order.

The decisions are those of the methods of the same spelling (`heuristics.list_scheduling`, rules
code and paper), but only jobs that wait are looked at. Between two events they are few.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsjs.heuristics.dispatching.list_scheduling import ORDERS, configurations, occupy_types
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    as_solution,
    kinds_by_node_type,
    place_queue,
)
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.methods import Request
from rsjs.simulation.policies.placements import beside, kept
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State


def policy(request: Request, whole: Instance) -> Policy:
    """The policy fifo, edf or priority with one of their rules."""
    cluster, order = whole.cluster, ORDERS[request.method.name]
    alone, kinds = request.rule == "code", kinds_by_node_type(cluster)

    def decide(state: State, memory: Any) -> Choice:
        solution, used = kept(state), state.used
        busy = np.flatnonzero(used)
        idle = cluster.gpus_of_type[solution.node_type[busy]] - used[busy]
        waiting = np.flatnonzero(solution.job_node < 0)
        if waiting.size and (len(busy) < cluster.nodes or (idle.any() and not alone)):
            part = state.of(waiting)
            capacity = FreeCapacity(kinds, alone=alone)
            occupy_types(capacity, cluster, solution, used)
            codes = configurations(part, str(request.rule))
            placed = place_queue(order(part).tolist(), codes, capacity)
            solution = beside(solution, waiting, as_solution(placed, capacity))
        if whole.objective.open_nodes == "jahani_eq":
            solution = select_required_nodes(state.instance, solution)
        return Choice(solution=solution)

    return Policy(spelling=request.spelling, decide=decide, keeps_running=True)
