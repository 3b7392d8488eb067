"""What a measured method is worth: its checked cost, its bound, and the counts that repeat."""

from __future__ import annotations

from typing import TypedDict

from benchmarks.method_cases import MethodCase
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.check import check
from rsjs.runs.verified_run import solver_of

MODEL_SIZE = ("rows", "columns", "nonzeros", "integers")
WITHIN_BUDGET = (Stop.OPTIMAL, Stop.GAP, Stop.ITERATIONS)


class Values(TypedDict):
    """Cost and bound [$], None where a method has none, and counts by name."""

    cost: float | None
    bound: float | None
    counts: dict[str, int]


def values_of(case: MethodCase, result: SolveResult) -> Values:
    """
    The values of a run, its cost by the checker.

    Raises
    ------
    ValueError
        If the run did not end by its budget, or its decision or a claim about it is wrong.
    """
    if result.stop not in WITHIN_BUDGET:
        ends = ", ".join(WITHIN_BUDGET)
        raise ValueError(f"{case.name}: ended by {result.stop}, expected {ends}")
    cost = None
    if result.solution is not None:
        claims = {"objective": result.objective, "bound": result.bound}
        verdict = check(case.instance, result.solution, **claims)
        if not verdict.feasible:
            raise ValueError(f"{case.name}: {verdict.violations[0]}")
        cost = verdict.objective
    return Values(cost=cost, bound=result.bound, counts=_repeatable(case, result))


def _repeatable(case: MethodCase, result: SolveResult) -> dict[str, int]:
    """Counts that depend on no solver's version: all without one, else the size of the model."""
    if solver_of(case.request) is None:
        return dict(result.counts)
    if not case.request.method.linear:
        return {}
    return {name: result.counts[name] for name in MODEL_SIZE}
