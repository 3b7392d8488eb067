"""
Rules that decide at each event as the methods of the same name do; no decision is priced.

    dp, greedy, randomized_queue    all jobs anew
    fifo, edf, priority             jobs that run are left alone, those that wait are tried in order
    queue                           one or the other, by its rule

Of a rule that leaves running jobs alone only the jobs that wait are looked at: between two events
they are few.
"""

from __future__ import annotations

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
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import ALL, State, WorkloadData


def dp(request: Request, whole: Instance) -> Policy:
    """Build the policy `dp` with one of its rules."""
    rule, epochs, known = str(request.rule), request.options["epochs"], WorkloadData(whole)

    def decide(state: State, memory: Any) -> Choice:
        part, model = state.of(ALL, epochs), known.model(state.rows)
        return Choice(solution=pooled_dp.decide(part, rule, epochs, model))

    return Policy(spelling=request.spelling, decide=decide)


def greedy(request: Request, whole: Instance) -> Policy:
    """Build the policy `greedy` with one of its rules."""
    from rsjs.heuristics.greedy import greedy  # which loads numba

    rule = str(request.rule)  # which `parse` has completed

    def decide(state: State, memory: Any) -> Choice:
        now = state.instance
        hours = now.hours_per_epoch * costs.epochs_left(now)[:, None, None]
        hours.setflags(write=False)  # as in the tables of an instance: one type for the compiler
        return Choice(solution=greedy.decide_by_hours(now, hours, rule))

    return Policy(spelling=request.spelling, decide=decide, prepare=greedy.compile_kernels)


def randomized_queue(request: Request, whole: Instance) -> Policy:
    """Build the policy `randomized_queue`; a call ends early when its time limit is reached."""
    from rsjs.heuristics.greedy import randomized_shared  # which loads numba

    epochs, known = request.options["epochs"], WorkloadData(whole)
    most = request.options["iterations"] or inf

    def decide(state: State, memory: Any) -> Choice:
        modes = JobModes.of(state.of(ALL, epochs), epochs, known.model(state.rows))
        stop = Iterations(most) | Seconds(state.time_limit, perf_counter)
        return Choice(solution=randomized_shared.search_schedules(modes, stop, state.seed)[0])

    prepare = randomized_shared.compile_kernels
    return Policy(spelling=request.spelling, decide=decide, prepare=prepare)


def queue(request: Request, whole: Instance) -> Policy:
    """Build the policy `queue`; edf, edf_alone, fifo and priority leave running jobs alone."""
    cluster, known = whole.cluster, WorkloadData(whole)
    rule, epochs = RULES[str(request.rule)], request.options["epochs"]
    kinds, fit = kinds_by_gpu_type(cluster), str(request.options["fit"])

    def decide(state: State, memory: Any) -> Choice:
        waiting = np.flatnonzero(rule.preemptive | (state.current.job_node < 0))
        if not waiting.size:
            return Choice(solution=state.kept)
        capacity = FreeCapacity(kinds, alone=rule.alone, fit=fit)
        if not rule.preemptive:
            occupy_nodes(capacity, cluster, state.kept)
            if capacity.full:
                return Choice(solution=state.kept)
        of = JobModes.of(state.of(waiting, epochs), epochs, known.model(state.rows[waiting]))
        order = rule.order(of.instance).tolist()
        placed = place_queue(order, of.cheapest(), capacity, of.units)
        new = as_solution(placed, capacity, of.level)
        return Choice(solution=new if rule.preemptive else _beside(state.kept, waiting, new))

    return Policy(spelling=request.spelling, decide=decide, keeps_running=not rule.preemptive)


def waiting_jobs(request: Request, whole: Instance) -> Policy:
    """Build the policy fifo, edf or priority with the rule code or paper."""
    cluster, order = whole.cluster, ORDERS[request.method.name]
    alone, kinds = request.rule == "code", kinds_by_node_type(cluster)

    def decide(state: State, memory: Any) -> Choice:
        kept, used = state.kept, state.used
        waiting, busy = np.flatnonzero(kept.job_node < 0), np.flatnonzero(used)
        full = alone or (cluster.gpus_of_type[kept.node_type[busy]] == used[busy]).all()
        if not waiting.size or (full and len(busy) == cluster.nodes):
            return Choice(solution=kept)
        part, capacity = state.of(waiting), FreeCapacity(kinds, alone=alone)
        occupy_types(capacity, cluster, kept, used)
        codes = configurations(part, str(request.rule))
        placed = place_queue(order(part).tolist(), codes, capacity)
        return Choice(solution=_beside(kept, waiting, as_solution(placed, capacity)))

    return Policy(spelling=request.spelling, decide=decide, keeps_running=True)


def _beside(placement: Solution, jobs: Ints, new: Solution) -> Solution:
    """Return a placement with waiting jobs, at `jobs` in it, on nodes or GPUs free in it."""
    node, gpus = placement.job_node.copy(), placement.job_gpus.copy()
    level = placement.job_level.copy()
    node[jobs], gpus[jobs], level[jobs] = new.job_node, new.job_gpus, new.job_level
    kind = np.where(placement.node_type >= 0, placement.node_type, new.node_type)
    return Solution(job_node=node, job_gpus=gpus, job_level=level, node_type=kind)
