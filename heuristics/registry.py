"""The heuristics, declared: what each one serves, where its function is."""

from __future__ import annotations

from rsjs.core.method import Method, Option
from rsjs.heuristics.local_search.methods import LOCAL_SEARCH, PATH_RELINKING
from rsjs.heuristics.ruin_recreate.methods import PRICED
from rsjs.heuristics.sts.methods import STS

COMPLETED = frozenset({"free", "jahani_eq"})  # numbers of open nodes that completion.py reaches

METHODS = {
    method.name: method
    for method in (
        Method(
            name="fifo",
            summary="first in first out, dedicated GPUs, running jobs left alone",
            kind="heuristic",
            run="rsjs.heuristics.dispatching.list_scheduling:run_fifo",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
        ),
        Method(
            name="edf",
            summary="earliest due date first, dedicated GPUs, running jobs left alone",
            kind="heuristic",
            run="rsjs.heuristics.dispatching.list_scheduling:run_edf",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
        ),
        Method(
            name="priority",
            summary="largest tardiness weight first, dedicated GPUs, running jobs left alone",
            kind="heuristic",
            run="rsjs.heuristics.dispatching.list_scheduling:run_priority",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
        ),
        Method(
            name="greedy",
            summary="most pressing job first, cheapest configuration in time, dedicated GPUs",
            kind="heuristic",
            run="rsjs.heuristics.greedy.greedy:run",
            prepare="rsjs.heuristics.greedy.greedy:prepare",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
        ),
        Method(
            name="randomized_greedy",
            summary="greedy again and again with random swaps and choices, the best one counts",
            kind="heuristic",
            run="rsjs.heuristics.greedy.randomized:run",
            prepare="rsjs.heuristics.greedy.randomized:prepare",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
            options={
                "iterations": Option(
                    default=1000,
                    minimum=0,
                    help="schedules made, the first one greedy's; 0 = until the time is up",
                ),
                "stream": Option(
                    default="xorshift",
                    choices=("xorshift", "minstd"),
                    help="random numbers; minstd: those of the authors' program",
                ),
            },
        ),
        *PRICED,
        LOCAL_SEARCH,
        PATH_RELINKING,
        *STS,
    )
}
