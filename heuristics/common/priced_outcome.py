"""The way out of the methods guided by prices: a schedule priced and reported, and the bound."""

from __future__ import annotations

from rsjs.heuristics.ruin_recreate.dual_prices import Prices
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.method import Report
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
    """Return the result of a solution, priced and reported, with the bound of the prices."""
    report.incumbent(solution, costs.terms(instance, solution).total)
    return report.result(
        stop,
        bound=found.bound,
        bound_source="lagrangian",
        bound_variant="instance",
        counts={"iterations": iterations},
    )


def no_decision(report: Report) -> SolveResult:
    """No decision satisfies `open_nodes`: jobs and nodes have no matching of that size."""
    return SolveResult(
        stop=Stop.INFEASIBLE,
        seconds=dict(report.seconds),
        events=tuple(report.events),
        message="no decision satisfies open_nodes",
    )
