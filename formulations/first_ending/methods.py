"""The exact methods for nodes charged until their first job ends, declared as data."""

from __future__ import annotations

from rsjs.core.method import Call, Method, Report, SolveResult
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.jahani.methods import ROUTE
from rsjs.formulations.milp import solve
from rsjs.instances.instance import Instance

_FIRST_ENDING = frozenset({"first_ending"})
_AT_COMPLETION = frozenset({"completion"})

METHODS = (
    Method(
        name="first_ending_patterns",
        summary="exact pattern model with leaders, dedicated GPUs: a few dozen to hundred integers",
        kind="exact",
        run="rsjs.formulations.first_ending.methods:first_ending_patterns",
        prepare="rsjs.formulations.milp.solve:prepare",
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        sharing=False,
        solvers=tuple(BACKENDS),
        options={"route": ROUTE},
        warm_start=True,
    ),
    Method(
        name="first_ending_nodes",
        summary="the same problem node by node: the reference on small instances",
        kind="exact",
        run="rsjs.formulations.first_ending.methods:first_ending_nodes",
        prepare="rsjs.formulations.milp.solve:prepare",
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        sharing=False,
        solvers=tuple(BACKENDS),
        options={"route": ROUTE},
        warm_start=True,
    ),
)


def first_ending_patterns(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the pattern model with leaders."""
    return solve.run("first_ending_patterns", instance, call, report)


def first_ending_nodes(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the node-indexed model."""
    return solve.run("first_ending_nodes", instance, call, report)
