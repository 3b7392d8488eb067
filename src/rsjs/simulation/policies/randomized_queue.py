"""RG of `heuristics.randomized_queue`, all jobs at each event; decisions are not priced again."""

from __future__ import annotations

from math import inf
from time import perf_counter
from typing import Any

from rsjs.heuristics.common.stopping import Iterations, Seconds
from rsjs.heuristics.dispatching.queues import JobModes
from rsjs.heuristics.greedy.randomized_shared import compile_kernels, search_schedules
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.methods import Request
from rsjs.simulation.policies.workload_data import WorkloadData
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import ALL, State


def policy(request: Request, whole: Instance) -> Policy:
    """The policy `randomized_queue`; a decision ends early when its time is up."""
    epochs, known = request.options["epochs"], WorkloadData(whole)
    most = request.options["iterations"] or inf

    def decide(state: State, memory: Any) -> Choice:
        part = state.of(ALL, epochs)
        choices = JobModes.of(part, epochs, known.model(state.rows))
        stop = Iterations(most) | Seconds(state.time_limit, perf_counter)
        solution, _ = search_schedules(choices, stop, state.seed)
        return Choice(solution=select_required_nodes(part, solution))

    return Policy(spelling=request.spelling, decide=decide, prepare=compile_kernels)
