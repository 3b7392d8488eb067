"""The hierarchical decomposition, declared; it serves what its controllers' method does."""

from __future__ import annotations

from rsjs.core.call import Option
from rsjs.core.method import Method

HIERARCHICAL = Method(
    name="hierarchical",
    summary="Kiros' controllers, each with its own jobs and nodes and any method",
    kind="heuristic",
    run="rsjs.heuristics.decomposition.hierarchical:run",
    prepare="rsjs.heuristics.decomposition.hierarchical:prepare",
    options={
        "method": Option(
            default="greedy:paper",
            kind="method",
            help="what each controller runs, exact or heuristic",
        ),
        "controllers": Option(default=4, minimum=1, help="number K of controllers"),
        "split": Option(
            default="round_robin",
            choices=("round_robin", "pressure", "demand"),
            help="jobs in circular order, the most pressing first, or demand for GPUs balanced",
        ),
    },
)
