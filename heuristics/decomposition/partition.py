"""
Partition of an instance: jobs and nodes are dealt to the controllers of a decomposition.

Kiros 2020, 3.1.2: "The RR algorithm assigns jobs in circular order to the local queues, so the
union of all J^k, for k in K, forms the initial queue J. The same policy applies to the nodes."

    nodes         n goes to controller n mod K, under every rule
    round_robin   the i-th job of the queue goes to controller i mod K
    pressure      in circular order of decreasing Delta_j = now + min_q t_jq - d_j, (3.1)
    demand        the largest demand first, each job to the controller k that runs it with
                  min (load_k + u_j) / S_k: u_j = min number of GPUs that end j by its due date, or
                  else soonest (a share counts as its part), load_k = their sum so far, S_k = max
                  number of GPUs that the nodes of k can have

Every rule keeps a job that runs already (`instance.current`) with the controller of its node.
Ties go to the first job and the first controller.

A part has the data of its jobs and nodes as they are. Two numbers depend on which node types are
present and so may be smaller in a part than in the whole: M_j, the longest time of a job, with its
postponement cost P_j, and the jobs that can run at all. A job that runs on no node of its part is
left out of it and stays postponed. Both agree with the whole wherever every part has a node that
may take each type.

open_nodes  free, jahani_eq    as in the whole; sum_k min(J_k, N_k) <= min(J, N)
            rsjs_eq*           rsjs_eq_feasible: a part need not have a matching of its own
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.dispatching import candidates
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import runs_on_class
from rsjs.instances.transform import SubInstance, taken


@dataclass(frozen=True, eq=False)
class Division:
    """Controller of each job and node."""

    controllers: int  # K
    job: Ints  # (J,) 0..K-1
    node: Ints  # (N,) 0..K-1


def divide(instance: Instance, controllers: int, split: str) -> Division:
    """
    Deal jobs and nodes to K controllers by a rule of SPLITS; running jobs follow their node.

    Of more controllers than jobs and nodes, those that would have neither are left out.
    """
    controllers = min(controllers, max(len(instance.jobs), instance.cluster.nodes))
    node = np.arange(instance.cluster.nodes) % controllers
    job = np.full(len(instance.jobs), -1)
    if instance.current is not None:
        running = instance.current.job_node >= 0
        job[running] = node[instance.current.job_node[running]]
    return Division(controllers, SPLITS[split](instance, job, node, controllers), node)


def runs_on(instance: Instance, node: Ints, controllers: int) -> Bools:
    """Return (J, K) whether some node of a controller may run a job."""
    classes = np.zeros((controllers, len(instance.cluster.allowed_in_class)), dtype=bool)
    classes[node, instance.cluster.class_of_node] = True
    runs: Bools = np.matmul(runs_on_class(instance), classes.T)
    return runs


def demand(instance: Instance) -> Floats:
    """Return (J,) u_j, the min number of GPUs that end a job in time, else soonest."""
    table, cluster = costs.cost_tables(instance), instance.cluster
    jobs, gpu_types, counts = table.hours.shape
    shares = [
        [share.units / gpu.units for share in gpu.levels]
        + [0.0] * (table.shared_hours.shape[2] - len(gpu.levels))
        for gpu in cluster.gpu_types
    ]
    # (J, modes) hours of each mode, and (modes,) the GPUs that it takes
    hours = np.hstack([table.hours.reshape(jobs, -1), table.shared_hours.reshape(jobs, -1)])
    gpus = np.append(np.tile(np.arange(counts), gpu_types), shares)
    in_time = instance.now + hours <= instance.jobs.due[:, None]
    fastest = gpus[hours.argmin(axis=1)]
    least: Floats = np.where(in_time, gpus, np.inf).min(axis=1)
    return np.where(np.isfinite(least), least, fastest)


def _deal(queue: Ints, job: Ints, controllers: int) -> Ints:
    """Deal the waiting jobs of a queue in circular order; running ones have their controller."""
    waiting = queue[job[queue] < 0]
    dealt = job.copy()
    dealt[waiting] = np.arange(len(waiting)) % controllers
    return dealt


def _round_robin(instance: Instance, job: Ints, node: Ints, controllers: int) -> Ints:
    return _deal(np.arange(len(job)), job, controllers)


def _pressure(instance: Instance, job: Ints, node: Ints, controllers: int) -> Ints:
    return _deal(candidates.by_pressure(instance), job, controllers)


def _demand(instance: Instance, job: Ints, node: Ints, controllers: int) -> Ints:
    cluster, wanted = instance.cluster, demand(instance)
    size = cluster.largest_of_class[cluster.class_of_node]
    gpus = np.bincount(node, weights=size, minlength=controllers)
    runs = runs_on(instance, node, controllers)
    dealt, running = job.copy(), job >= 0
    load = np.bincount(job[running], weights=wanted[running], minlength=controllers)
    queue = np.argsort(-wanted, kind="stable")
    for j in queue[job[queue] < 0].tolist():
        after = np.full(controllers, np.inf)
        np.divide(load + wanted[j], gpus, out=after, where=runs[j])
        dealt[j] = k = int(after.argmin())
        load[k] += wanted[j]
    return dealt


SplitRule = Callable[[Instance, Ints, Ints, int], Ints]
SPLITS: Mapping[str, SplitRule] = {
    "round_robin": _round_robin,
    "pressure": _pressure,
    "demand": _demand,
}


def parts(instance: Instance, division: Division) -> list[SubInstance | None]:
    """Return a part for each controller; None if no job of it can run on its nodes."""
    runs = runs_on(instance, division.node, division.controllers)
    objective = instance.objective
    if objective.open_nodes == "rsjs_eq":
        objective = replace(objective, open_nodes="rsjs_eq_feasible")
    found: list[SubInstance | None] = []
    for k in range(division.controllers):
        able = np.flatnonzero((division.job == k) & runs[:, k])
        nodes = np.flatnonzero(division.node == k)
        name = f"{instance.name}, controller {k + 1} of {division.controllers}"
        found.append(taken(instance, able, nodes, name, objective=objective) if able.size else None)
    return found
