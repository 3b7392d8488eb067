"""
Each compiled kernel of `rsjs.heuristics` on one instance.

Kernels that only other kernels can call are measured inside these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.cases import LARGE, STEERED, Work, instance_of
from benchmarks.work.heuristics import checked, decide, single_jobs
from benchmarks.work.mig import first_problem
from rsjs.heuristics.common.stopping import Stopping
from rsjs.heuristics.dispatching import queues
from rsjs.heuristics.dispatching.candidates import by_due_date
from rsjs.heuristics.dispatching.queues import JobModes
from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.greedy.kernels_queue import JobQueue, QueueRules
from rsjs.heuristics.greedy.randomized import Constructions
from rsjs.heuristics.greedy.randomized_arrays import prepared
from rsjs.heuristics.greedy.randomized_shared import SharedConstructions
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.heuristics.hindsight.lagrangian import priced
from rsjs.heuristics.local_search.arrays import solution_arrays, tables
from rsjs.heuristics.local_search.kernels_costs import refresh
from rsjs.heuristics.local_search.local_search import Descent
from rsjs.heuristics.local_search.path_relinking import Relinking, modes
from rsjs.heuristics.mig.scheduling_local_search import local_search
from rsjs.heuristics.mig.scheduling_rules import best_fit
from rsjs.heuristics.ruin_recreate import dual_prices
from rsjs.heuristics.ruin_recreate.arrays import mode_tables
from rsjs.heuristics.ruin_recreate.construction import construct
from rsjs.heuristics.ruin_recreate.kernels_node import total_cost
from rsjs.heuristics.ruin_recreate.ruin_recreate import COLD, FEW, NODES_LED, Annealer
from rsjs.heuristics.sts import sts
from rsjs.heuristics.sts.migration import Loads
from rsjs.heuristics.sts.power_model import JobData, PowerModel
from rsjs.heuristics.sts.single_job import FEASIBLE
from rsjs.heuristics.sts.speed_profile import profiles
from rsjs.instances.generators.sts import workload
from rsjs.instances.instance import Instance
from rsjs.instances.mig.scheduling.schedule import terms
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.simulation.bounds import WorkloadBound, hindsight
from rsjs.simulation.offline import planned
from rsjs.simulation.options import Options
from rsjs.simulation.policies.priced_roll import (
    BUCKETS,
    ModeRows,
    bucket_edges,
    evaluated,
    nodes_at_power,
    priced_jobs,
)

ITERATIONS, MOVES, STEPS, TIMES, MIG_MOVES = 200, 1000, 100, 100, 2000
_TWO_K80 = 1  # node type of Kiros' catalogue
MEASURED_BY: Mapping[str, str] = {  # compiled function: the case that runs it
    "rsjs.heuristics.greedy.greedy:place_jobs": "greedy",
    "rsjs.heuristics.greedy.kernels_queue:place_queue": "queue",
    "rsjs.heuristics.greedy.kernels_queue:occupy": "queue",
    "rsjs.heuristics.greedy.kernels_queue:packed": "queue",
    "rsjs.heuristics.greedy.randomized:iterate": "randomized_construction",
    "rsjs.heuristics.greedy.randomized_shared:draw_orders": "randomized_queue",
    "rsjs.heuristics.greedy.randomized_shared:iterate": "randomized_queue",
    "rsjs.heuristics.hindsight.kernels_jobs:run_alone": "hindsight_jobs",
    "rsjs.heuristics.hindsight.kernels_jobs:segments_space": "hindsight_jobs",
    "rsjs.heuristics.hindsight.kernels_variants:run_once": "hindsight_runs",
    "rsjs.heuristics.hindsight.kernels_packing:pack_row": "hindsight_schedule",
    "rsjs.heuristics.hindsight.kernels_ruin:construct": "hindsight_schedule",
    "rsjs.heuristics.hindsight.kernels_ruin:improve": "hindsight_schedule",
    "rsjs.heuristics.hindsight.kernels_schedule:insert": "hindsight_schedule",
    "rsjs.heuristics.local_search.kernels_costs:refresh": "refreshing",
    "rsjs.heuristics.local_search.kernels_search:make_step": "relinking",
    "rsjs.heuristics.local_search.kernels_search:descend": "descent",
    "rsjs.heuristics.mig.kernels:price": "mig_annealing",
    "rsjs.heuristics.mig.kernels:anneal": "mig_annealing",
    "rsjs.heuristics.mig.kernels:simulate": "mig_simulation",
    "rsjs.heuristics.ruin_recreate.kernels_annealing:anneal": "annealing",
    "rsjs.heuristics.ruin_recreate.kernels_node:total_cost": "node_moves",
    "rsjs.heuristics.ruin_recreate.kernels_recreate:insert_all": "recreate",
    "rsjs.heuristics.sts.priced_profile:run_priced": "priced_profile",
    "rsjs.heuristics.sts.speed_profile:solve": "speed_profile",
    "rsjs.heuristics.sts.speed_profile:hull": "speed_profile",
    "rsjs.heuristics.sts.kernels_sts:decide": "sts",
    "rsjs.heuristics.sts.kernels_sts:set_changes": "sts",
    "rsjs.heuristics.sts.kernels_sts:solved": "sts_choices",
    "rsjs.heuristics.sts.kernels_sts:by_pressure": "sts_choices",
    "rsjs.heuristics.sts.kernels_sts:give_idle_gpus": "sts_postprocessing",
    "rsjs.heuristics.sts.kernels_sts:last_moment": "sts_postprocessing",
    "rsjs.heuristics.sts.migration:count_stays": "sts_nodes",
}


def _greedy() -> Work:
    instance = instance_of("jahani", LARGE)
    greedy.decide(instance, "paper")
    return Work(
        run=lambda: greedy.decide(instance, "paper"),
        values=partial(_with_running, instance),
    )


def _randomized_construction() -> Work:
    constructions = Constructions(prepared(instance_of("jahani", LARGE), RANDOMIZED_RULES["paper"]))
    constructions.costs(1, 1)
    return Work(
        run=lambda: constructions.costs(1, ITERATIONS),
        values=lambda found: {"cost": float(found.min()), "iterations": len(found)},
    )


def _randomized_queue() -> Work:
    schedules = SharedConstructions(JobModes.of(instance_of("sts", LARGE), "worst_case"), 0)
    schedules.costs(1, 1)
    return Work(
        run=lambda: schedules.costs(1, ITERATIONS),
        values=lambda found: {"cost": float(found.min()), "iterations": len(found)},
    )


def _hindsight_jobs(variant: str) -> Work:
    """All jobs of a workload at the same prices in 64 buckets of 8 hours."""
    of = workload(nodes=100, jobs=1000, seed=1, gap_seconds=80)
    jobs, nodes = hindsight(of, Options())
    edges = 8.0 * np.arange(65)
    prices = np.full((len(of.cluster.gpu_types), len(nodes.sizes), 64), 0.1)
    priced(jobs, nodes, edges, prices, variant)
    return Work(
        run=lambda: priced(jobs, nodes, edges, prices, variant),
        values=lambda found: {"bound": found.value},
    )


def _hindsight_schedule() -> Work:
    """A schedule without the bound's prices, some ruin and recreate, and its nodes."""
    of, options = workload(nodes=10, jobs=100, seed=1, gap_seconds=8000), Options()
    jobs, nodes = hindsight(of, options)
    edges, prices = np.array([0.0, 1.0]), np.zeros((len(of.cluster.gpu_types), len(nodes.sizes), 1))
    value = priced(jobs, nodes, edges, prices).value
    bound = WorkloadBound(value=value, edges=edges, sizes=nodes.sizes, prices=prices, evaluations=1)
    planned(of, options, bound, 1, np.inf, 0)
    return Work(
        run=lambda: planned(of, options, bound, TIMES, np.inf, 0),
        values=lambda found: {"cost": found[0].cost},
        tolerance=STEERED,
    )


