"""
A decision changed so that exactly as many nodes have a job as `open_nodes` asks for.

Sets and data
    j in J, n in N; a_jn = j is admissible on n; R = nodes that must have a job, see
    `required_nodes`; D_jn = cheapest cost of j alone on n, less P_j if j is postponed now

    max sum_jn y_jn, then min sum_jn (y_jn where j does not run on n now), then about least
    sum of D_jn: one assignment, y_jn in {0, 1}, one job a node, one node a job

A job with y_jn = 1 that runs on n already stays as it is; another one gets n to itself in its
cheapest configuration, and those that ran there are postponed, unless they are chosen for a node
themselves. As the largest matching has R pairs, no node outside it keeps a job. If it has fewer,
the instance has no feasible decision.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes
from rsjs.instances.solution import Solution


def cover(instance: Instance, solution: Solution) -> Solution | None:
    """
    The decision with R nodes that have a job, under "rsjs_eq" and "rsjs_eq_feasible".

    None if there is no such decision.
    """
    required = required_nodes(instance)
    if len(np.unique(solution.job_node[solution.job_node >= 0])) == required:
        return solution
    from scipy.optimize import linear_sum_assignment

    price, choice = _alone(instance)
    jobs, nodes = linear_sum_assignment(_weights(instance, solution, price))
    real = np.isfinite(price[jobs, nodes])
    jobs, nodes = jobs[real], nodes[real]
    if len(jobs) < required:
        return None
    stays = solution.job_node[jobs] == nodes
    moved, target = jobs[~stays], nodes[~stays]
    job_node, node_type = solution.job_node.copy(), solution.node_type.copy()
    job_gpus, job_level = solution.job_gpus.copy(), solution.job_level.copy()
    gone = np.append(moved, np.flatnonzero(np.isin(job_node, target)))
    job_node[gone], job_gpus[gone], job_level[gone] = -1, 0, -1
    job_node[moved] = target
    width = instance.cluster.largest + 1
    node_type[target], job_gpus[moved] = np.divmod(choice[moved, target], width)
    node_type[np.setdiff1d(np.arange(len(node_type)), job_node)] = -1
    return Solution.of(job_node, job_gpus, node_type, job_level)


def _alone(instance: Instance) -> tuple[Floats, Ints]:
    """(J, N) the cheapest cost of a job alone on a node [$], inf where not admissible; its code."""
    table, cluster = costs.cost_tables(instance), instance.cluster
    hours = table.hours[:, cluster.gpu_of_type]
    usable = np.isfinite(hours) & np.isfinite(cluster.cost_of_type)
    energy = np.where(usable, hours, 0.0) * np.where(usable, cluster.cost_of_type, 0.0)
    cost = np.where(usable, table.tardiness[:, cluster.gpu_of_type] + energy, np.inf)
    allowed = cluster.allowed_in_class[None, :, :, None]
    by_class = np.where(allowed, cost[:, None], np.inf).reshape(
        len(cost), len(cluster.allowed_in_class), -1
    )
    of_node = cluster.class_of_node
    return by_class.min(axis=2)[:, of_node], by_class.argmin(axis=2)[:, of_node]


def _weights(instance: Instance, solution: Solution, price: Floats) -> Floats:
    """(J, N) 0 where a job stays, 1 and a fraction of 1 / pairs elsewhere, more than all if not."""
    pairs = min(price.shape) + 1
    waiting = solution.job_node < 0
    extra = price - np.where(waiting, costs.cost_tables(instance).postponement, 0.0)[:, None]
    able = np.isfinite(price)
    least, most = extra[able].min(initial=0.0), extra[able].max(initial=0.0)
    rank = (np.where(able, extra, most) - least) / max(most - least, 1e-300)
    weights: Floats = np.where(able, 1.0 + rank / pairs, 3.0 * pairs)
    running = np.flatnonzero(~waiting)
    weights[running, solution.job_node[running]] = 0.0
    return weights
