"""
Fix and optimise: an exact method decides a few nodes anew while all others stay as they are.

1. A schedule by `ruin_recreate`, or the warm start; the bound is that of its prices.
2. Draw a neighbourhood, a few nodes with their jobs and some postponed jobs (`neighbourhoods`),
   and solve it as an instance of its own that costs what the whole does (`subinstance`).
3. Keep what costs less. After as many rounds in vain in a row as there are nodes, add one node.

The exact method is a callable; the whole is never handed to it, nor a part larger than it accepts.
If it fails, the schedule stays as it is (`part_decisions`). Dorneles et al. 2014; Sahling et
al. 2009 (fix-and-optimise).

Parts of a schedule, decided by another method: no larger than it accepts, and checked.

An exception, an error and a decision that the checker refuses are failures of the method: they are
counted, the first one is told, and the schedule stays as it is.

Which nodes and jobs a part of a schedule has, to be decided anew.

A neighbourhood is a few nodes, the jobs on them, and postponed jobs that could run there. The
nodes are related: after a first one, drawn at random, come those that could run its jobs, too,
at random, or every other time any nodes. An empty node joins where nodes may be empty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from rsjs.core.errors import InputError, told
from rsjs.core.method import (
    Call,
    Declared,
    Limits,
    Method,
    Report,
    Run,
    SolveResult,
    Stop,
    prepare_inner,
)
from rsjs.core.types import Bools, Ints
from rsjs.heuristics.local_search.methods import options_of
from rsjs.heuristics.ruin_recreate import ruin_recreate
from rsjs.heuristics.ruin_recreate.methods import FIX_AND_OPTIMISE
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes, select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.instances.transform import SubInstance, subinstance


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """
    Draws parts of a schedule.

    Attributes
    ----------
    runs : (J, C) bool
        Whether a job may run on some node type of a class.
    """

    instance: Instance
    runs: Bools

    @staticmethod
    def of(instance: Instance) -> Neighbourhoods:
        """The neighbourhoods of an instance."""
        cluster = instance.cluster
        on_gpu = np.isfinite(instance.hours_per_epoch)  # whoever may take a share may take a GPU
        on_type = np.stack(
            [
                on_gpu[:, gpu, : size + 1].any(axis=1)
                for gpu, size in zip(cluster.gpu_of_type, cluster.gpus_of_type, strict=True)
            ],
            axis=1,
        )
        return Neighbourhoods(instance, np.matmul(on_type, cluster.allowed_in_class.T))

    def draw(
        self, decision: Solution, nodes: int, postponed: int, rng: np.random.Generator
    ) -> SubInstance | None:
        """Up to so many nodes and postponed jobs; None if there is nothing to decide."""
        chosen = self._nodes(decision, nodes, rng)
        if not chosen.size:
            return None
        able = self.runs[:, np.unique(self.instance.cluster.class_of_node[chosen])].any(axis=1)
        waits = np.flatnonzero((decision.job_node < 0) & able)
        price = costs.cost_tables(self.instance).postponement[waits]
        key = price * rng.random(len(waits)) - rng.random(len(waits)) * 1e-9
        joining = waits[np.argsort(-key, kind="stable")[:postponed]]
        jobs = np.append(np.flatnonzero(np.isin(decision.job_node, chosen)), joining)
        if not jobs.size:
            return None
        return subinstance(self.instance, jobs.tolist(), chosen.tolist(), self._rule(jobs, chosen))

    def _nodes(self, decision: Solution, count: int, rng: np.random.Generator) -> Ints:
        of_class = self.instance.cluster.class_of_node
        busy = np.unique(decision.job_node[decision.job_node >= 0])
        order = rng.permutation(busy)
        if len(busy) and rng.random() < 0.5:
            here = np.flatnonzero(decision.job_node == order[0])
            classes = np.flatnonzero(self.runs[here].any(axis=0))
            related = np.isin(of_class[order], classes)
            order = np.concatenate([order[related], order[~related]])
        chosen = order[:count]
        if not self.instance.objective.open_nodes.startswith("rsjs"):
            empty = np.setdiff1d(np.arange(len(of_class)), busy)
            chosen = np.append(chosen, rng.permutation(empty)[:1])
        return chosen

    def _rule(self, jobs: Ints, nodes: Ints) -> str:
        """As many nodes as now where the whole has a rule that charges or fixes their number."""
        objective = self.instance.objective
        if objective.open_nodes.startswith("rsjs"):
            return "rsjs_eq"
        every = required_nodes(self.instance) == self.instance.cluster.nodes
        kept = objective.open_nodes == "jahani_eq" and every and len(jobs) >= len(nodes)
        return "jahani_eq" if kept else "free"


GAP = 1e-6  # of a part
SECONDS = 5.0  # for a part


class PartReport(Report):
    """The report of one part, which ends when the whole is asked to."""

    def __init__(self, whole: Report) -> None:
        super().__init__(min(SECONDS, whole.remaining()))
        self._whole = whole

    def stop_requested(self) -> bool:
        return self._whole.stop_requested()


class PartDecisions:
    """
    Draws parts of a schedule and has them decided.

    Attributes
    ----------
    failures : int
        Parts on which the method failed.
    """

    def __init__(self, instance: Instance, solve: Run, limits: Limits, report: Report) -> None:
        self._draws = Neighbourhoods.of(instance)
        self._solve, self._limits, self._report = solve, limits, report
        declared = solve.declared(instance) if isinstance(solve, Declared) else None
        self._most_jobs = inf if declared is None else declared.max_jobs or inf
        self._most_nodes = inf if declared is None else declared.max_nodes or inf
        self.failures, self._first = 0, ""

    def draw(
        self, now: Solution, nodes: int, postponed: int, rng: np.random.Generator
    ) -> SubInstance | None:
        """
        A part with so many nodes and postponed jobs, fewer where the method accepts no more.

        Postponed jobs are at most half of the jobs that it accepts, for the nodes have some too.
        None if there is nothing to decide.
        """
        waiting = int(min(postponed, self._most_jobs / 2))
        for count in range(int(min(nodes, self._most_nodes, self._most_jobs)), -1, -1):
            part = self._draws.draw(now, count, waiting, rng)
            if part is None or self._accepts(part.instance):
                return part
        return None

    def _accepts(self, part: Instance) -> bool:
        return len(part.jobs) <= self._most_jobs and part.cluster.nodes <= self._most_nodes

    def decide(self, part: SubInstance, now: Solution) -> Solution | None:
        """The schedule with the part decided anew; None if the method finds nothing or fails."""
        try:
            found = self._decision(part, now)
        except Exception as error:
            plain = isinstance(error, InputError | _Refused)
            self._first = self._first or (str(error) if plain else told(error))
            self.failures += 1
            return None
        return None if found is None else select_required_nodes(part.whole, part.merged(now, found))

    def _decision(self, part: SubInstance, now: Solution) -> Solution | None:
        inner = PartReport(self._report)
        limits = Limits(
            time_limit=inner.time_limit,
            gap=GAP,
            threads=self._limits.threads,
            seed=self._limits.seed,
        )
        start = select_required_nodes(part.instance, part.restricted(now))
        result = self._solve(part.instance, Call(limits=limits, warm_start=start), inner)
        if result.solution is None:
            if result.stop in (Stop.ERROR, Stop.INFEASIBLE):  # its start is feasible
                raise _Refused(result.message or f"{result.stop.value} without a decision")
            return None
        verdict = check(part.instance, result.solution)
        if not verdict.feasible:
            raise _Refused(f"its decision fails the check: {verdict.violations[0]}")
        return result.solution

    def troubles(self, rounds: int) -> str:
        """How many of the rounds failed and why the first one did; empty if none."""
        if not self.failures:
            return ""
        return f"{self.failures} of {rounds} rounds failed; the first: {self._first}"


class _Refused(Exception):
    """A result that is none."""


LEAST = 1e-12  # relative improvement that counts
POSTPONED = 8  # jobs of a part


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """
    Improve a schedule part by part with `call.options["method"]`, a callable.

    Options: `rounds` parts are solved unless the time is up before, 0 = until then; `nodes` of a
    part; `iterations` of ruin and recreate before. The message tells how many rounds failed, see
    `part_decisions`.
    """
    call = replace(call, options=options_of(FIX_AND_OPTIMISE, call))
    solve = call.options["method"]
    if not callable(solve):
        expected = "a callable, such as rsjs.methods.parse makes of a spelling"
        raise InputError("", f"method={solve}", expected)
    before = replace(call, options={"iterations": call.options["iterations"]})
    first = ruin_recreate.run(instance, before, report)
    if first.solution is None or first.stop in (Stop.GAP, Stop.INTERRUPTED, Stop.TIME_LIMIT):
        return first
    with report.phase("parts"):
        parts = PartDecisions(instance, solve, call.limits, report)
        stop, solution, rounds, improved = _improve(
            instance, first.solution, first.bound, parts, call, report
        )
    return replace(
        first,
        stop=stop,
        solution=solution,
        objective=costs.terms(instance, solution).total,
        seconds=dict(report.seconds),
        events=tuple(report.events),
        counts={**first.counts, "rounds": rounds, "improved": improved},
        message=parts.troubles(rounds),
    )


def prepare(method: Method, call: Call, jobs: int) -> None:
    """Compile or load the kernels; prepare the exact method."""
    ruin_recreate.prepare(method, call, jobs)
    prepare_inner(method, call, jobs)


def _improve(
    instance: Instance,
    best: Solution,
    bound: float | None,
    parts: PartDecisions,
    call: Call,
    report: Report,
) -> tuple[Stop, Solution, int, int]:
    """Why it stops, the best schedule, how many parts were solved and how many improved it."""
    rounds, nodes = call.options["rounds"], call.options["nodes"]
    rng = np.random.default_rng(call.limits.seed)
    cost, failures, improved, made = costs.terms(instance, best).total, 0, 0, 0
    while True:
        if bound is not None and cost - bound <= call.limits.gap * abs(cost):
            return Stop.GAP, best, made, improved
        if report.stop_requested():
            return Stop.INTERRUPTED, best, made, improved
        if report.remaining() <= 0:
            return Stop.TIME_LIMIT, best, made, improved
        if rounds and made >= rounds:
            return Stop.ITERATIONS, best, made, improved
        made += 1
        part = parts.draw(best, nodes, POSTPONED, rng)
        found = None if part is None else parts.decide(part, best)
        total = np.inf if found is None else costs.terms(instance, found).total
        if found is not None and total < cost - LEAST * abs(cost):
            best, cost, failures, improved = found, total, 0, improved + 1
            report.incumbent(best, cost)
        else:
            failures += 1
            if failures >= instance.cluster.nodes:
                nodes, failures = nodes + 1, 0
