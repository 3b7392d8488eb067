"""Greedy of `heuristics.greedy`, all jobs at each event; no decision is priced."""

from __future__ import annotations

from typing import Any

from rsjs.heuristics.greedy import greedy
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.methods import Request
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State


def policy(request: Request, whole: Instance) -> Policy:
    """The policy `greedy` with one of its rules."""
    rule = str(request.rule)  # which `parse` has completed

    def decide(state: State, memory: Any) -> Choice:
        now = state.instance
        hours = now.hours_per_epoch * costs.epochs_left(now)[:, None, None]
        hours.setflags(write=False)  # as in the tables of an instance: one type for the compiler
        return Choice(solution=select_required_nodes(now, greedy.decide_by_hours(now, hours, rule)))

    return Policy(spelling=request.spelling, decide=decide, prepare=greedy.compile_kernels)
