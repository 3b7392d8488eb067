"""
Fix and optimise: an exact method decides a few nodes anew while all others stay as they are.

1. A solution by `ruin_recreate`, or the warm start; the bound is that of its dual prices.
2. Draw a neighbourhood: a few nodes, the jobs on them, and postponed jobs that could run there.
   The nodes are related: after a first one, drawn at random, come those that could run its jobs,
   too, at random, or every other time any nodes. An empty node joins where nodes may be empty.
3. Solve it as an instance of its own that costs what the whole does (`subinstance`).
4. Keep what costs less. After as many rounds in vain in a row as there are nodes, add one node.

The exact method is a callable; the whole is never handed to it, nor a part larger than it accepts.
An exception, an error and a solution that the checker refuses are failures of the method: they are
counted, the first one is reported, and the solution stays as it is.

Dorneles et al. 2014; Sahling et al. 2009 (fix-and-optimise).
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from rsjs.core.call import Call, Limits
from rsjs.core.errors import InputError, told
from rsjs.core.method import InnerMethod, Method, MethodFunction, prepare_inner
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Ints
from rsjs.heuristics.ruin_recreate import ruin_recreate
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes, runs_on_class, select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.instances.transform import SubInstance, subinstance

GAP = 1e-6  # of a part
SECONDS = 5.0  # for a part
POSTPONED = 8  # jobs of a part
MIN_GAIN = 1e-12  # relative improvement that counts


class Neighbourhoods:
    """Neighbourhoods of solutions of an instance: draws parts of them."""

    def __init__(self, instance: Instance) -> None:
        self.instance, self._runs = instance, runs_on_class(instance)

    def draw(
        self, solution: Solution, nodes: int, postponed: int, rng: np.random.Generator
    ) -> SubInstance | None:
        """Return a part of up to so many nodes and postponed jobs; None if there is none."""
        chosen = self._nodes(solution, nodes, rng)
        if not chosen.size:
            return None
        able = self._runs[:, np.unique(self.instance.cluster.class_of_node[chosen])].any(axis=1)
        waits = np.flatnonzero((solution.job_node < 0) & able)
        # postponed jobs by P_j times a random factor
        price = costs.cost_tables(self.instance).postponement[waits]
        key = price * rng.random(len(waits)) - rng.random(len(waits)) * 1e-9
        joining = waits[np.argsort(-key, kind="stable")[:postponed]]
        jobs = np.append(np.flatnonzero(np.isin(solution.job_node, chosen)), joining)
        if not jobs.size:
            return None
        return subinstance(self.instance, jobs.tolist(), chosen.tolist(), self._rule(jobs, chosen))

    def _nodes(self, solution: Solution, count: int, rng: np.random.Generator) -> Ints:
        """Draw nodes: a first one and, every other time, those related to it before the others."""
        of_class = self.instance.cluster.class_of_node
        busy = np.unique(solution.job_node[solution.job_node >= 0])
        order = rng.permutation(busy)
        if len(busy) and rng.random() < 0.5:
            jobs = np.flatnonzero(solution.job_node == order[0])
            classes = np.flatnonzero(self._runs[jobs].any(axis=0))
            related = np.isin(of_class[order], classes)
            order = np.concatenate([order[related], order[~related]])
        chosen = order[:count]
        if not self.instance.objective.open_nodes.startswith("rsjs"):
            empty = np.setdiff1d(np.arange(len(of_class)), busy)
            chosen = np.append(chosen, rng.permutation(empty)[:1])
        return chosen

    def _rule(self, jobs: Ints, nodes: Ints) -> str:
        """Return a part's rule: as many nodes as now where their number is charged or fixed."""
        objective = self.instance.objective
        if objective.open_nodes.startswith("rsjs"):
            return "rsjs_eq"
        every = required_nodes(self.instance) == self.instance.cluster.nodes
        kept = objective.open_nodes == "jahani_eq" and every and len(jobs) >= len(nodes)
        return "jahani_eq" if kept else "free"


class PartDecisions:
    """
    Sub-solver: solves parts of a solution by another method and checks the results.

    Attributes
    ----------
    failures : int
        Parts on which the method failed.
    """

    def __init__(
        self, instance: Instance, solve: MethodFunction, limits: Limits, report: Report
    ) -> None:
        self._draws = Neighbourhoods(instance)
        self._solve, self._limits, self._report = solve, limits, report
        declared = solve.declared(instance) if isinstance(solve, InnerMethod) else None
        self._most_jobs = inf if declared is None else declared.max_jobs or inf
        self._most_nodes = inf if declared is None else declared.max_nodes or inf
        self.failures, self._first = 0, ""

    def draw(
        self, now: Solution, nodes: int, postponed: int, rng: np.random.Generator
    ) -> SubInstance | None:
        """
        Return a part with so many nodes and postponed jobs, fewer where the method accepts no more.

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
        """Return the solution with the part replaced; None if the method finds nothing or fails."""
        try:
            decided = self._solution(part, now)
        except Exception as error:
            plain = isinstance(error, InputError | UnusableResult)
            self._first = self._first or (str(error) if plain else told(error))
            self.failures += 1
            return None
        if decided is None:
            return None
        return select_required_nodes(part.whole, part.merged(now, decided))

    def _solution(self, part: SubInstance, now: Solution) -> Solution | None:
        inner = self._report.child(SECONDS, phases=False)
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
                raise UnusableResult(result.message or f"{result.stop.value} without a decision")
            return None
        verdict = check(part.instance, result.solution)
        if not verdict.feasible:
            raise UnusableResult(f"its decision fails the check: {verdict.violations[0]}")
        return result.solution

    def troubles(self, rounds: int) -> str:
        """Return how many of the rounds failed and why the first one did; empty if none."""
        if not self.failures:
            return ""
        return f"{self.failures} of {rounds} rounds failed; the first: {self._first}"


class UnusableResult(Exception):
    """The sub-solver returned no usable result."""


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """
    Improve a solution part by part with `call.options["method"]`, a callable.

    Options: `rounds` parts are solved unless the time is up before, 0 = until then; `nodes` of a
    part; `iterations` of ruin and recreate before. The message says how many rounds failed.
    """
    solve = call.options.get("method")
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
    """Return why it stops, the best solution, how many parts were solved, how many improved it."""
    rounds, nodes = call.options["rounds"], call.options["nodes"]
    rng = np.random.default_rng(call.limits.seed)
    cost, in_vain, improved, made = costs.terms(instance, best).total, 0, 0, 0
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
        if found is not None and total < cost - MIN_GAIN * abs(cost):
            best, cost, in_vain, improved = found, total, 0, improved + 1
            report.incumbent(best, cost)
        else:
            in_vain += 1
            if in_vain >= instance.cluster.nodes:
                nodes, in_vain = nodes + 1, 0
