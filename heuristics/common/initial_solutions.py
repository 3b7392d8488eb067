"""
Initial solutions of a search: a warm start, what another method reports, a random sample.

A search begins from the warm start if there is one, else from all incumbents of its method `start`,
which has at most half of the time. Where these are too few, the best different schedules of the
randomized greedy are added. Each solution counts once, without its empty nodes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import MethodFunction
from rsjs.core.report import Report, SolveResult
from rsjs.heuristics.common.stopping import Reported, Stopping
from rsjs.heuristics.greedy.randomized import CELLS, Constructions
from rsjs.heuristics.greedy.randomized_arrays import prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.heuristics.local_search.arrays import without_empty_nodes
from rsjs.heuristics.registry import COMPLETED, METHODS, START
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

ITERATIONS = 1000  # of the randomized greedy
SHARE = 0.5  # of the time: the most that the method `start` has

Found = tuple[float, Solution]  # cost [$] and schedule


def gathered(
    instance: Instance, call: Call, report: Report, count: int, *, fill: bool
) -> tuple[list[Found], SolveResult | None]:
    """
    Return initial solutions, the cheapest first, and the result of the method `start`.

    Parameters
    ----------
    count : int
        Initial solutions at most.
    fill : bool
        Whether the randomized greedy adds to those of `start` where they are fewer.
    """
    result, solutions = None, [call.warm_start]
    if call.warm_start is None:
        solutions = []

        def keep(solution: Solution, _objective: float) -> None:
            # priced anew: the search may return it
            solutions.append(solution)
            report.incumbent(solution, costs.terms(instance, solution).total)

        inner = report.child(SHARE * report.remaining(), on_incumbent=keep)
        result = _run_start(instance, call, inner)
        solutions.append(result.solution)
    found: list[Found] = []
    for solution in filter(None, solutions):
        _add(instance, found, solution)
    if found and fill and len(found) < count and instance.objective.open_nodes in COMPLETED:
        with report.phase("sample"):
            for solution in sample(instance, call.limits.seed, count, Reported(report)):
                _add(instance, found, solution)
    found = sorted(found, key=lambda pair: pair[0])[:count]
    for cost, solution in found[:1]:
        report.incumbent(solution, cost)
    return found, result


def sample(instance: Instance, seed: int, count: int, stop: Stopping) -> list[Solution]:
    """
    Return the best of 1000 iterations of `randomized_greedy:paper`, `count` at most.

    Parameters
    ----------
    stop : Stopping
        Asked from time to time; the iterations before count.
    """
    constructions = Constructions(prepared(instance, RANDOMIZED_RULES["paper"], seed=seed))
    chunk = max(1, min(ITERATIONS, CELLS // (len(instance.jobs) * instance.cluster.nodes)))
    values: list[float] = []
    while len(values) < ITERATIONS and not stop(0):
        batch = min(chunk, ITERATIONS - len(values))
        values.extend(constructions.costs(len(values) + 1, batch).tolist())
    found: list[Solution] = []
    last = np.nan
    for i in np.argsort(values, kind="stable").tolist():
        if len(found) == count:
            break
        if values[i] == last:  # equal costs: equal schedules, or nearly so
            continue
        last = values[i]
        found.append(select_required_nodes(instance, constructions.schedule(i + 1)))
    return found


def _run_start(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Run the method `start`; without that option, the default one."""
    limits = replace(call.limits, time_limit=report.time_limit)
    inner = replace(call, limits=limits, options={})
    if "start" in call.options:
        solve: MethodFunction = call.options["start"]
        return solve(instance, inner, report)
    name, _, rule = START.partition(":")
    return METHODS[name].load()(instance, replace(inner, rule=rule), report)


def _add(instance: Instance, found: list[Found], solution: Solution) -> None:
    """Add a solution without its empty nodes, unless it is known."""
    start = without_empty_nodes(instance, solution)
    cost = costs.terms(instance, start).total
    if not any(cost == other and start.same_as(known) for other, known in found):
        found.append((cost, start))
