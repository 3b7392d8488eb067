"""The heuristics, declared: what each one serves, where its function is."""

from __future__ import annotations

from functools import partial

from rsjs.core.call import Option
from rsjs.core.method import Method

COMPLETED = frozenset({"free", "jahani_eq"})  # what `select_required_nodes` reaches

START = "randomized_greedy:paper"  # whose solutions are improved
PRICED = ("priced_greedy", "ruin_recreate", "fix_and_optimise")  # guided by dual prices
_DUAL_ENERGY = frozenset({"proportional", "first_ending"})  # energies with a dual by nodes
DECIDERS = "|".join(  # exact by energy and sharing; the last one for what they all refuse
    (
        "jahani_patterns@highs",
        "first_ending_patterns@highs",
        "rsjs_sifting@highs",
        "(ruin_recreate?iterations=2000)",
    )
)

# most ignore the cost of migrations and starts in their choice; the checker charges them
_heuristic = partial(Method, kind="heuristic")
_completed = partial(_heuristic, open_nodes=COMPLETED)
_priced = partial(_heuristic, energy=_DUAL_ENERGY, tardiness_at=frozenset({"completion"}))

_START = Option(
    default=START,
    kind="method",
    on_whole=True,
    help="whose solutions are improved; filled up by the randomized greedy",
)
_SCHEDULES = Option(
    default=1000,
    minimum=0,
    help="solutions made, the first one greedy's; 0 = until the time is up",
)
_EPOCHS = Option(
    default="worst_case",
    choices=("worst_case", "mean"),
    help="what a job is taken to have left; mean: on average, then all again (avg- variants)",
)

