"""DP of `heuristics.dynamic_programming`, all jobs at each event; decisions are not priced."""

from __future__ import annotations

from typing import Any

from rsjs.heuristics.dispatching import pooled_dp
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.methods import Request
from rsjs.simulation.policies.workload_data import WorkloadData
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import ALL, State


def policy(request: Request, whole: Instance) -> Policy:
    """The policy `dp` with one of its rules."""
    rule, epochs, known = str(request.rule), request.options["epochs"], WorkloadData(whole)

    def decide(state: State, memory: Any) -> Choice:
        part = state.of(ALL, epochs)
        found = pooled_dp.decide(part, rule, epochs, known.model(state.rows))
        return Choice(solution=select_required_nodes(part, found))

    return Policy(spelling=request.spelling, decide=decide)
