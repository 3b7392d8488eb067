"""
Priced greedy: one pass of insertion at the prices of a Lagrangian dual, and nothing more.

The prices prove a lower bound; see `prices` and `priced_construction`.
"""

from __future__ import annotations

from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.priced_outcome import bounded, no_decision
from rsjs.heuristics.ruin_recreate import dual_prices
from rsjs.heuristics.ruin_recreate.arrays import shapes
from rsjs.heuristics.ruin_recreate.construction import construct
from rsjs.heuristics.ruin_recreate.node_state import decision
from rsjs.instances.instance import Instance
from rsjs.instances.method import Call, Method, Report
from rsjs.instances.solution import SolveResult


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Priced greedy as a method."""
    with report.phase("prices"):
        found = dual_prices.find(instance)
        report.bound(found.bound)
    with report.phase("solve"):
        problem = shapes(instance)
        state = construct(instance, problem, found)
    if state is None:
        return no_decision(report)
    with report.phase("extract"):
        return bounded(instance, decision(instance, problem, state), found, report)


def prepare(_method: Method, _call: Call, _jobs: int) -> None:
    """Compile or load the kernels."""
    run(smallest(), Call(), Report())
