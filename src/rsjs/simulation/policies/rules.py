"""
Rules that decide at each event as the methods of the same name do; no decision is priced.

    dp, greedy, randomized_queue    all jobs anew
    fifo, edf, priority             jobs that run are left alone, those that wait are tried in order
    queue                           one or the other, by its rule

Of a rule that leaves running jobs alone only the jobs that wait are looked at: between two events
they are few.
"""

from __future__ import annotations

from functools import partial
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.common.stopping import Iterations, Seconds
from rsjs.heuristics.dispatching import pooled_dp
from rsjs.heuristics.dispatching.list_scheduling import ORDERS, configurations, occupy_types
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    as_solution,
    kinds_by_gpu_type,
    kinds_by_node_type,
    occupy_nodes,
    place_queue,
)
from rsjs.heuristics.dispatching.queues import RULES, JobModes
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import ALL, State, WorkloadData


def dp(request: Request, whole: Instance) -> Policy:
    """Build the policy `dp` with one of its rules."""
    rule, epochs, known = str(request.rule), request.options["epochs"], WorkloadData(whole)

    def decide(state: State, memory: Any) -> Choice:
        part = state.of(ALL, epochs)
        found = pooled_dp.decide(part, rule, epochs, known.model(state.rows))
        return Choice(solution=select_required_nodes(part, found))

    return Policy(spelling=request.spelling, decide=decide)


def greedy(request: Request, whole: Instance) -> Policy:
    """Build the policy `greedy` with one of its rules."""
    from rsjs.heuristics.greedy import greedy  # which loads numba

    rule = str(request.rule)  # which `parse` has completed

    def decide(state: State, memory: Any) -> Choice:
        now = state.instance
        hours = now.hours_per_epoch * costs.epochs_left(now)[:, None, None]
        hours.setflags(write=False)  # as in the tables of an instance: one type for the compiler
        return Choice(solution=select_required_nodes(now, greedy.decide_by_hours(now, hours, rule)))

    return Policy(spelling=request.spelling, decide=decide, prepare=greedy.compile_kernels)


def randomized_queue(request: Request, whole: Instance) -> Policy:
    """Build the policy `randomized_queue`; a decision ends early when its time is up."""
    from rsjs.heuristics.greedy import randomized_shared  # which loads numba

    epochs, known = request.options["epochs"], WorkloadData(whole)
    most = request.options["iterations"] or inf

    def decide(state: State, memory: Any) -> Choice:
        part = state.of(ALL, epochs)
        modes = JobModes.of(part, epochs, known.model(state.rows))
        stop = Iterations(most) | Seconds(state.time_limit, perf_counter)
        solution, _ = randomized_shared.search_schedules(modes, stop, state.seed)
        return Choice(solution=select_required_nodes(part, solution))

    prepare = randomized_shared.compile_kernels
    return Policy(spelling=request.spelling, decide=decide, prepare=prepare)


def queue(request: Request, whole: Instance) -> Policy:
    """Build the policy `queue`; edf, edf_alone, fifo and priority leave running jobs alone."""
    cluster, known = whole.cluster, WorkloadData(whole)
    rule, epochs = RULES[str(request.rule)], request.options["epochs"]
    kinds, fit = kinds_by_gpu_type(cluster), str(request.options["fit"])
    empty = partial(FreeCapacity, kinds, alone=rule.alone, fit=fit)

    def placed(state: State, jobs: Ints, capacity: FreeCapacity) -> Solution:
        of = JobModes.of(state.of(jobs, epochs), epochs, known.model(state.rows[jobs]))
        order = rule.order(of.instance).tolist()
        jobs_placed = place_queue(order, of.cheapest(), capacity, of.units)
        return as_solution(jobs_placed, capacity, of.level)

    def decide(state: State, memory: Any) -> Choice:
        if rule.preemptive:
            solution = placed(state, np.arange(len(state.rows)), empty())
        else:
            solution = state.kept
            waiting = np.flatnonzero(solution.job_node < 0)
            if waiting.size:
                capacity = empty()
                occupy_nodes(capacity, cluster, solution)
                if not capacity.full:
                    solution = _beside(solution, waiting, placed(state, waiting, capacity))
        if whole.objective.open_nodes == "jahani_eq":
            solution = select_required_nodes(state.instance, solution)
        return Choice(solution=solution)

    return Policy(spelling=request.spelling, decide=decide, keeps_running=not rule.preemptive)


def waiting_jobs(request: Request, whole: Instance) -> Policy:
    """Build the policy fifo, edf or priority with the rule code or paper."""
    cluster, order = whole.cluster, ORDERS[request.method.name]
    alone, kinds = request.rule == "code", kinds_by_node_type(cluster)

    def decide(state: State, memory: Any) -> Choice:
        solution, used = state.kept, state.used
        busy = np.flatnonzero(used)
        idle = cluster.gpus_of_type[solution.node_type[busy]] - used[busy]
        waiting = np.flatnonzero(solution.job_node < 0)
        if waiting.size and (len(busy) < cluster.nodes or (idle.any() and not alone)):
            part = state.of(waiting)
            capacity = FreeCapacity(kinds, alone=alone)
            occupy_types(capacity, cluster, solution, used)
            codes = configurations(part, str(request.rule))
            placed = place_queue(order(part).tolist(), codes, capacity)
            solution = _beside(solution, waiting, as_solution(placed, capacity))
        if whole.objective.open_nodes == "jahani_eq":
            solution = select_required_nodes(state.instance, solution)
        return Choice(solution=solution)

    return Policy(spelling=request.spelling, decide=decide, keeps_running=True)


def _beside(placement: Solution, jobs: Ints, new: Solution) -> Solution:
    """Return a placement with waiting jobs, at `jobs` in it, on nodes or GPUs free in it."""
    node, gpus = placement.job_node.copy(), placement.job_gpus.copy()
    level = placement.job_level.copy()
    node[jobs], gpus[jobs], level[jobs] = new.job_node, new.job_gpus, new.job_level
    kind = np.where(placement.node_type >= 0, placement.node_type, new.node_type)
    return Solution(job_node=node, job_gpus=gpus, job_level=level, node_type=kind)
