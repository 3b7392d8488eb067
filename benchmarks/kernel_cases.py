"""
What each kernel of `rsjs.heuristics` is measured by, for asv and its twin.

Kernels change their arguments, so each measurement is of work made anew. Kernels that only other
kernels can call are measured inside these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from benchmarks import descent_kernels, mig_schedule_kernels, priced_kernels
from benchmarks.kernel_work import Work
from benchmarks.method_cases import LARGE, STEERED, instance_of
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

ITERATIONS = 200
MEASURED_BY: Mapping[str, str] = {  # compiled function: the case that runs it
    "rsjs.heuristics.greedy.greedy:place_jobs": "greedy",
    "rsjs.heuristics.greedy.randomized:iterate": "randomized_construction",
    "rsjs.heuristics.greedy.randomized_shared:iterate": "randomized_queue",
    "rsjs.heuristics.local_search.kernels_costs:refresh": "refreshing",
    "rsjs.heuristics.local_search.kernels_search:make_step": "relinking",
    "rsjs.heuristics.local_search.kernels_search:descend": "descent",
    "rsjs.heuristics.mig.kernels:price": "mig_annealing",
    "rsjs.heuristics.mig.kernels:anneal": "mig_annealing",
    "rsjs.heuristics.mig.kernels:simulate": "mig_simulation",
    "rsjs.heuristics.ruin_recreate.kernels_annealing:anneal": "annealing",
    "rsjs.heuristics.ruin_recreate.kernels_node:total_cost": "node_moves",
    "rsjs.heuristics.ruin_recreate.kernels_recreate:insert_all": "recreate",
    "rsjs.heuristics.sts.speed_profile:solve": "speed_profile",
    "rsjs.heuristics.sts.speed_profile:hull": "speed_profile",
    "rsjs.heuristics.sts.kernels_sts:decide": "sts",
    "rsjs.heuristics.sts.kernels_sts:set_changes": "sts",
    "rsjs.heuristics.sts.kernels_sts:solved": "sts_choices",
    "rsjs.heuristics.sts.kernels_sts:by_pressure": "sts_choices",
    "rsjs.heuristics.sts.kernels_sts:give_idle_gpus": "sts_postprocessing",
    "rsjs.heuristics.sts.kernels_sts:last_moment": "sts_postprocessing",
}


def _greedy() -> Work:
    from rsjs.heuristics.greedy import greedy

    instance = instance_of("jahani", LARGE)
    greedy.decide(instance, "paper")
    return Work(
        run=lambda: greedy.decide(instance, "paper"),
        values=lambda decision: _priced_by_checker(instance, decision),
    )


def _randomized_construction() -> Work:
    from rsjs.heuristics.greedy.randomized import Constructions
    from rsjs.heuristics.greedy.randomized_arrays import prepared
    from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES

    constructions = Constructions(prepared(instance_of("jahani", LARGE), RANDOMIZED_RULES["paper"]))
    constructions.costs(1, 1)
    return Work(
        run=lambda: constructions.costs(1, ITERATIONS),
        values=lambda found: {"cost": float(found.min()), "iterations": len(found)},
    )


def _randomized_queue() -> Work:
    from rsjs.heuristics.dispatching.queues import JobModes
    from rsjs.heuristics.greedy.randomized_shared import SharedConstructions

    schedules = SharedConstructions(JobModes.of(instance_of("sts", LARGE), "worst_case"), 0)
    schedules.costs(1, 1)
    return Work(
        run=lambda: schedules.costs(1, ITERATIONS),
        values=lambda found: {"cost": float(found.min()), "iterations": len(found)},
    )


def _speed_profile() -> Work:
    from benchmarks.sts_cases import single_jobs
    from rsjs.heuristics.sts.single_job import FEASIBLE
    from rsjs.heuristics.sts.speed_profile import profiles

    arguments = single_jobs()
    profiles(*arguments)
    return Work(
        run=lambda: profiles(*arguments),
        values=lambda found: {
            "cost": float(found.energy.sum()),
            "feasible": int((found.status == FEASIBLE).sum()),
        },
    )


def _sts(rule: str, jobs: int) -> Work:
    """Idle GPUs are given away by `literal` only, and most of them where jobs are few."""
    from benchmarks.sts_cases import decision

    instance = instance_of("sts", f"100 x {jobs}")
    return Work(
        run=decision(f"sts:{rule}", instance),
        values=lambda found: _priced_by_checker(instance, found),
    )


def _priced_by_checker(instance: Instance, decision: Solution) -> dict[str, float]:
    found = select_required_nodes(instance, decision)
    running = int((found.job_node >= 0).sum())
    return {"cost": costs.terms(instance, found).total, "running": running}


KERNELS: Mapping[str, Callable[[], Work]] = {  # case: its work, made anew
    "annealing": priced_kernels.annealing,
    "descent": partial(descent_kernels.descent, "1234567"),
    "gpu_neighbourhood": partial(descent_kernels.descent, "7"),
    "greedy": _greedy,
    "job_neighbourhoods": partial(descent_kernels.descent, "123"),
    "mig_annealing": mig_schedule_kernels.annealing,
    "mig_simulation": mig_schedule_kernels.simulation,
    "node_moves": priced_kernels.node_moves,
    "node_neighbourhoods": partial(descent_kernels.descent, "456", alone=True),
    "randomized_construction": _randomized_construction,
    "randomized_queue": _randomized_queue,
    "recreate": priced_kernels.recreate,
    "refreshing": descent_kernels.refreshing,
    "relinking": descent_kernels.relinking,
    "speed_profile": _speed_profile,
    "sts": partial(_sts, "literal", 400),
    "sts_choices": partial(_sts, "fallback", 400),
    "sts_postprocessing": partial(_sts, "literal", 200),
}
TOLERANCE: Mapping[str, float] = {  # relative; of kernels steered by prices, see MethodCase
    "annealing": STEERED,
    "node_moves": STEERED,
    "recreate": STEERED,
}
