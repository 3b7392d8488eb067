"""The way out of every heuristic: a rule's name checked, a schedule completed and priced."""

from __future__ import annotations

from collections.abc import Iterable

from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.method import Report
from rsjs.instances.open_nodes import complete
from rsjs.instances.solution import Solution, SolveResult, Stop


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
        solution = complete(instance, decision)
        report.incumbent(solution, costs.terms(instance, solution).total)
    return report.result(Stop.ITERATIONS, counts={"iterations": 1})