def _priced_profile() -> Work:
    """1000 jobs of which nothing is done, at the same prices."""
    whole = workload(nodes=100, jobs=1000, seed=1).submitted()
    data, nodes = JobData.of(whole), nodes_at_power(whole.cluster)
    rows, slack = ModeRows.of(data.model, nodes), whole.jobs.due - whole.jobs.release
    jobs = priced_jobs(rows, np.arange(1000), data.steps, slack, whole.jobs.weight)
    edges = bucket_edges(0.5, float(slack.max()))
    prices = np.full((len(whole.cluster.gpu_types), len(nodes.sizes), BUCKETS), 0.1)
    at_prices = partial(evaluated, jobs, nodes, edges, np.zeros(BUCKETS))
    at_prices(prices)
    return Work(
        run=lambda: at_prices(prices),
        values=lambda found: {"cost": float(found.job_cost.sum())},
    )


def _speed_profile() -> Work:
    arguments = single_jobs()
    profiles(*arguments)
    return Work(
        run=lambda: profiles(*arguments),
        values=lambda found: {
            "cost": float(found.energy.sum()),
            "feasible": int((found.status == FEASIBLE).sum()),
        },
    )


def _queue() -> Work:
    """On GPUs that are shared, where every second job runs and the others wait."""
    instance = instance_of("sts", LARGE, sharing="paper")
    running = queues.decide(instance)
    half = np.where(np.arange(len(instance.jobs)) % 2, running.job_node, -1)
    runs = half >= 0
    current = Solution(
        job_node=half,
        job_gpus=np.where(runs, running.job_gpus, 0),
        job_level=np.where(runs, running.job_level, -1),
        node_type=running.node_type,
    )
    rules = QueueRules(keeps=True, alone=False, any_node=False)
    queue = JobQueue(instance.cluster, PowerModel.of(instance), instance.jobs.due, rules)
    order, rows = by_due_date(instance), np.arange(len(instance.jobs))
    rows.setflags(write=False)
    left = np.array(instance.jobs.remaining)
    queue.decide(current, rows, order, left, instance.now)
    return Work(
        run=lambda: queue.decide(current, rows, order, left, instance.now),
        values=partial(_with_running, instance),
    )


