"""
Rules that decide at each event as the methods of the same name do; no decision is priced.

    dp, greedy, randomized_queue    all jobs anew
    fifo, edf, priority             jobs that run are left alone, those that wait are tried in order
    queue                           one or the other, by its rule

Of dp (fastest) and queue decisions are those of `greedy.kernels_queue`, on arrays of the whole
workload; of fifo, edf and priority only the jobs that wait are looked at: they are few.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.common.stopping import Iterations, Seconds
from rsjs.heuristics.dispatching import pooled_dp
from rsjs.heuristics.dispatching.candidates import by_pressure, by_release
from rsjs.heuristics.dispatching.list_scheduling import ORDERS, configurations, occupy_types
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    as_solution,
    kinds_by_node_type,
    place_queue,
)
from rsjs.heuristics.dispatching.queues import RULES, JobModes
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import ALL, State, WorkloadData


def dp(request: Request, whole: Instance) -> Policy:
    """Build the policy `dp` with one of its rules."""
    from rsjs.heuristics.greedy import kernels_queue as kernel  # which loads numba

    rule, epochs, known = str(request.rule), request.options["epochs"], WorkloadData(whole)
    always_late = np.full(len(whole.jobs), -inf)  # so that the fastest mode is the best
    rules = kernel.QueueRules(keeps=False, alone=False, any_node=False)
    fastest, rank = (
        kernel.JobQueue(whole.cluster, known.power, always_late, rules),
        _ranks(by_release, whole),
    )

    def decide(state: State, memory: Any) -> Choice:
        if rule == "pooled":
            part, model = state.of(ALL, epochs), known.model(state.rows)
            return Choice(solution=pooled_dp.decide(part, rule, epochs, model))
        order, left = rank[state.rows].argsort(), known.epochs_left(state, epochs)
        return Choice(solution=fastest.decide(state.current, state.rows, order, left, state.now))

    return Policy(spelling=request.spelling, decide=decide, prepare=kernel.compile_kernels)


def greedy(request: Request, whole: Instance) -> Policy:
    """Build the policy `greedy` with one of its rules."""
    from rsjs.heuristics.greedy import greedy  # which loads numba

    rule, known = str(request.rule), WorkloadData(whole)  # which `parse` has completed
    expectation, due = whole.objective.expectation, whole.jobs.due

    def decide(state: State, memory: Any) -> Choice:
        left, rows = known.epochs_left(state, expectation), state.rows
        hours = whole.hours_per_epoch.take(rows, axis=0) * left[:, None, None]
        hours.setflags(write=False)  # as in the tables of an instance: one type for the compiler
        queued = greedy.GreedyJobs(hours=hours, due=due[rows], now=state.now)
        return Choice(solution=greedy.decide_by_hours(whole.cluster, queued, rule))

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
    from rsjs.heuristics.greedy import kernels_queue as kernel  # which loads numba

    rule, epochs, known = RULES[str(request.rule)], request.options["epochs"], WorkloadData(whole)
    rules = kernel.QueueRules(
        keeps=not rule.preemptive, alone=rule.alone, any_node=request.options["fit"] == "all"
    )
    made = kernel.JobQueue(whole.cluster, known.power, whole.jobs.due, rules)
    fastest = whole.hours_per_epoch.min(axis=(1, 2))
    rank = _ranks(rule.order, whole)

    def decide(state: State, memory: Any) -> Choice:
        rows, left = state.rows, known.epochs_left(state, epochs)
        if rule.order is by_pressure:  # the only order that changes
            pressure = state.now + fastest[rows] * left - whole.jobs.due[rows]
            order = np.argsort(-pressure, kind="stable")
        else:
            order = rank[rows].argsort()
        return Choice(solution=made.decide(state.current, rows, order, left, state.now))

    return Policy(
        spelling=request.spelling,
        decide=decide,
        keeps_running=not rule.preemptive,
        prepare=kernel.compile_kernels,
    )


def _ranks(order: Callable[[Instance], Ints], whole: Instance) -> Ints:
    """Return (J,) position of each job of a workload in an order that does not change."""
    rank = np.empty(len(whole.jobs), dtype=np.int64)
    rank[order(whole)] = np.arange(len(rank))
    return rank


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
