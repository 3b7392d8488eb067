"""The result of a heuristic: a solution completed, priced and reported, with what is proved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from rsjs.heuristics.ruin_recreate.dual_prices import DualPrices


def finished(
    instance: Instance,
    decision: Solution,
    report: Report,
    *,
    stop: Stop = Stop.ITERATIONS,
    iterations: int = 1,
) -> SolveResult:
    """Build the `SolveResult` of a heuristic: open the required nodes, price, report."""
    with report.phase("extract"):
        solution = select_required_nodes(instance, decision)
        report.incumbent(solution, costs.terms(instance, solution).total)
    return report.result(stop, counts={"iterations": iterations})


def bounded(
    instance: Instance,
    solution: Solution,
    found: DualPrices,
    report: Report,
    *,
    stop: Stop = Stop.ITERATIONS,
    iterations: int = 1,
) -> SolveResult:
    """Build the `SolveResult` of a solution with all required nodes and a Lagrangian bound."""
    report.incumbent(solution, costs.terms(instance, solution).total)
    return report.result(
        stop,
        bound=found.bound,
        bound_source="lagrangian",
        bound_variant="instance",
        counts={"iterations": iterations},
    )


def no_decision(report: Report) -> SolveResult:
    """Build the `SolveResult` where no matching of jobs and nodes satisfies `open_nodes`."""
    return report.result(Stop.INFEASIBLE, message="no decision satisfies open_nodes")
