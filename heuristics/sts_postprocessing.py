"""
After the assignment (Filippini et al. 2024, VI-C): idle GPUs, and the nodes of unchanged jobs.

A job alone on a shared GPU gets all of it. Then the idle GPUs of a node go one by one to that job
on it which saves most time at w_max, (a_k - a_(k+1)) (w_max - w), as long as one saves any; a share
becomes a GPU of its own. Last, whole loads of nodes of one class change places, so that as many
jobs as possible with the same GPUs as before are on the node where they were.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.first_fit import Placed
from rsjs.heuristics.rooms import Rooms
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution

Floats = NDArray[np.float64]


def give_idle_gpus(rate: Floats, work: Floats, placed: Placed, rooms: Rooms) -> None:
    """
    Give idle GPUs away; `placed` and `rooms` are changed.

    Parameters
    ----------
    rate : (J, T, G + 1) float [h]
    work : (J,) float
        Epochs left at w_max.
    """
    _whole_gpus(placed, rooms)
    on_node: dict[int, list[int]] = {}
    for j, node in enumerate(placed.node):
        if node >= 0 and rooms.idle[node]:
            on_node.setdefault(node, []).append(j)
    for node, jobs in on_node.items():
        while rooms.idle[node]:
            savings = [_saving(rate, work, placed, j) for j in jobs]
            best = max(savings)
            if best <= 0:
                break
            j = jobs[savings.index(best)]
            rooms.idle[node] -= 1
            placed.count[j] += 1
            shared, placed.shared[j] = placed.shared[j], -1
            if shared >= 0:
                rooms.gpu_jobs[shared] -= 1
                rooms.idle[node] += rooms.gpu_jobs[shared] == 0
    _whole_gpus(placed, rooms)


def _saving(rate: Floats, work: Floats, placed: Placed, j: int) -> float:
    """Hours that one more GPU saves; 0 if the job may not have it."""
    own, count = rate[j, placed.gpu[j]], placed.count[j]
    if count + 1 == len(own) or own[count + 1] == np.inf:
        return 0.0
    return float((own[count] - own[count + 1]) * work[j])


def _whole_gpus(placed: Placed, rooms: Rooms) -> None:
    for j, shared in enumerate(placed.shared):
        if shared >= 0 and rooms.gpu_jobs[shared] == 1:
            placed.count[j], placed.shared[j] = 1, -1


def on_their_nodes(instance: Instance, solution: Solution) -> Solution:
    """The same with loads moved between nodes of a class, so that fewest jobs migrate."""
    current = instance.current
    if current is None:
        return solution
    from scipy.optimize import linear_sum_assignment

    cluster = instance.cluster
    new, old = solution.job_node, current.job_node
    gpu = np.append(cluster.gpu_of_type, -1)  # the last entry is type -1
    same = (
        (new >= 0)
        & (old >= 0)
        & (solution.job_gpus == current.job_gpus)
        & (solution.job_level == current.job_level)
        & (gpu[solution.node_type[new]] == gpu[current.node_type[old]])
    )
    stays = np.zeros((cluster.nodes, cluster.nodes))
    np.add.at(stays, (new[same], old[same]), 1.0)
    target = np.arange(cluster.nodes)
    for c in range(len(cluster.allowed_in_class)):
        nodes = np.flatnonzero(cluster.class_of_node == c)
        load, place = linear_sum_assignment(stays[np.ix_(nodes, nodes)], maximize=True)
        target[nodes[load]] = nodes[place]
    node_type = np.empty_like(solution.node_type)
    node_type[target] = solution.node_type
    return Solution.of(
        np.where(new >= 0, target[new], -1), solution.job_gpus, node_type, solution.job_level
    )
