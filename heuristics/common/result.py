"""
The way out of every heuristic: a rule's name checked, a schedule completed and priced.

The way out of the methods guided by prices: a schedule priced and reported, and the bound.
"""

from __future__ import annotations

from collections.abc import Iterable

from rsjs.core.method import Report, SolveResult, Stop
from rsjs.heuristics.ruin_recreate.dual_prices import Prices
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution


def choose_rule(method: str, asked: str | None, known: Iterable[str]) -> str:
    """The rule that is asked for, or else the first one."""
    rules = list(known)
    if asked is None:
        return rules[0]
    if asked not in rules:
        raise ValueError(f"unknown rule {asked!r} of {method}; known: {', '.join(rules)}")
    return asked


def finished(instance: Instance, decision: Solution, report: Report) -> SolveResult:
    """Complete a decision as `open_nodes` asks, price it, report it."""
    with report.phase("extract"):
        solution = select_required_nodes(instance, decision)
        report.incumbent(solution, costs.terms(instance, solution).total)
    return report.result(Stop.ITERATIONS, counts={"iterations": 1})


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
