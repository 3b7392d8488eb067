"""The heuristics, declared: what each one serves, where its function is."""

from __future__ import annotations

from rsjs.instances.method import Method

COMPLETED = frozenset({"free", "jahani_eq"})  # numbers of open nodes that completion.py reaches

METHODS = {
    method.name: method
    for method in (
        Method(
            name="fifo",
            summary="first in first out, dedicated GPUs, running jobs left alone",
            kind="heuristic",
            run="rsjs.heuristics.list_scheduling:run_fifo",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
        ),
        Method(
            name="edf",
            summary="earliest due date first, dedicated GPUs, running jobs left alone",
            kind="heuristic",
            run="rsjs.heuristics.list_scheduling:run_edf",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
        ),
        Method(
            name="priority",
            summary="largest tardiness weight first, dedicated GPUs, running jobs left alone",
            kind="heuristic",
            run="rsjs.heuristics.list_scheduling:run_priority",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
        ),
        Method(
            name="greedy",
            summary="most pressing job first, cheapest configuration in time, dedicated GPUs",
            kind="heuristic",
            run="rsjs.heuristics.greedy:run",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
        ),
    )
}
