"""
One greedy decision; see greedy.py.

No candidates are sorted: when a job has its turn, its first candidate that finds a node is the
least of those that fit, in the order of `candidates.ranking`.
"""

from __future__ import annotations

from math import inf

import numpy as np

from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.heuristics.greedy.arrays import Floats, Ints, NodeTables
from rsjs.heuristics.greedy.kernels_placement import clear, place
from rsjs.heuristics.greedy.kernels_postprocessing import postprocess
from rsjs.heuristics.greedy.kernels_state import State


@compiled
def decide(
    nodes: NodeTables,
    hours: Floats,
    due: Floats,
    now: float,
    strict: bool,
    each_node: bool,
    state: State,
    job_node: Ints,
    job_gpus: Ints,
) -> None:
    """
    Fill `job_node`, `job_gpus` and `state.node_type`.

    Parameters
    ----------
    hours : (J, T, G + 1)
    strict : whether the due date itself is late
    each_node : whether idle GPUs go to one job of each node, else to one of the cluster
    """
    clear(nodes, state)
    jobs, running = due.shape[0], 0
    urgency = np.empty(jobs)
    for j in range(jobs):
        fastest = inf
        for t in range(hours.shape[1]):
            for g in range(hours.shape[2]):
                fastest = min(fastest, hours[j, t, g])
        urgency[j] = -(now + fastest - due[j])
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
    state: State,
    hours: Floats,
    job: int,
    now: float,
    due: float,
    strict: bool,
) -> tuple[int, int]:
    """A job's best configuration (kind, g) with g <= room[kind]; kind -1 = there is none."""
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
