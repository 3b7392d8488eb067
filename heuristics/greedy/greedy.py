"""
Greedy: the most pressing job first, on its best configuration that finds room.

Kiros 2020, 3.1.3. Each job, by decreasing pressure Delta_j = now + min t_j - d_j, takes the first
of its candidates (v, g) that fits, in time by cost, then late by time. A type of VM v comes with
different numbers of GPUs: it is a GPU type.

    (a) on an open node of type v with at least g idle GPUs, the fullest one (best fit);
    (b) else on a node that is opened for it, as the VM of type v with the most GPUs;
    (c) else the next candidate is tried (suboptimal configurations); a job without any waits.

Afterwards nodes with idle GPUs become smaller, equivalent ones, and jobs get what stays idle.

Where all nodes may take all types a closed node serves any candidate, so suboptimal candidates are
tried on open nodes only, as printed. On fixed nodes (b) fails if no closed node fits the candidate.

Kernels: no candidates are sorted. When a job has its turn, its first candidate that finds a node is
the first of those that fit, in the order of `candidates.ranking`.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult
from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined, inner, smallest
from rsjs.heuristics.common.result import finished
from rsjs.heuristics.greedy.arrays import NodeTables, settled
from rsjs.heuristics.greedy.kernels_placement import (
    GreedyState,
    clear,
    comes_before,
    new_state,
    place,
)
from rsjs.heuristics.greedy.rules import GREEDY_RULES, cluster_tables
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


def decide(instance: Instance, rule: str = "code") -> Solution:
    """Return the solution of an instance by a rule of RULES."""
    jobs = GreedyJobs(
        hours=costs.cost_tables(instance).hours, due=instance.jobs.due, now=float(instance.now)
    )
    return decide_by_hours(instance.cluster, jobs, rule)


class GreedyJobs(NamedTuple):
    """Jobs of which only the running times are known."""

    hours: Floats  # (J, T, G + 1) h to completion
    due: Floats  # (J,)
    now: float


def decide_by_hours(cluster: Cluster, jobs: GreedyJobs, rule: str) -> Solution:
    """Return the solution by a rule of RULES."""
    chosen, number = GREEDY_RULES[rule], len(jobs.due)
    nodes = cluster_tables(cluster, chosen).nodes
    state = new_state(nodes, number, listed=1)
    job_node, job_gpus = np.empty((2, number), dtype=np.int64)
    place_jobs(nodes, settled(jobs), state, job_node, job_gpus, chosen.strict, chosen.each_node)
    return Solution(
        job_node=job_node,
        job_gpus=job_gpus,
        job_level=np.full(number, -1),
        node_type=state.node_type,
    )


@inner
def postprocess(
    nodes: NodeTables, hours: Floats, state: GreedyState, running: int, each_node: bool
) -> None:
    """Replace nodes by smaller ones, then give idle GPUs to jobs that gain from them."""
    some = False
    for n in range(state.idle.shape[0]):
        v = state.node_type[n]
        if v >= 0 and state.idle[n] > 0:
            used = nodes.gpus_of_type[v] - state.idle[n]
            v = nodes.equivalents[nodes.class_of_node[n], v, used]
            state.node_type[n] = v
            state.idle[n] = nodes.gpus_of_type[v] - used
            some = some or state.idle[n] > 0
    if some and each_node:
        give_on_each_node(nodes, hours, state, running)
    elif some:
        give_to_one_job(nodes, hours, state, running)


@inlined
def give_to_one_job(nodes: NodeTables, hours: Floats, state: GreedyState, running: int) -> None:
    """Give the job that saves most time all idle GPUs of its node; ties: the first job."""
    winner, most = -1, 0.0
    for r in range(running):
        n, j, g = state.node[r], state.job[r], state.gpus[r]
        if state.idle[n] > 0:
            gpu = nodes.gpu_of_type[state.node_type[n]]
            saved = hours[j, gpu, g] - hours[j, gpu, g + state.idle[n]]
            if saved > most or (saved == most and winner >= 0 and j < state.job[winner]):
                winner, most = r, saved
    if winner >= 0:
        n = state.node[winner]
        state.gpus[winner] += state.idle[n]
        state.idle[n] = 0


@inlined
def give_on_each_node(nodes: NodeTables, hours: Floats, state: GreedyState, running: int) -> None:
    """Give the job of each node with the highest speed-up its idle GPUs; ties: the first job."""
    best, winner = state.best, state.winner
    best[:] = 1.0
    winner[:] = -1
    for r in range(running):
        n, j, g = state.node[r], state.job[r], state.gpus[r]
        if state.idle[n] > 0:
            gpu = nodes.gpu_of_type[state.node_type[n]]
            speed_up = hours[j, gpu, g] / hours[j, gpu, g + state.idle[n]]
            tied = speed_up == best[n] and winner[n] >= 0
            if speed_up > best[n] or (tied and j < state.job[winner[n]]):
                best[n], winner[n] = speed_up, r
    for n in range(state.idle.shape[0]):
        if winner[n] >= 0:
            state.gpus[winner[n]] += state.idle[n]
            state.idle[n] = 0


@compiled
def place_jobs(
    nodes: NodeTables,
    jobs: GreedyJobs,
    state: GreedyState,
    job_node: Ints,
    job_gpus: Ints,
    strict: bool,
    each_node: bool,
) -> None:
    """
    Fill `job_node`, `job_gpus` and `state.node_type`.

    Parameters
    ----------
    strict : whether the due date itself is late
    each_node : whether idle GPUs go to one job of each node, else to one of the cluster
    """
    clear(nodes, state)
    hours, due, now = jobs.hours, jobs.due, jobs.now
    running, urgency = 0, np.empty(due.shape[0])
    # -Delta_j (3.1): the most pressing job comes first
    for j in range(due.shape[0]):
        fastest = inf
        for t in range(hours.shape[1]):
            for g in range(hours.shape[2]):
                fastest = min(fastest, hours[j, t, g])
        urgency[j] = -(now + fastest - due[j])
    # (a) - (c): the first candidate that fits
    for j in np.argsort(urgency, kind="mergesort"):
        kind, g = first_that_fits(nodes, state, hours, j, now, due[j], strict)
        if kind < 0:
            continue
        state.node[running] = place(nodes, state, kind, g, 0.0)
        state.job[running], state.gpus[running] = j, g
        running += 1
        if state.room.max() == 0:
            break
    postprocess(nodes, hours, state, running, each_node)
    job_node[:] = -1
    job_gpus[:] = 0
    for r in range(running):
        job_node[state.job[r]] = state.node[r]
        job_gpus[state.job[r]] = state.gpus[r]


@inlined
def first_that_fits(
    nodes: NodeTables,
    state: GreedyState,
    hours: Floats,
    job: int,
    now: float,
    due: float,
    strict: bool,
) -> tuple[int, int]:
    """Return a job's best mode (kind, g) with g <= room[kind]; kind -1 = there is none."""
    best_kind, best_g, best_late, best_key, best_cost = -1, 0, True, inf, inf
    for kind in range(state.room.shape[0]):
        for g in range(1, state.room[kind] + 1):
            time, price = hours[job, kind, g], nodes.price[kind, g]
            if time == inf or price == inf:
                continue
            end, cost = now + time, time * price
            late = end >= due if strict else end > due
            key = time if late else cost
            better = comes_before(late, key, cost, best_late, best_key, best_cost)
            if better or best_kind < 0:
                best_kind, best_g, best_late, best_key, best_cost = kind, g, late, key, cost
    return best_kind, best_g


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by greedy."""
    with report.phase("solve"):
        solution = decide(instance, str(call.rule))
    return finished(instance, solution, report)


def compile_kernels(*_: object) -> None:
    """Compile or load the kernels; the arguments are not used."""
    decide(smallest())
