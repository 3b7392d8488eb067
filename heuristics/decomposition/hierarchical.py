"""
Hierarchical decomposition: K controllers, each with its own jobs and nodes (Kiros 2020, 3.1.2).

    1. Jobs and nodes are dealt to the controllers (`partition.divide`).
    2. Each controller solves its part with the same method, exact or heuristic (`parallel`).
    3. The union of their solutions is one of the whole instance.

With T threads up to T controllers run in parallel, each on one thread; the solution does not depend
on T unless a limit ends a controller. One controller alone has the whole instance and all threads.

Under a rule for open nodes the union is repaired: nodes without a job are selected ("jahani_eq",
`select_required_nodes`), or jobs are moved ("rsjs_eq", "rsjs_eq_feasible", `cover`). Unions of the
first controllers are reported as they come in, the jobs of the others postponed; the cheapest union
is the result. Its cost is that of the whole instance, whose postponement costs may exceed those of
a part. The sum of the parts' bounds is valid for the divided problem only, so none is reported.

Repair by assignment: exactly as many nodes have a job as `open_nodes` asks for.

    Sets and data
        j in J, n in N; R = nodes that must have a job, see `required_nodes`
        D_jn = min cost of j alone on n, less P_j if j is postponed now; inf where not admissible

    max sum_jn y_jn, then min sum_jn (y_jn where j does not run on n now), then about min
    sum of D_jn: one assignment, y_jn in {0, 1}, one job a node, one node a job

A job with y_jn = 1 that runs on n already stays as it is; another one gets n to itself in its
cheapest mode. The jobs that ran there are postponed, unless they are chosen for a node themselves.
As a maximum matching has R pairs, no node outside it keeps a job. If it has fewer, the instance has
no feasible solution.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method, MethodFunction
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Floats, Ints
from rsjs.heuristics.decomposition.parallel import Worker, one_by_one, side_by_side
from rsjs.heuristics.decomposition.partition import Division, divide, parts
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes, select_required_nodes
from rsjs.instances.solution import Solution

GRAVEST = (Stop.ERROR, Stop.INTERRUPTED, Stop.MEMORY_LIMIT, Stop.TIME_LIMIT)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """
    Divide the instance, solve the parts with `call.options["method"]`, and merge the solutions.

    The options `controllers` and `split` are those of `partition.divide`. Counts: controllers,
    jobs and nodes of the smallest and largest part, and jobs that run on no node of their part.
    """
    try:
        with report.phase("build"):
            division = divide(instance, call.options["controllers"], call.options["split"])
            union = _Union(instance, division, report)
        for position, result in _solved(call.options["method"], union.instances, call, report):
            union.add(position, result)
    finally:
        for worker in call.ready or ():
            worker.end()
    return union.result()


def _solved(
    solve: MethodFunction, instances: Sequence[Instance], call: Call, report: Report
) -> Iterator[tuple[int, SolveResult]]:
    """Yield position and result of each part."""
    processes = min(call.limits.threads, len(instances))
    limits = call.limits if len(instances) == 1 else replace(call.limits, threads=1)
    asked = replace(call, options={}, limits=limits, warm_start=None, ready=None)
    if processes <= 1:
        return one_by_one(solve, instances, asked, report)
    workers = call.ready or [Worker() for _ in range(processes)]
    return side_by_side(solve, instances, asked, report, workers)


def prepare(_method: Method, call: Call, jobs: int) -> list[Worker] | None:
    """Prepare the controllers' method, in worker processes if several threads are allowed."""
    solve = call.options["method"]
    processes = min(call.limits.threads, call.options["controllers"])
    if processes <= 1:
        solve.prepare(call, jobs)
        return None
    one = replace(call, limits=replace(call.limits, threads=1))
    workers = [Worker((solve, one, jobs)) for _ in range(processes)]
    for worker in workers:
        worker.wait()
    return workers


