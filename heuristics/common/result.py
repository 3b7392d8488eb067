"""The result of a heuristic: a solution completed, priced and reported, with what is proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances import costs
from rsjs.instances.check import check
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


def solved(instance: Instance, returned: Any, report: Report) -> SolveResult:
    """Return as a `SolveResult` what a function returned: one, or a solution, see `finished`."""
    if isinstance(returned, Solution):
        if check(instance, returned).objective is None:  # the verdict on the run says why
            return replace(report.result(Stop.ITERATIONS), solution=returned)
        return finished(instance, returned, report)
    if not isinstance(returned, SolveResult):
        found = type(returned).__name__
        raise TypeError(f"a method returns a Solution or a SolveResult, this one returned {found}")
    return returned


def no_decision(report: Report) -> SolveResult:
    """Build the `SolveResult` where no matching of jobs and nodes satisfies `open_nodes`."""
    return report.result(Stop.INFEASIBLE, message="no decision satisfies open_nodes")
