"""The exact methods for nodes charged until their first job ends, declared as data."""

from __future__ import annotations

from rsjs.core.method import Method
from rsjs.formulations.backends.registry import BACKENDS

_FIRST_ENDING = frozenset({"first_ending"})
_AT_COMPLETION = frozenset({"completion"})

METHODS = (
    Method(
        name="first_ending_patterns",
        summary="exact pattern model with leaders, dedicated GPUs: a few dozen to hundred integers",
        kind="exact",
        run="rsjs.formulations.first_ending.patterns:run",
        prepare="rsjs.formulations.milp.solve:prepare",
        linear=True,
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        sharing=False,
        solvers=tuple(BACKENDS),
        warm_start=True,
    ),
    Method(
        name="first_ending_nodes",
        summary="the same problem node by node: the reference on small instances",
        kind="exact",
        run="rsjs.formulations.first_ending.node_indexed:run",
        prepare="rsjs.formulations.milp.solve:prepare",
        linear=True,
        energy=_FIRST_ENDING,
        tardiness_at=_AT_COMPLETION,
        sharing=False,
        solvers=tuple(BACKENDS),
        warm_start=True,
    ),
)
