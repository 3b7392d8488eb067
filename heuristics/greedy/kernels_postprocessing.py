"""Idle GPUs of open nodes after greedy: smaller nodes, then more GPUs for jobs."""

from __future__ import annotations

from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.greedy.arrays import Floats, Ints, NodeTables
from rsjs.heuristics.greedy.kernels_state import State


@inner
def postprocess(
    nodes: NodeTables, hours: Floats, state: State, running: int, each_node: bool
) -> None:
    """Smaller nodes for what is in use, then GPUs that stay idle for jobs that gain from them."""
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
    """All idle GPUs of its node for the job that saves most time; ties: the first job."""
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
    """All idle GPUs of each node for its job with the highest speed-up; ties: the first job."""
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
