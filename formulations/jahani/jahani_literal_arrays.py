"""Jahani's MILP assembled row block by row block, without Pyomo."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.jahani.jahani_literal_data import Layout, LiteralModel
from rsjs.formulations.milp.matrix import Kind, MatrixModel
from rsjs.formulations.milp.rows import Rows
from rsjs.instances.costs import tables


def arrays(data: LiteralModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    instance, at = data.instance, Layout.of(data)
    nodes, jobs = instance.cluster.nodes, len(instance.jobs)
    j, n, v, g = data.options
    x = at.x + np.arange(len(j))
    pair_of = np.full((nodes, len(instance.cluster.node_types)), -1)
    for i, (u, w) in enumerate(data.pairs):
        pair_of[u, w] = i
    pair = pair_of[n, v]
    y, z = at.y + np.arange(len(data.pairs)), at.z + np.arange(jobs)
    one = np.ones(len(x))
    pair_node = np.array([node for node, _ in data.pairs])
    job_node, row4 = np.unique(j * nodes + n, return_inverse=True)
    used_pairs, row6 = np.unique(pair, return_inverse=True)
    size = instance.cluster.gpus_of_type
    reach = instance.H + tables(instance).longest
    all_jobs = np.arange(jobs)
    overdue = np.flatnonzero(data.overdue)
    tau, tau_hat = at.tau + all_jobs, at.tau_hat + all_jobs
    longest = reach - np.where(data.overdue, data.due, 0.0)
    rows = Rows()
    rows.add(nodes, 0.0, 0.0, (pair_node, y, 1.0), (np.arange(nodes), np.arange(nodes), -1.0))
    rows.add(len(x), -np.inf, 0.0, (x - at.x, x, one), (x - at.x, at.y + pair, -one))
    rows.add(len(x), -np.inf, 0.0, (x - at.x, x, one), (x - at.x, at.z + j, -one))
    node_of_row = job_node % nodes
    rows.add(
        len(job_node), -np.inf, 0.0, (row4, x, one), (np.arange(len(job_node)), node_of_row, -1.0)
    )
    rows.add(jobs, 0.0, 0.0, (j, x, one), (all_jobs, z, -1.0))
    capacity = size[[data.pairs[i][1] for i in used_pairs.tolist()]].astype(float)
    rows.add(len(used_pairs), -np.inf, capacity, (row6, x, g.astype(float)))
    rows.add(
        jobs,
        -np.inf,
        np.where(data.overdue, 0.0, data.due),
        (j, x, data.hours),
        (all_jobs, tau, -1.0),
        (overdue, z[overdue], -data.due[overdue]),
    )
    limit = np.where(data.overdue, 0.0, data.due) - longest
    rows.add(jobs, -np.inf, limit, (all_jobs, z, -longest), (all_jobs, tau_hat, -1.0))
    if data.selected_nodes is not None:
        wanted = data.selected_nodes
        rows.add(1, wanted, wanted, (np.zeros(nodes, int), np.arange(nodes), 1.0))
    kind = np.full(at.end, Kind.INTEGER, dtype=np.uint8)
    kind[at.tau :] = Kind.CONTINUOUS
    upper = np.where(kind == Kind.INTEGER, 1.0, np.inf)
    y_cost, x_cost, weight = data.costs
    cost = [np.zeros(nodes), y_cost, np.zeros(jobs), x_cost, weight, instance.rho * weight]
    return rows.model(cost=np.concatenate(cost), upper=upper, kind=kind)
