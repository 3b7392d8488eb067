"""
FIFO, EDF and priority: jobs that run are left alone, those that wait are tried in order.

The decisions are those of the methods of the same spelling (`heuristics.list_scheduling`, rules
code and paper), but only jobs that wait are looked at. Between two events they are few.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.list_scheduling import ORDERS, right_sizing_cost
from rsjs.heuristics.dispatching.placement import assign, pool_by_node_type
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.placements import beside, kept
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State


def policy(request: Request, whole: Instance) -> Policy:
    """The policy fifo, edf or priority with one of their rules."""
    cluster, order = whole.cluster, ORDERS[request.method.name]
    alone, pool = request.rule == "code", pool_by_node_type(cluster)
    price = candidates.full_price_by_node_type(cluster)

    def configurations(part: Instance) -> list[list[int]]:
        if alone:
            hours = candidates.hours_by_node_type(part)
            return candidates.ranked(part, hours, price, strict=False)
        cost = right_sizing_cost(part)
        return [[code] for code in cost.reshape(len(cost), -1).argmin(axis=1).tolist()]

    def decide(state: State, memory: Any) -> Choice:
        solution, used = kept(state), state.used
        busy = np.flatnonzero(used)
        kind = solution.node_type[busy]
        idle = cluster.gpus_of_type[kind] - used[busy]
        waiting = np.flatnonzero(solution.job_node < 0)
        if waiting.size and (len(busy) < cluster.nodes or (idle.any() and not alone)):
            part = state.of(waiting)
            occupied = [*zip(busy.tolist(), kind.tolist(), idle.tolist(), strict=True)]
            queue = order(part).tolist()
            new = assign(queue, configurations(part), pool, alone=alone, occupied=occupied)
            placed = Solution.of(new.job_node, new.job_gpus, new.node_type)
            solution = beside(solution, waiting, placed)
        if whole.objective.open_nodes == "jahani_eq":
            solution = select_required_nodes(state.instance, solution)
        return Choice(solution=solution)

    return Policy(spelling=request.spelling, decide=decide, keeps_running=True)
