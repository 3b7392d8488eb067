"""Local search and path relinking, declared as data."""

from __future__ import annotations

from rsjs.core.call import Option
from rsjs.core.method import Method

START = "randomized_greedy:paper"

_START = Option(
    default=START,
    kind="method",
    on_whole=True,
    help="whose schedules are improved; filled up by the randomized greedy",
)

LOCAL_SEARCH = Method(
    name="local_search",
    summary="best of Kiros' seven neighbourhoods, from the best schedules of another method",
    kind="heuristic",
    run="rsjs.heuristics.local_search.local_search:run",
    prepare="rsjs.heuristics.local_search.local_search:prepare",
    warm_start=True,
    options={
        "start": _START,
        "elite": Option(default=10, minimum=1, help="schedules improved: the best ones, see start"),
        "jobs": Option(
            default="late",
            choices=("late", "all"),
            help="late: lists as published; all: filled up with expensive jobs, N3 for all",
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
    run="rsjs.heuristics.local_search.path_relinking:run",
    prepare="rsjs.heuristics.local_search.path_relinking:prepare",
    open_nodes=frozenset({"free", "jahani_eq"}),
    warm_start=True,
    options={
        "start": _START,
        "elite": Option(default=10, minimum=5, help="schedules in the pool"),
        "iterations": Option(
            default=0, minimum=0, help="paths; 0 = until all pairs of the pool are linked"
        ),
    },
)
