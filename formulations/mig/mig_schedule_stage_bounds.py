"""A lower bound on each stage of the objective, put together from bounds on its terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil

from rsjs.formulations.mig.mig_schedule_assignment import assignment_bound
from rsjs.formulations.mig.scheduling_bounds import term_bounds
from rsjs.formulations.mig.scheduling_lagrangian import ADDITIVE, lagrangian_bound
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule, terms
from rsjs.instances.mig.scheduling.schedule_result import EQUAL, met

SUMMED = 1e-12  # relative, what sums of prices may lose


def quick_bounds(problem: SchedulingProblem) -> tuple[float, ...]:
    """Combinatorial bounds, each valid for every schedule."""
    known = term_bounds(problem)
    if "completion" in problem.objective.terms and not problem.stops.any():
        known["completion"] = max(known["completion"], assignment_bound(problem))
    return tuple(_sum(stage, known) for stage in problem.objective.stages)


def stage_bounds(
    problem: SchedulingProblem,
    schedule: Schedule,
    *,
    iterations: int = 1500,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[float, ...]:
    """
    The same, with the Lagrangian bound where the schedule does not meet them.

    Parameters
    ----------
    problem
    schedule : Schedule
        A good one: prices aim at its values.
    iterations : int
        Most for each stage.
    stop : callable
        Polled in every iteration.
    """
    known, found = term_bounds(problem), list(quick_bounds(problem))
    reached = terms(problem, schedule)
    values = problem.objective.values(reached)
    for stage, weights in enumerate(problem.objective.stages):
        additive = {term: weight for term, weight in weights.items() if term in ADDITIVE}
        if not additive or met(values[stage], found[stage]):
            continue
        bound = lagrangian_bound(
            problem,
            additive,
            target=sum(weight * reached[term] for term, weight in additive.items()),
            horizon=int(reached["makespan"]),
            iterations=iterations,
            stop=stop,
        )
        rest = {term: weight for term, weight in weights.items() if term not in ADDITIVE}
        whole = ceil(bound - EQUAL - SUMMED * abs(bound)) + _sum(rest, known)
        found[stage] = max(found[stage], whole)
    return tuple(found)


def _sum(weights: Mapping[str, int], known: Mapping[str, float]) -> float:
    return sum(weight * known[term] for term, weight in weights.items())
