"""
One greedy decision; see greedy.py.

No candidates are sorted: when a job has its turn, its first candidate that finds a node is the
first of those that fit, in the order of `candidates.ranking`. Idle GPUs of open nodes after that:
smaller nodes, then more GPUs for jobs.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined, inner
from rsjs.heuristics.greedy.arrays import NodeTables
from rsjs.heuristics.greedy.kernels_placement import GreedyState, clear, place


class GreedyJobs(NamedTuple):
    """The jobs of a decision."""

    hours: Floats  # (J, T, G + 1)
    due: Floats  # (J,)
    now: float


@inner
def postprocess(
    nodes: NodeTables, hours: Floats, state: GreedyState, running: int, each_node: bool
) -> None:
    """Replace nodes by smaller ones, then give idle GPUs to jobs that gain from them."""
    # arrays are passed one by one: passing tuples to `inner` kernels makes RG 1.4 x slower
    gpus_of_type, gpu_of_type = nodes.gpus_of_type, nodes.gpu_of_type
    equivalents, class_of_node = nodes.equivalents, nodes.class_of_node
    node_type, idle, job, node, gpus = (
        state.node_type,
        state.idle,
        state.job,
        state.node,
        state.gpus,
    )
    some = False
    for n in range(idle.shape[0]):
        v = node_type[n]
        if v >= 0 and idle[n] > 0:
            used = gpus_of_type[v] - idle[n]
            v = equivalents[class_of_node[n], v, used]
            node_type[n] = v
            idle[n] = gpus_of_type[v] - used
            some = some or idle[n] > 0
    if some and each_node:
        give_on_each_node(
            gpu_of_type,
            hours,
            node_type,
            idle,
            running,
            job,
            node,
            gpus,
            state.best,
            state.winner,
        )
    elif some:
        give_to_one_job(gpu_of_type, hours, node_type, idle, running, job, node, gpus)


@inner
def give_to_one_job(
    gpu_of_type: Ints,
    hours: Floats,
    node_type: Ints,
    idle: Ints,
    running: int,
    job: Ints,
    node: Ints,
    gpus: Ints,
) -> None:
    """Give the job that saves most time all idle GPUs of its node; ties: the first job."""
    winner, most = -1, 0.0
    for r in range(running):
        n, j, g = node[r], job[r], gpus[r]
        if idle[n] > 0:
            gpu = gpu_of_type[node_type[n]]
            saved = hours[j, gpu, g] - hours[j, gpu, g + idle[n]]
            if saved > most or (saved == most and winner >= 0 and j < job[winner]):
                winner, most = r, saved
    if winner >= 0:
        gpus[winner] += idle[node[winner]]
        idle[node[winner]] = 0


@inner
def give_on_each_node(
    gpu_of_type: Ints,
    hours: Floats,
    node_type: Ints,
    idle: Ints,
    running: int,
    job: Ints,
    node: Ints,
    gpus: Ints,
    best: Floats,
    winner: Ints,
) -> None:
    """Give the job of each node with the highest speed-up its idle GPUs; ties: the first job."""
    best[:] = 1.0
    winner[:] = -1
    for r in range(running):
        n, j, g = node[r], job[r], gpus[r]
        if idle[n] > 0:
            gpu = gpu_of_type[node_type[n]]
            speed_up = hours[j, gpu, g] / hours[j, gpu, g + idle[n]]
            tied = speed_up == best[n] and winner[n] >= 0
            if speed_up > best[n] or (tied and j < job[winner[n]]):
                best[n], winner[n] = speed_up, r
    for n in range(idle.shape[0]):
        if winner[n] >= 0:
            gpus[winner[n]] += idle[n]
            idle[n] = 0


@compiled
def decide(
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
            if late == best_late:
                better = key < best_key or (key == best_key and cost < best_cost)
            else:
                better = best_late
            if better or best_kind < 0:
                best_kind, best_g, best_late, best_key, best_cost = kind, g, late, key, cost
    return best_kind, best_g
