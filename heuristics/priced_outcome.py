"""The way out of the methods guided by prices: a schedule priced and reported, and the bound."""

from __future__ import annotations

from rsjs.heuristics.compiled import engine
from rsjs.heuristics.prices import Prices
from rsjs.instances import costs
from rsjs.instances.method import Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop


def bounded(
    instance: Instance,
    solution: Solution,
    found: Prices,
    report: Report,
    *,
    stop: Stop = Stop.ITERATIONS,
    iterations: int = 1,
) -> SolveResult:
    """A decision with its cost and the bound of the prices."""
    objective = costs.terms(instance, solution).total
    report.incumbent(solution, objective)
    return SolveResult(
        stop=stop,
        solution=solution,
        objective=objective,
        bound=found.bound,
        bound_source="lagrangian",
        bound_variant="instance",
        seconds=dict(report.seconds),
        events=tuple(report.events),
        counts={"iterations": iterations},
        options={"engine": engine()},
    )


def no_decision(report: Report) -> SolveResult:
    """No decision satisfies `open_nodes`: jobs and nodes have no matching of that size."""
    return SolveResult(
        stop=Stop.INFEASIBLE,
        seconds=dict(report.seconds),
        events=tuple(report.events),
        message="no decision satisfies open_nodes",
    )
