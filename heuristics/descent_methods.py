"""Local search and path relinking, declared as data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rsjs.instances.method import Call, Method, Option

START = "randomized_greedy:paper"

_START = Option(
    default=START,
    kind="method",
    on_whole=True,
    help="whose schedules are improved; filled up by the randomized greedy",
)
_K = Option(default=10, minimum=1, help="jobs that N1, N2 and N4 to N7 look at")
_JOBS = Option(
    default="late",
    choices=("late", "all"),
    help="late: lists as printed; all: filled up with dear jobs, N3 whatever the pressure",
)

LOCAL_SEARCH = Method(
    name="local_search",
    summary="best of Kiros' seven neighbourhoods, from the best schedules of another method",
    kind="heuristic",
    run="rsjs.heuristics.local_search:run",
    prepare="rsjs.heuristics.local_search:prepare_engine",
    warm_start=True,
    options={
        "start": _START,
        "elite": Option(default=10, minimum=1, help="schedules improved: the best ones, see start"),
        "k": _K,
        "jobs": _JOBS,
        "evaluate": Option(
            default="objective",
            choices=("objective", "gain"),
            help="what a move must improve; gain: the proxy of the authors' program",
        ),
        "neighbourhoods": Option(
            default="1234567", pattern="[1-7]*", help="which of N1 to N7 are searched"
        ),
        "iterations": Option(
            default=0, minimum=0, help="moves from each schedule; 0 = until none improves it"
        ),
    },
)
PATH_RELINKING = Method(
    name="path_relinking",
    summary="paths between the best schedules of another method, improved by local search",
    kind="heuristic",
    run="rsjs.heuristics.path_relinking:run",
    prepare="rsjs.heuristics.path_relinking:prepare_engine",
    open_nodes=frozenset({"free", "jahani_eq"}),
    warm_start=True,
    options={
        "start": _START,
        "elite": Option(default=10, minimum=5, help="schedules in the pool"),
        "path": Option(default=0.5, minimum=0, help="part of the distance that a path follows"),
        "improve": Option(default=True, help="local search from the cheapest schedule of a path"),
        "k": _K,
        "jobs": replace(_JOBS, default="all"),
        "iterations": Option(
            default=0, minimum=0, help="paths; 0 = until all pairs of the pool are linked"
        ),
    },
)


def options_of(method: Method, call: Call) -> dict[str, Any]:
    """The options of a call, completed; neither method has rules."""
    if call.rule is not None:
        raise ValueError(f"unknown rule {call.rule!r} of {method.name}; it has none")
    return {name: option.default for name, option in method.options.items()} | dict(call.options)
