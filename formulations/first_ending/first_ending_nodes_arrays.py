"""The node-indexed first-ending model assembled without Pyomo."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.first_ending.costs import selected_nodes
from rsjs.formulations.first_ending.first_ending_nodes_data import NodeModel
from rsjs.formulations.milp.matrix import Kind, MatrixModel
from rsjs.formulations.milp.rows import Rows


def arrays(data: NodeModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    states, options, leaders = len(data.states), len(data.options), len(data.leaders)
    u = np.arange(states)
    x, a = states + np.arange(options), states + options + np.arange(leaders)
    job, _, _, gpus = np.array(data.options).T
    node, _, limit = np.array(data.states).T
    state, option = np.array(data.leaders).T
    pair = {key: i for i, key in enumerate(data.pairs)}
    pair_of_option = np.array([pair[n, v] for _, n, v, _ in data.options])
    busy = np.flatnonzero(limit)
    pair_of_busy = np.array([pair[data.states[s][:2]] for s in busy.tolist()])
    busy_row = np.full(states, -1)
    busy_row[busy] = np.arange(len(busy))
    jobs, cover = np.unique(job, return_inverse=True)
    least, most = selected_nodes(data.instance)
    rows = Rows()
    rows.add(len(jobs), -np.inf, 1.0, (cover, x, 1.0))
    rows.add(data.instance.cluster.nodes, -np.inf, 1.0, (node, u, 1.0))
    rows.add(
        len(pair),
        -np.inf,
        0.0,
        (pair_of_option, x, gpus.astype(float)),
        (pair_of_busy, u[busy], -limit[busy].astype(float)),
    )
    rows.add(len(busy), 0.0, 0.0, (busy_row[state], a, 1.0), (np.arange(len(busy)), u[busy], -1.0))
    rows.add(options, -np.inf, 0.0, (option, a, 1.0), (np.arange(options), x, -1.0))
    rows.add(1, least, most, (np.zeros(states, dtype=np.int64), u, 1.0))
    integral = [Kind.INTEGER, Kind.IMPLIED_INTEGER]
    return rows.model(
        cost=data.cost,
        upper=np.ones(len(data.cost)),
        kind=np.repeat(np.array(integral, np.uint8), [states + options, leaders]),
        offset=data.offset,
    )
