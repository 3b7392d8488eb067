"""The heuristics, declared: what each one serves, where its function is."""

from __future__ import annotations

from rsjs.heuristics.descent_methods import LOCAL_SEARCH, PATH_RELINKING
from rsjs.heuristics.priced_methods import PRICED
from rsjs.heuristics.sts_methods import STS
from rsjs.instances.method import Method, Option

COMPLETED = frozenset({"free", "jahani_eq"})  # numbers of open nodes that completion.py reaches
ENGINE = Option(
    default="auto",
    choices=("auto", "numba", "numpy"),
    help="equal results; auto: numba where it is loaded or worth loading",
)

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
            prepare="rsjs.heuristics.greedy:prepare_engine",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
            options={"engine": ENGINE},
        ),
        Method(
            name="randomized_greedy",
            summary="greedy again and again with random swaps and choices, the best one counts",
            kind="heuristic",
            run="rsjs.heuristics.randomized_greedy:run",
            prepare="rsjs.heuristics.randomized_greedy:prepare_engine",
            open_nodes=COMPLETED,
            rules=("code", "paper"),
            options={
                "iterations": Option(
                    default=1000,
                    minimum=0,
                    help="schedules made, the first one greedy's; 0 = until the time is up",
                ),
                "price": Option(
                    default="rule",
                    choices=("rule", "full_vm", "share"),
                    help="what g GPUs cost in the order of candidates: whole node or their share",
                ),
                "postprocessing": Option(
                    default="rule",
                    choices=("rule", "one_job", "each_node"),
                    help="who gets idle GPUs: one job of the cluster or one of each node",
                ),
                "fit": Option(
                    default="best",
                    choices=("best", "first"),
                    help="open nodes that a job tries first: the fullest, or by index",
                ),
                "stream": Option(
                    default="xorshift",
                    choices=("xorshift", "minstd"),
                    help="random numbers; minstd: those of the authors' program",
                ),
                "engine": ENGINE,
            },
        ),
        *PRICED,
        LOCAL_SEARCH,
        PATH_RELINKING,
        *STS,
    )
}