class _Union:
    """
    The controllers' solutions, joined in their order as they come in.

    Attributes
    ----------
    instances : list of Instance
        Those that have something to decide.
    """

    def __init__(self, instance: Instance, division: Division, report: Report) -> None:
        self._instance, self._division, self._report = instance, division, report
        dealt = parts(instance, division)
        self._parts = [(k, part) for k, part in enumerate(dealt) if part is not None]
        self.instances = [part.instance for _, part in self._parts]
        self._results: dict[int, SolveResult] = {}
        self._joined = Solution.empty(len(instance.jobs), instance.cluster.nodes)
        self._first = 0  # how many controllers are joined, without a gap
        self._feasible = True

    def add(self, position: int, result: SolveResult) -> None:
        """Take a controller's result; offer the unions of the first ones, as far as they are in."""
        if result.solution is not None:
            verdict = check(self.instances[position], result.solution)
            if not verdict.feasible:
                message = f"its decision fails the check: {verdict.violations[0]}"
                result = SolveResult(stop=Stop.ERROR, message=message)
        self._results[position] = result
        while self._first in self._results:
            self._join([self._first])
            self._first += 1

    def _join(self, positions: Iterable[int]) -> None:
        """Join the solutions of some controllers, if there are any, and offer the union."""
        found = [(p, self._results[p].solution) for p in positions]
        with self._report.phase("extract"):
            for position, solution in found:
                if solution is not None:
                    self._joined = self._parts[position][1].merged(self._joined, solution)
            if any(solution is not None for _, solution in found):
                self._offer()

    def _offer(self) -> None:
        """Repair and report the union."""
        if self._instance.objective.open_nodes.startswith("rsjs_eq"):
            union = cover(self._instance, self._joined)
        else:
            union = select_required_nodes(self._instance, self._joined)
        if union is None:
            self._feasible = False
            return
        self._report.incumbent(union, costs.terms(self._instance, union).total)

    def result(self) -> SolveResult:
        """Return the best union with why it ended and what went wrong."""
        if not self.instances:
            with self._report.phase("extract"):
                self._offer()
        self._join(sorted(p for p in self._results if p > self._first))
        stops = {result.stop for result in self._results.values()}
        if len(self._results) < len(self.instances):
            asked = self._report.stop_requested()
            stops.add(Stop.INTERRUPTED if asked else Stop.TIME_LIMIT)
        stop = next((stop for stop in GRAVEST if stop in stops), Stop.ITERATIONS)
        stop = stop if self._feasible else Stop.INFEASIBLE
        return self._report.result(stop, counts=self._counts(), message=self._troubles())

    def _troubles(self) -> str:
        """Return the first controller with an error or without a solution, and how many more."""
        bad = [
            position
            for position, result in sorted(self._results.items())
            if result.stop is Stop.ERROR or result.solution is None
        ]
        if not bad:
            return ""
        first, others = self._results[bad[0]], len(bad) - 1
        message = f"controller {self._parts[bad[0]][0] + 1} of {self._division.controllers}: "
        message += first.message or f"{first.stop.value.replace('_', ' ')} without a decision"
        return message + (f" (and {others} more)" if others else "")

    def _counts(self) -> dict[str, int]:
        controllers = self._division.controllers
        jobs = np.bincount(self._division.job, minlength=controllers)
        nodes = np.bincount(self._division.node, minlength=controllers)
        able = sum(len(part.jobs) for _, part in self._parts)
        return {
            "controllers": controllers,
            "fewest_jobs": int(jobs.min()),
            "most_jobs": int(jobs.max()),
            "fewest_nodes": int(nodes.min()),
            "most_nodes": int(nodes.max()),
            "jobs_without_node": len(self._division.job) - able,
        }


def cover(instance: Instance, solution: Solution) -> Solution | None:
    """
    Return a solution with R nodes that have a job, under "rsjs_eq" and "rsjs_eq_feasible".

    None if the instance has no such solution.
    """
    required = required_nodes(instance)
    if len(np.unique(solution.job_node[solution.job_node >= 0])) == required:
        return solution
    from scipy.optimize import linear_sum_assignment

    # (|M|,) pairs of the matching: job, node
    price, mode = _alone(instance)
    jobs, nodes = linear_sum_assignment(_weights(instance, solution, price))
    real = np.isfinite(price[jobs, nodes])
    jobs, nodes = jobs[real], nodes[real]
    if len(jobs) < required:
        return None
    stays = solution.job_node[jobs] == nodes
    moved, target = jobs[~stays], nodes[~stays]
    job_node, node_type = solution.job_node.copy(), solution.node_type.copy()
    job_gpus, job_level = solution.job_gpus.copy(), solution.job_level.copy()
    # postpone all jobs on the nodes that get another job, then move these jobs there
    gone = np.append(moved, np.flatnonzero(np.isin(job_node, target)))
    job_node[gone], job_gpus[gone], job_level[gone] = -1, 0, -1
    job_node[moved] = target
    width = instance.cluster.largest + 1
    node_type[target], job_gpus[moved] = np.divmod(mode[moved, target], width)
    node_type[np.setdiff1d(np.arange(len(node_type)), job_node)] = -1
    return Solution.of(job_node, job_gpus, node_type, job_level)


def _alone(instance: Instance) -> tuple[Floats, Ints]:
    """Return (J, N) the min cost [$] of a job alone on a node, inf if not admissible; its mode."""
    table, cluster = costs.cost_tables(instance), instance.cluster
    hours = table.hours[:, cluster.gpu_of_type]
    usable = np.isfinite(hours) & np.isfinite(cluster.cost_of_type)
    energy = np.where(usable, hours, 0.0) * np.where(usable, cluster.cost_of_type, 0.0)
    cost = np.where(usable, table.tardiness[:, cluster.gpu_of_type] + energy, np.inf)
    allowed = cluster.allowed_in_class[None, :, :, None]
    by_class = np.where(allowed, cost[:, None], np.inf).reshape(
        len(cost), len(cluster.allowed_in_class), -1
    )
    of_node = cluster.class_of_node
    return by_class.min(axis=2)[:, of_node], by_class.argmin(axis=2)[:, of_node]


def _weights(instance: Instance, solution: Solution, price: Floats) -> Floats:
    """Return (J, N) 0 where a job stays, 1 to 1 + 1 / pairs if admissible, else more than all."""
    pairs = min(price.shape) + 1
    waiting = solution.job_node < 0
    extra = price - np.where(waiting, costs.cost_tables(instance).postponement, 0.0)[:, None]
    able = np.isfinite(price)
    least, most = extra[able].min(initial=0.0), extra[able].max(initial=0.0)
    rank = (np.where(able, extra, most) - least) / max(most - least, 1e-300)
    weights: Floats = np.where(able, 1.0 + rank / pairs, 3.0 * pairs)
    running = np.flatnonzero(~waiting)
    weights[running, solution.job_node[running]] = 0.0
    return weights