def _sts_nodes() -> Work:
    """After an hour, when jobs change their modes and loads their nodes."""
    instance = instance_of("sts", "100 x 200")
    later = replace(instance, now=instance.now + 1, current=sts.decide(instance).solution)
    decided = sts.decide(later)
    loads = Loads(instance.cluster)
    return Work(
        run=lambda: loads.on_their_nodes(later.current, decided.solution),
        values=partial(_with_running, later),
    )


def _sts(rule: str, jobs: int) -> Work:
    """Idle GPUs are given away by `literal` only, and most of them where jobs are few."""

    instance = instance_of("sts", f"100 x {jobs}")
    return Work(
        run=decide(f"sts:{rule}", instance),
        values=partial(_with_running, instance),
    )


def _with_running(instance: Instance, solution: Solution) -> dict[str, float]:
    """Return cost and the number of jobs that run."""
    return {**checked(instance, solution), "running": int((solution.job_node >= 0).sum())}


@cache
def _hurried() -> Instance:
    """40 x 400 with due dates so early that many jobs run late."""
    made = instance_of("kiros", "40 x 400", due="tight")
    late = replace(made.jobs, due=0.3 * made.jobs.due)
    return replace(made, jobs=late)


@cache
def _solution(rule: str) -> Solution:
    return select_required_nodes(_hurried(), greedy.decide(_hurried(), rule))


def _alone() -> Solution:
    """A job on each node, on its two K80: there are other types, and larger and smaller nodes."""
    nodes, jobs = _hurried().cluster.nodes, len(_hurried().jobs)
    node, gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    node[:nodes], gpus[:nodes] = np.arange(nodes), 2
    return Solution.of(node, gpus, np.full(nodes, _TWO_K80))


