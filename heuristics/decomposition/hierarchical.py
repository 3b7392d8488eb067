"""
Hierarchical decomposition: K controllers, each with its own jobs and nodes (Kiros 2020, 3.1.2).

    1. jobs and nodes are dealt to the controllers            splitting.py
    2. each controller solves its part with the same method   parts.py, controllers.py
    3. the union of their decisions is one of the whole       parts.union

The method is a callable, exact or heuristic. With T threads up to T controllers run side by side,
each on one thread; the decision does not depend on T unless a limit ends a controller. One
controller alone has the whole instance and all threads.

Under a rule for open nodes the union is made up to it: nodes without a job are selected
("jahani_eq", completion.py), or jobs are moved ("rsjs_eq", "rsjs_eq_feasible", node_cover.py).
Unions of the first controllers are reported as they come in, the jobs of the others postponed;
the cheapest of them is the decision. Its cost is that of the whole instance, whose postponement
costs may exceed those that a part sees (parts.py). The parts' bounds add up to one of the divided
problem, not of the instance: so none is reported.

The hierarchical decomposition, declared as data; it serves what its controllers' method does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rsjs.core.method import Call, Method, Option, Report, Run, SolveResult, Stop
from rsjs.heuristics.decomposition.parallel import Team, one_by_one, side_by_side
from rsjs.heuristics.decomposition.partition import Part, divide, parts, union
from rsjs.heuristics.decomposition.repair import cover
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

GRAVEST = (Stop.ERROR, Stop.INTERRUPTED, Stop.MEMORY_LIMIT, Stop.TIME_LIMIT)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """
    Divide, solve the parts with `call.options["method"]`, a callable, and unite.

    The options `controllers` and `split` are those of `splitting.divide`. Counts: controllers,
    jobs and nodes of the smallest and largest part, and jobs that run on no node of theirs.
    """
    team: Team | None = call.ready
    try:
        with report.phase("build"):
            division = divide(instance, call.options["controllers"], call.options["split"])
            whole = _Union(instance, parts(instance, division), report)
        for position, result in _solved(call.options["method"], whole.instances, call, report):
            whole.add(position, result)
    finally:
        if team is not None:
            team.end()
    return whole.result()


def _solved(
    solve: Run, instances: Sequence[Instance], call: Call, report: Report
) -> Iterator[tuple[int, SolveResult]]:
    processes = min(call.limits.threads, len(instances))
    limits = call.limits if len(instances) == 1 else replace(call.limits, threads=1)
    asked = replace(call, options={}, limits=limits, warm_start=None, ready=None)
    if processes <= 1:
        return one_by_one(solve, instances, asked, report)
    return side_by_side(solve, instances, asked, report, call.ready or Team(processes))


def prepare(_method: Method, call: Call, jobs: int) -> Team | None:
    """Prepare the controllers' method, in processes of theirs if there will be some."""
    solve = call.options["method"]
    processes = min(call.limits.threads, call.options["controllers"])
    if processes <= 1:
        solve.prepare(call, jobs)
        return None
    one = replace(call, limits=replace(call.limits, threads=1))
    team = Team(processes, (solve, one, jobs))
    team.wait()
    return team


