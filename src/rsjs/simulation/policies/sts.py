"""
STS over time (Filippini et al. 2024, Algorithms 2 and 3): all jobs anew, at events and at T_j.

A decision is that of `heuristics.sts.sts`. It says when each job needs another mode, T_j, and
the first such time is an event. With the rule `literal` the number of GPUs of a job never falls:
k_0 is what the model chose at the decision before, k + 1 where T_j has come since, and is kept for
jobs that wait. What idle GPUs a job was given on top does not count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.sts import sts
from rsjs.instances.instance import Instance
from rsjs.methods import Request
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State, WorkloadData


class Memory(NamedTuple):
    """The last solution and its jobs."""

    rows: Ints
    decision: sts.StsDecision


def policy(request: Request, whole: Instance) -> Policy:
    """Build the policy `sts` with one of its rules."""
    rule, spacing = str(request.rule), request.options["spacing"] / 60
    known = WorkloadData(whole)

    def decide(state: State, memory: Memory | None) -> Choice:
        floor, data = _floor(state, memory), known.jobs(state)
        decision = sts.decide(state.instance, rule, floor=floor, spacing=spacing, data=data)
        memory = Memory(state.rows, decision)
        return Choice(solution=decision.solution, change=decision.change, memory=memory)

    return Policy(spelling=request.spelling, decide=decide, prepare=sts.compile_kernels)


def _floor(state: State, memory: Memory | None) -> Ints:
    """Return (A,) k_0 of the jobs at hand; 0 of those that have just come."""
    floor = np.zeros(len(state.rows), dtype=np.int64)
    if memory is not None:
        before = np.searchsorted(memory.rows, state.rows)
        known = before < len(memory.rows)
        known[known] = memory.rows[before[known]] == state.rows[known]
        floor[known] = memory.decision.floor(state.elapsed)[before[known]]
    return floor
