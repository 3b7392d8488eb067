"""The result of a heuristic: a solution completed, priced and reported, with what is proved."""

from __future__ import annotations

from typing import Any

from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution


def finished(
    instance: Instance,
    decision: Solution,
    report: Report,
    *,
    stop: Stop = Stop.ITERATIONS,
    iterations: int = 1,
    bound: float | None = None,
) -> SolveResult:
    """
    Build the `SolveResult` of a heuristic: open the required nodes, price, report.

    Parameters
    ----------
    bound : float, optional [$]
        Lagrangian bound on the cost of every solution.
    """
    with report.phase("extract"):
        solution = select_required_nodes(instance, decision)
        report.incumbent(solution, costs.terms(instance, solution).total)
    proved: dict[str, Any] = {}
    if bound is not None:
        proved = {"bound": bound, "bound_source": "lagrangian", "bound_variant": "instance"}
    return report.result(stop, counts={"iterations": iterations}, **proved)


def no_decision(report: Report) -> SolveResult:
    """Build the `SolveResult` where no matching of jobs and nodes satisfies `open_nodes`."""
    return report.result(Stop.INFEASIBLE, message="no decision satisfies open_nodes")
