"""
Where a search begins: the schedules that another method reports, or a warm start.

The best different schedules of the randomized greedy, to begin searches from.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from rsjs.core.method import Call, Report, Run, SolveResult
from rsjs.heuristics.common.stopping import Reported, Stopping
from rsjs.heuristics.greedy.randomized import CELLS, Constructions
from rsjs.heuristics.greedy.randomized_arrays import prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.heuristics.local_search.arrays import without_empty_nodes
from rsjs.heuristics.local_search.methods import START
from rsjs.heuristics.registry import COMPLETED, METHODS
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

ITERATIONS = 1000


def sample(instance: Instance, seed: int, count: int, stop: Stopping) -> list[Solution]:
    """
    Return the best of 1000 iterations of `randomized_greedy:paper`, `count` at most.

    Parameters
    ----------
    stop : asked from time to time; what is made until then counts
    """
    constructions = Constructions(prepared(instance, RANDOMIZED_RULES["paper"], seed=seed))
    chunk = max(1, min(ITERATIONS, CELLS // (len(instance.jobs) * instance.cluster.nodes)))
    costs: list[float] = []
    while len(costs) < ITERATIONS and not stop(min(costs, default=np.inf)):
        batch = min(chunk, ITERATIONS - len(costs))
        costs.extend(constructions.costs(len(costs) + 1, batch).tolist())
    found: list[Solution] = []
    last = np.nan
    for i in np.argsort(costs, kind="stable").tolist():
        if len(found) == count:
            break
        if costs[i] == last:  # equal costs: equal schedules, or nearly so
            continue
        last = costs[i]
        found.append(select_required_nodes(instance, constructions.schedule(i + 1)))
    return found


SHARE = 0.5  # of the time: the most that the other method has

Found = tuple[float, Solution]  # cost [$] and schedule


class StartReport(Report):
    """
    The report of the method whose schedules a search begins from; all incumbents are kept.

    Phases, incumbents and the wish to stop are those of the search.
    """

    def __init__(self, instance: Instance, search: Report) -> None:
        super().__init__(SHARE * search.remaining())
        self._instance, self._search = instance, search
        self.found: list[Solution] = []

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time of the block to a phase of the search."""
        with self._search.phase(name):
            yield

    def publish(self, solution: Solution, objective: float) -> None:
        """Keep an incumbent and pass it on, priced anew: the search may return it."""
        self.found.append(solution)
        self._search.incumbent(solution, costs.terms(self._instance, solution).total)

    def stop_requested(self) -> bool:
        """Whether the search was asked to end."""
        return self._search.stop_requested()


def gathered(
    instance: Instance, call: Call, report: Report, count: int, *, fill: bool
) -> tuple[list[Found], SolveResult | None]:
    """
    Schedules to begin from, `count` at most, the best one first, and the result of `start`.

    The warm start if there is one, else all incumbents of the method `start`; it has at most half
    of the time. Where these are fewer and `fill` holds, the best ones of the randomized greedy.
    """
    result, first = None, [call.warm_start]
    if call.warm_start is None:
        told = StartReport(instance, report)
        result = _run(instance, call, told)
        first = [*told.found, result.solution]
    found: list[Found] = []
    for solution in filter(None, first):
        _add(instance, found, solution)
    if found and fill and len(found) < count and instance.objective.open_nodes in COMPLETED:
        with report.phase("sample"):
            for solution in sample(instance, call.limits.seed, count, Reported(report)):
                _add(instance, found, solution)
    found = sorted(found, key=lambda pair: pair[0])[:count]
    for cost, solution in found[:1]:
        report.incumbent(solution, cost)
    return found, result


def _run(instance: Instance, call: Call, told: StartReport) -> SolveResult:
    limits = replace(call.limits, time_limit=told.time_limit)
    asked = replace(call, limits=limits, options={})
    if "start" in call.options:
        solve: Run = call.options["start"]
        return solve(instance, asked, told)
    name, _, rule = START.partition(":")
    return METHODS[name].load()(instance, replace(asked, rule=rule), told)


def _add(instance: Instance, found: list[Found], solution: Solution) -> None:
    """Take a schedule without its empty nodes, but each one once only."""
    start = without_empty_nodes(instance, solution)
    cost = costs.terms(instance, start).total
    if not any(cost == other and start.same_as(known) for other, known in found):
        found.append((cost, start))