def _descent(neighbourhoods: str, *, alone: bool = False) -> Work:
    found = Descent(_hurried(), only_late=False, neighbourhoods=neighbourhoods)
    start = _alone() if alone else _solution("paper")
    return Work(
        run=lambda: found.improve(start, Stopping()),
        values=lambda best: {
            "cost": best[0],
            "moves": found.moves,
            "neighbours": found.neighbours,
        },
    )


def _refreshing() -> Work:
    arrays = tables(_hurried())
    state = solution_arrays(_hurried(), arrays, _solution("paper"), 10)
    refresh(arrays, state)
    return Work(
        run=lambda: [refresh(arrays, state) for _ in range(TIMES)],
        values=lambda found: {"cost": found[-1]},
    )


def _relinking() -> Work:
    guide, path = modes(_hurried(), _solution("paper")), Relinking(_hurried())
    return Work(
        run=lambda: path.path(_alone(), guide, STEPS, Stopping()),
        values=lambda found: {"cost": found[0], "steps": path.steps},
    )


def _priced() -> tuple[Any, Any, Any]:
    instance = instance_of("sts", LARGE)
    return instance, mode_tables(instance), dual_prices.find(instance)


def _annealing() -> Work:
    instance, problem, found = _priced()
    search = Annealer(instance, problem, found, construct(instance, problem, found), 0)
    return Work(
        run=lambda: search.moves(MOVES, COLD * found.scale, NODES_LED, FEW),
        values=lambda _: {"cost": search.cost},
        tolerance=STEERED,
    )


def _recreate() -> Work:
    instance, problem, found = _priced()
    return Work(
        run=lambda: construct(instance, problem, found),
        values=lambda state: {"cost": total_cost(problem, state)},
        tolerance=STEERED,
    )


def _node_moves() -> Work:
    instance, problem, found = _priced()
    state = construct(instance, problem, found)
    return Work(
        run=lambda: [total_cost(problem, state) for _ in range(TIMES)],
        values=lambda found: {"cost": found[-1]},
        tolerance=STEERED,
    )


def _mig_simulation() -> Work:
    """Best fit by the rule `bigfirst_srpt`."""

    problem = first_problem("completion")
    best_fit(problem, "bigfirst_srpt")
    return Work(
        run=lambda: best_fit(problem, "bigfirst_srpt"),
        values=lambda found: {"cost": terms(problem, found)["completion"]},
    )


def _mig_annealing() -> Work:
    """Some moves of local search from FCFS."""

    problem = first_problem("completion")
    start = best_fit(problem)
    local_search(problem, [start], iterations=1)
    return Work(
        run=lambda: local_search(problem, [start], iterations=MIG_MOVES),
        values=lambda found: {
            "cost": terms(problem, found[0])["completion"],
            "iterations": found[1],
        },
    )


WORK: Mapping[str, Callable[[], Work]] = {  # case: its work, made anew
    "annealing": _annealing,
    "descent": partial(_descent, "1234567"),
    "gpu_neighbourhood": partial(_descent, "7"),
    "greedy": _greedy,
    "job_neighbourhoods": partial(_descent, "123"),
    "mig_annealing": _mig_annealing,
    "mig_simulation": _mig_simulation,
    "hindsight_jobs": partial(_hindsight_jobs, "free"),
    "hindsight_runs": partial(_hindsight_jobs, "no_preemption"),
    "hindsight_schedule": _hindsight_schedule,
    "node_moves": _node_moves,
    "node_neighbourhoods": partial(_descent, "456", alone=True),
    "queue": _queue,
    "randomized_construction": _randomized_construction,
    "randomized_queue": _randomized_queue,
    "recreate": _recreate,
    "refreshing": _refreshing,
    "relinking": _relinking,
    "priced_profile": _priced_profile,
    "speed_profile": _speed_profile,
    "sts": partial(_sts, "literal", 400),
    "sts_choices": partial(_sts, "fallback", 400),
    "sts_nodes": _sts_nodes,
    "sts_postprocessing": partial(_sts, "literal", 200),
}
