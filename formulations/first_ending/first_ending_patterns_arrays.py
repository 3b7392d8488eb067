"""The leader pattern model assembled without Pyomo."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.first_ending.costs import selected_nodes
from rsjs.formulations.first_ending.first_ending_patterns_data import LeaderModel
from rsjs.formulations.milp.matrix import Kind, MatrixModel
from rsjs.formulations.milp.rows import Rows


def arrays(data: LeaderModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    options, cuts = len(data.job), len(data.cuts)
    x, L = np.arange(options), options + np.arange(cuts)
    jobs, cover = np.unique(data.job, return_inverse=True)
    slot, cut, count = np.array(data.supply).T
    is_leader = np.arange(len(data.slots)) < data.leader_slots
    least, most = selected_nodes(data.instance)
    rows = Rows()
    rows.add(len(jobs), -np.inf, 1.0, (cover, x, 1.0))
    rows.add(
        len(data.slots),
        np.where(is_leader, 0.0, -np.inf),
        0.0,
        (data.slot, x, 1.0),
        (slot, L[cut], -count.astype(float)),
    )
    rows.add(1, least, most, (np.zeros(cuts, dtype=np.int64), L, 1.0))
    if data.classes:
        of_class = np.searchsorted(data.classes, [cut.node_class for cut in data.cuts])
        sizes = data.instance.cluster.class_sizes[data.classes].astype(float)
        rows.add(len(sizes), -np.inf, sizes, (of_class, L, 1.0))
    return rows.model(
        cost=np.concatenate([data.gain, data.idle_cost]),
        upper=np.concatenate([np.ones(options), np.full(cuts, most)]),
        kind=np.repeat(np.array([Kind.IMPLIED_INTEGER, Kind.INTEGER], np.uint8), [options, cuts]),
        offset=data.offset,
    )
