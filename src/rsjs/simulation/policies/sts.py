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

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.sts import sts
from rsjs.instances.instance import Instance
from rsjs.methods import Request
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State, WorkloadData


class Memory(NamedTuple):
    """The last decision on each job of the workload, see `StsDecision`."""

    wanted: Ints  # (J,)
    change: Floats  # (J,)

    @staticmethod
    def of(jobs: int) -> Memory:
        """Return the memory before the first decision: k_0 is 0."""
        return Memory(np.zeros(jobs, dtype=np.int64), np.full(jobs, np.inf))

    def floor(self, rows: Ints, elapsed: float) -> Ints:
        """Return (A,) k_0 of the jobs at hand, so many hours later."""
        return sts.floor(self.wanted[rows], self.change[rows], elapsed)


def policy(request: Request, whole: Instance) -> Policy:
    """Build the policy `sts` with one of its rules."""
    decisions = sts.Decisions(
        whole.cluster, str(request.rule), spacing=request.options["spacing"] / 60
    )
    known, jobs = WorkloadData(whole), whole.jobs

    def decide(state: State, memory: Memory | None) -> Choice:
        rows, memory = state.rows, memory or Memory.of(len(jobs))
        floor = memory.floor(rows, state.elapsed)
        data, due, weight = known.jobs(state), jobs.due[rows], jobs.weight[rows]
        made = decisions.decide(data, due, weight, floor, state.now, state.current)
        memory.wanted[rows], memory.change[rows] = made.wanted, made.change
        return Choice(solution=made.solution, change=made.change, memory=memory)

    return Policy(spelling=request.spelling, decide=decide, prepare=sts.compile_kernels)
