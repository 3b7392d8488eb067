"""
STS, the stochastic scheduler (Filippini et al. 2024, Algorithms 2 and 3).

    1. jobs in order of pressure, modes by the single-job model
    2. each job takes the first of its modes that finds room, best fit
    3. idle GPUs are given away; jobs that keep their mode keep their node         `sts.migration`

literal    as printed: the number of GPUs of a job never falls (k_0, which is clipped to the most
           that a job may have on a GPU type); a job none of whose configurations finds room waits.
fallback   jobs may get fewer GPUs than before, or than they want, if nothing else fits; nothing is
           given away; due dates are advanced by the least time between decisions.

Every decision takes all jobs anew. Times are those of the distributions, whatever the expectation
of the objective: w_max is the last epoch of a job's distribution. Of the shares of a GPU a job uses
the smallest it may. k_0 is what a caller says, the model's k of the previous decision and k + 1 at
T_j; without it, the dedicated GPUs of `instance.current`. These are also GPUs that were idle and
given away: so from file to file k_0 rises up to whole nodes; over time, the policy of `simulation`
keeps what the model chose. When a decision must be taken again, T_j: see `sts.kernels_sts`. The
least time between decisions is above 0: with `fallback`, which has no k_0, T_j could accumulate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult
from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.result import finished
from rsjs.heuristics.greedy.arrays import settled
from rsjs.heuristics.greedy.kernels_placement import all_free, new_state
from rsjs.heuristics.greedy.rules import GREEDY_RULES, cluster_tables
from rsjs.heuristics.sts import kernels_sts as kernel
from rsjs.heuristics.sts.kernels_sts import QueuedJobs
from rsjs.heuristics.sts.migration import Loads
from rsjs.heuristics.sts.power_model import JobData
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

ROUNDING = 1e-9  # relative, of times that are added up


@dataclass(frozen=True, kw_only=True)
class StsRule:
    """An interpretation of the published algorithm."""

    monotone: bool  # whether k_0 holds
    fallback: bool  # whether a job takes less than it wants
    gives: bool  # whether idle GPUs are given away
    margin: bool  # whether due dates are advanced by the least time between decisions


RULES = {
    "literal": StsRule(monotone=True, fallback=False, gives=True, margin=False),
    "fallback": StsRule(monotone=False, fallback=True, gives=False, margin=True),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class StsDecision:
    """A solution, and the state that the next event needs."""

    solution: Solution
    change: Floats  # (J,) h, T_j - now: until a job needs another mode; inf = it does not, or waits
    wanted: Ints  # (J,) k that the model chose, without idle GPUs given away; k_0 of jobs that wait

    def floor(self, elapsed: float) -> Ints:
        """Return (J,) k_0 at an event so many hours later."""
        return floor(self.wanted, self.change, elapsed)


def floor(wanted: Ints, change: Floats, elapsed: float) -> Ints:
    """Return (J,) k_0 so many hours after a decision: k + 1 where T_j has come, else k."""
    return wanted + (change <= elapsed * (1 + ROUNDING))


def decide(
    instance: Instance,
    rule: str = "literal",
    *,
    floor: Ints | None = None,
    spacing: float = 1 / 60,
) -> StsDecision:
    """
    Return the solution of an instance.

    Parameters
    ----------
    rule : one of RULES
    floor : (J,) int, optional
        k_0 of each job.
    spacing : float [h]
        Minimum time between events.
    """
    jobs, current = instance.jobs, instance.current
    if floor is None:
        floor = np.zeros(len(jobs), dtype=np.int64) if current is None else current.job_gpus
    decisions = Decisions(instance.cluster, rule, spacing)
    data = JobData.of(instance)
    return decisions.decide(data, jobs.due, jobs.weight, floor, instance.now, current)


class Decisions:
    """Decisions on the jobs of a cluster, see `decide`, with memory that they share."""

    def __init__(self, cluster: Cluster, rule: str, spacing: float) -> None:
        self._rule, self._spacing = RULES[rule], spacing
        tables = cluster_tables(cluster, GREEDY_RULES["code"])
        self._nodes, self._closed = tables.nodes, tables.all_closed
        self._free = all_free(cluster, tables, new_state(tables.nodes, jobs=0, listed=0))
        self._loads = Loads(cluster)

    def decide(
        self,
        data: JobData,
        due: Floats,
        weight: Floats,
        floor: Ints,
        now: float,
        current: Solution | None,
    ) -> StsDecision:
        """Return the solution of some jobs at a time; the arrays are (J,), `floor` is k_0."""
        chosen, jobs, model = self._rule, len(due), data.model
        node, gpu, count, shared, wanted = np.empty((5, jobs), dtype=np.int64)
        made = kernel.DecisionArrays(node, gpu, count, shared, wanted, np.empty(jobs))
        queued = QueuedJobs(
            rate=model.rate,
            power=model.power,
            units=model.units,
            time=due - now - (self._spacing if chosen.margin else 0.0),
            due=due,
            weight=weight,
            floor=floor if chosen.monotone else np.zeros(jobs, dtype=np.int64),
            kept=floor,
        )
        kernel.decide(
            *(self._nodes, settled(queued), settled(data.steps), float(now), self._spacing),
            *(chosen.fallback, chosen.gives, self._closed, self._free, made),
        )
        level = np.full(jobs, -1)
        if shared.max(initial=-1) >= 0:
            level = np.where(shared >= 0, model.level[np.arange(jobs), gpu], -1)
        solution = Solution(
            job_node=node, job_gpus=count, job_level=level, node_type=self._free.state.node_type
        )
        if current is not None:
            solution = self._loads.on_their_nodes(current, solution)
        return StsDecision(solution=solution, change=made.change, wanted=wanted)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by STS."""
    with report.phase("solve"):
        decision = decide(instance, str(call.rule), spacing=call.options["spacing"] / 60)
    return finished(instance, decision.solution, report)


def compile_kernels(*_: object) -> None:
    """Compile or load the kernels; the arguments are not used."""
    decide(smallest())