_DECLARED = (
    _completed(
        name="fifo",
        summary="first in first out, dedicated GPUs, running jobs left alone",
        run="rsjs.heuristics.dispatching.list_scheduling:run_fifo",
        rules=("code", "paper"),
    ),
    _completed(
        name="edf",
        summary="earliest due date first, dedicated GPUs, running jobs left alone",
        run="rsjs.heuristics.dispatching.list_scheduling:run_edf",
        rules=("code", "paper"),
    ),
    _completed(
        name="priority",
        summary="largest tardiness weight first, dedicated GPUs, running jobs left alone",
        run="rsjs.heuristics.dispatching.list_scheduling:run_priority",
        rules=("code", "paper"),
    ),
    _completed(
        name="greedy",
        summary="most pressing job first, cheapest mode in time, dedicated GPUs",
        run="rsjs.heuristics.greedy.greedy:run",
        prepare="rsjs.heuristics.greedy.greedy:compile_kernels",
        rules=("code", "paper"),
    ),
    _completed(
        name="randomized_greedy",
        summary="greedy again and again with random swaps and choices, the best one counts",
        run="rsjs.heuristics.greedy.randomized:run",
        prepare="rsjs.heuristics.greedy.randomized:compile_kernels",
        rules=("code", "paper"),
        options={
            "iterations": _SCHEDULES,
            "stream": Option(
                default="xorshift",
                choices=("xorshift", "minstd"),
                help="random numbers; minstd: those of the authors' program",
            ),
        },
    ),
    _priced(
        name="priced_greedy",
        summary="one pass of insertion at prices of a Lagrangian dual; with a lower bound",
        run="rsjs.heuristics.ruin_recreate.construction:run",
        prepare="rsjs.heuristics.ruin_recreate.construction:prepare",
    ),
    _priced(
        name="ruin_recreate",
        summary="ruin and recreate at prices of a Lagrangian dual: near-optimal, with a bound",
        run="rsjs.heuristics.ruin_recreate.ruin_recreate:run",
        prepare="rsjs.heuristics.ruin_recreate.ruin_recreate:prepare",
        options={
            "iterations": Option(
                default=100_000,
                minimum=0,
                help="moves, unless the time is up before; 0 = until the time is up",
            ),
        },
        warm_start=True,
    ),
    _priced(
        name="fix_and_optimise",
        migration=False,
        start=False,
        summary="ruin_recreate, then an exact method on a few nodes at a time; its bound",
        run="rsjs.heuristics.ruin_recreate.fix_and_optimise:run",
        prepare="rsjs.heuristics.ruin_recreate.fix_and_optimise:prepare",
        options={
            "method": Option(
                default=DECIDERS,
                kind="method",
                help="what decides a part; of several, the first that serves the instance",
            ),
            "rounds": Option(
                default=100,
                minimum=0,
                help="parts to decide; 0 = until the time is up",
            ),
            "nodes": Option(default=8, minimum=1, help="nodes of a part at first"),
            "iterations": Option(default=20_000, minimum=1, help="moves of ruin_recreate before"),
        },
        warm_start=True,
    ),
    _heuristic(
        name="local_search",
        summary="best of Kiros' seven neighbourhoods, from the best solutions of another method",
        run="rsjs.heuristics.local_search.local_search:run",
        prepare="rsjs.heuristics.local_search.local_search:prepare",
        warm_start=True,
        options={
            "start": _START,
            "elite": Option(
                default=10, minimum=1, help="solutions improved: the best ones, see start"
            ),
            "jobs": Option(
                default="late",
                choices=("late", "all"),
                help="late: lists as published; all: filled up with expensive jobs, N3 for all",
            ),
            "iterations": Option(
                default=0,
                minimum=0,
                help="moves from each solution; 0 = until none improves it",
            ),
        },
    ),
    _completed(
        name="path_relinking",
        summary="paths between the best solutions of another method, improved by local search",
        run="rsjs.heuristics.local_search.path_relinking:run",
        prepare="rsjs.heuristics.local_search.path_relinking:prepare",
        warm_start=True,
        options={
            "start": _START,
            "elite": Option(default=10, minimum=5, help="solutions in the pool"),
            "iterations": Option(
                default=0, minimum=0, help="paths; 0 = until all pairs of the pool are linked"
            ),
        },
    ),
    _completed(
        name="sts",
        summary="most pressing job first, GPUs or a share by its optimal speed profile",
        run="rsjs.heuristics.sts.sts:run",
        prepare="rsjs.heuristics.sts.sts:compile_kernels",
        rules=("literal", "fallback"),
        rule_help={
            "literal": "as published: the GPUs that a job wants, never fewer than before, or it"
            " waits beside idle ones; those left on its node are given away",
            "fallback": "a job that finds no room takes fewer GPUs; none are given away",
        },
        options={
            "spacing": Option(
                default=1.0, minimum=0.001, help="minutes: the minimum time between two solutions"
            ),
        },
    ),
    _completed(
        name="queue",
        summary="jobs in an order, first mode with room, on shared nodes and GPUs",
        run="rsjs.heuristics.dispatching.queues:run",
        rules=("edf", "edf_alone", "fifo", "priority", "pedf", "greedy"),
        rule_help={
            "edf": "by due date; as in fifo and priority, jobs that run are left alone",
            "edf_alone": "edf with one job per node",
            "fifo": "by release",
            "priority": "by weight",
            "pedf": "edf over all jobs: those that run may be moved, or have to wait",
            "greedy": "all jobs, by the hours that each is late at its fastest, times its weight",
        },
        options={
            "epochs": _EPOCHS,
            "fit": Option(
                default="open",
                choices=("open", "all"),
                help="node with the fewest idle GPUs that suffice: first among open ones, or of"
                " all; not published for EDF and FIFO",
            ),
        },
    ),
    _completed(
        name="randomized_queue",
        summary="queue:greedy again and again with random swaps and choices, the best one counts",
        run="rsjs.heuristics.greedy.randomized_shared:run",
        prepare="rsjs.heuristics.greedy.randomized_shared:compile_kernels",
        options={
            "iterations": _SCHEDULES,
            "epochs": _EPOCHS,
        },
    ),
    _completed(
        name="dp",
        summary="dynamic programming with a proxy cost: fastest GPUs still free, or pooled GPUs",
        run="rsjs.heuristics.dispatching.pooled_dp:run",
        rules=("fastest", "pooled"),
        rule_help={
            "fastest": "first in first out, the fastest mode still free",
            "pooled": "numbers of GPUs by the program over one pool of whole GPUs, no shares",
        },
        options={"epochs": _EPOCHS},
    ),
    _heuristic(
        name="deterministic",
        summary="another method with worst-case or mean epochs in place of distributions",
        run="rsjs.heuristics.dispatching.deterministic:run",
        prepare="rsjs.core.method:prepare_inner",
        options={
            "method": Option(
                default="greedy:paper", kind="method", on_whole=True, help="what decides"
            ),
            "epochs": _EPOCHS,
        },
    ),
    _heuristic(
        name="hierarchical",
        summary="Kiros' controllers, each with its own jobs and nodes and any method",
        run="rsjs.heuristics.decomposition.hierarchical:run",
        prepare="rsjs.heuristics.decomposition.hierarchical:prepare",
        options={
            "method": Option(
                default="greedy:paper",
                kind="method",
                help="what each controller runs, exact or heuristic",
            ),
            "controllers": Option(
                default=4,
                minimum=1,
                help="number K of controllers; the jobs of one without a node wait",
            ),
            "split": Option(
                default="round_robin",
                choices=("round_robin", "pressure", "demand"),
                help="jobs in circular order, the most pressing first, or demand for GPUs balanced",
            ),
        },
    ),
)
METHODS = {method.name: method for method in _DECLARED}
