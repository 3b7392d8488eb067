"""STS and the methods it is compared with, declared as data."""

from __future__ import annotations

from rsjs.instances.method import Method, Option

COMPLETED = frozenset({"free", "jahani_eq"})  # numbers of open nodes that completion.py reaches

_EPOCHS = Option(
    default="worst_case",
    choices=("worst_case", "mean"),
    help="what a job is taken to have left; mean: on average, then all again (avg- variants)",
)

STS = (
    Method(
        name="sts",
        summary="most pressing job first, GPUs or a share by its optimal speed profile",
        kind="heuristic",
        run="rsjs.heuristics.sts:run",
        open_nodes=COMPLETED,
        rules=("literal", "fallback"),
        options={
            "spacing": Option(
                default=1.0, minimum=0, help="minutes: the least time between two decisions"
            ),
            "margin": Option(
                default="rule",
                choices=("rule", "yes", "no"),
                help="due dates advanced by the spacing; rule: with fallback only",
            ),
            "engine": Option(
                default="auto",
                choices=("auto", "numba", "numpy"),
                help="of the profiles, with equal results; auto: numba where it is loaded",
            ),
        },
    ),
    Method(
        name="queue",
        summary="jobs in an order, first configuration with room, on shared nodes and GPUs",
        kind="heuristic",
        run="rsjs.heuristics.queue_scheduling:run",
        open_nodes=COMPLETED,
        rules=("edf", "edf_alone", "fifo", "priority", "pedf", "greedy"),
        options={"epochs": _EPOCHS},
    ),
    Method(
        name="randomized_queue",
        summary="queue:greedy again and again with random swaps and choices, the best one counts",
        kind="heuristic",
        run="rsjs.heuristics.randomized_queue:run",
        open_nodes=COMPLETED,
        options={
            "iterations": Option(
                default=1000,
                minimum=0,
                help="schedules made, the first one greedy's; 0 = until the time is up",
            ),
            "epochs": _EPOCHS,
        },
    ),
    Method(
        name="dp",
        summary="dynamic programming with a proxy cost: fastest GPUs still free, or pooled GPUs",
        kind="heuristic",
        run="rsjs.heuristics.dynamic_programming:run",
        open_nodes=COMPLETED,
        rules=("fastest", "pooled"),
        options={"epochs": _EPOCHS},
    ),
    Method(
        name="deterministic",
        summary="another method with worst-case or mean numbers of epochs in place of laws",
        kind="heuristic",
        run="rsjs.heuristics.deterministic:run",
        options={
            "method": Option(
                default="greedy:paper", kind="method", on_whole=True, help="what decides"
            ),
            "epochs": _EPOCHS,
        },
    ),
)
