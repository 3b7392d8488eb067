"""
What each kernel of `rsjs.heuristics.kernels` is measured by, for asv and its twin.

Kernels change their arguments, so each measurement is of work made anew. Kernels that only other
kernels can call are measured inside these: INSIDE names the module of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from benchmarks import descent_kernels, mig_schedule_kernels, priced_kernels
from benchmarks.kernel_work import Work
from benchmarks.method_cases import LARGE, STEERED, instance_of
from rsjs.instances import costs
from rsjs.instances.completion import complete
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution

ITERATIONS = 200
INSIDE: Mapping[str, str] = {
    "bits": "randomized_queue",
    "insertion": "annealing",
    "mig_values": "mig_annealing",
    "move_costs": "descent",
    "moves": "descent",
    "node_sizes": "annealing",
    "placement": "randomized_construction",
    "postprocessing": "randomized_construction",
    "random_numbers": "randomized_construction",
    "ruin": "annealing",
    "rooms": "sts",
    "schedule_cost": "randomized_construction",
    "speed_hull": "speed_profile",
    "speed_switches": "speed_profile",
    "state": "greedy",
    "tight_placement": "randomized_queue",
    "transfer_costs": "relinking",
}


def _greedy() -> Work:
    from rsjs.heuristics import greedy

    instance = instance_of("jahani", LARGE)
    greedy.decide(instance, "paper")
    return Work(
        run=lambda: greedy.decide(instance, "paper"),
        values=lambda decision: _priced_by_checker(instance, decision),
    )


def _randomized_construction() -> Work:
    from rsjs.heuristics.randomized_greedy import Constructions
    from rsjs.heuristics.randomized_rules import RULES
    from rsjs.heuristics.randomized_tables import prepared

    constructions = Constructions(prepared(instance_of("jahani", LARGE), RULES["paper"]))
    constructions.costs(1, 1)
    return Work(
        run=lambda: constructions.costs(1, ITERATIONS),
        values=lambda found: {"cost": float(found.min()), "iterations": len(found)},
    )


def _randomized_queue() -> Work:
    from rsjs.heuristics.queue_choices import Choices
    from rsjs.heuristics.randomized_queue import Schedules

    schedules = Schedules(Choices.of(instance_of("sts", LARGE), "worst_case"), 0)
    schedules.costs(1, 1)
    return Work(
        run=lambda: schedules.costs(1, ITERATIONS),
        values=lambda found: {"cost": float(found.min()), "iterations": len(found)},
    )


def _speed_profile() -> Work:
    from benchmarks.sts_cases import single_jobs
    from rsjs.heuristics.speed_profile import FEASIBLE, profiles

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
    found = complete(instance, decision)
    running = int((found.job_node >= 0).sum())
    return {"cost": costs.terms(instance, found).total, "running": running}


KERNELS: Mapping[str, Callable[[], Work]] = {  # module: its work, made anew
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