class _Union:
    """
    The controllers' decisions, joined in their order as they come in.

    Attributes
    ----------
    instances : list of Instance
        Those that have something to decide.
    """

    def __init__(self, instance: Instance, parts: Sequence[Part], report: Report) -> None:
        self._instance, self._parts, self._report = instance, parts, report
        self._acting = [k for k, part in enumerate(parts) if part.instance is not None]
        self.instances = [part.instance for part in parts if part.instance is not None]
        self._results: dict[int, SolveResult] = {}
        self._feasible = True
        self._best: Solution | None = None
        self._objective: float | None = None

    def add(self, position: int, result: SolveResult) -> None:
        """Take a controller's result; offer the unions of the first ones, as far as they are in."""
        part = self.instances[position]
        if result.solution is not None:
            verdict = check(part, result.solution)
            if not verdict.feasible:
                message = f"its decision fails the check: {verdict.violations[0]}"
                result = SolveResult(stop=Stop.ERROR, message=message)
        before = self._first()
        self._results[position] = result
        for count in range(before, self._first()):
            self._offer(range(count + 1))

    def _first(self) -> int:
        """How many controllers are in without a gap."""
        return next(k for k in range(len(self.instances) + 1) if k not in self._results)

    def _offer(self, positions: Sequence[int]) -> None:
        """Keep and report the union of some controllers if it is the best so far."""
        decided = {self._acting[p]: self._results[p].solution for p in positions}
        if decided and all(solution is None for solution in decided.values()):
            return
        with self._report.phase("extract"):
            decisions = [decided.get(k) for k in range(len(self._parts))]
            joined = _as_asked(self._instance, union(self._instance, self._parts, decisions))
            if joined is None:
                self._feasible = False
                return
            objective = costs.terms(self._instance, joined).total
        if self._objective is None or objective < self._objective:
            self._best, self._objective = joined, objective
            self._report.incumbent(joined, objective)

    def result(self) -> SolveResult:
        """The best union with why it ended and what went wrong."""
        if self._first() < len(self._results) or not self.instances:
            self._offer(sorted(self._results))
        stops = {result.stop for result in self._results.values()}
        if len(self._results) < len(self.instances):
            asked = self._report.stop_requested()
            stops.add(Stop.INTERRUPTED if asked else Stop.TIME_LIMIT)
        stop = next((stop for stop in GRAVEST if stop in stops), Stop.ITERATIONS)
        stop = stop if self._feasible else Stop.INFEASIBLE
        return SolveResult(
            stop=stop,
            solution=self._best,
            objective=self._objective,
            counts=self._counts(),
            message=self._troubles(),
        )

    def _troubles(self) -> str:
        """The first controller with an error or without a decision, and how many more."""
        bad = [
            position
            for position, result in sorted(self._results.items())
            if result.stop is Stop.ERROR or result.solution is None
        ]
        if not bad:
            return ""
        first, others = self._results[bad[0]], len(bad) - 1
        told = f"controller {self._acting[bad[0]] + 1} of {len(self._parts)}: "
        told += first.message or f"{first.stop.value.replace('_', ' ')} without a decision"
        return told + (f" (and {others} more)" if others else "")

    def _counts(self) -> dict[str, int]:
        jobs = [len(part.jobs) for part in self._parts]
        nodes = [len(part.nodes) for part in self._parts]
        return {
            "controllers": len(self._parts),
            "fewest_jobs": min(jobs),
            "most_jobs": max(jobs),
            "fewest_nodes": min(nodes),
            "most_nodes": max(nodes),
            "jobs_without_node": sum(len(part.jobs) - len(part.able) for part in self._parts),
        }


def _as_asked(instance: Instance, joined: Solution) -> Solution | None:
    """A union that satisfies `open_nodes`; None if no decision does."""
    if instance.objective.open_nodes.startswith("rsjs_eq"):
        return cover(instance, joined)
    return select_required_nodes(instance, joined)


HIERARCHICAL = Method(
    name="hierarchical",
    summary="Kiros' controllers, each with its own jobs and nodes and any method",
    kind="heuristic",
    run="rsjs.heuristics.decomposition.hierarchical:run",
    prepare="rsjs.heuristics.decomposition.hierarchical:prepare",
    options={
        "method": Option(
            default="greedy:paper",
            kind="method",
            help="what each controller runs, exact or heuristic",
        ),
        "controllers": Option(default=4, minimum=1, help="number K of controllers"),
        "split": Option(
            default="round_robin",
            choices=("round_robin", "pressure", "demand"),
            help="jobs in circular order, the most pressing first, or demand for GPUs balanced",
        ),
    },
)
