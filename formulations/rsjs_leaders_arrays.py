"""The leader-indexed RS-JS model assembled without Pyomo."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.crews_arrays import add_rows
from rsjs.formulations.matrix import Kind, MatrixModel
from rsjs.formulations.rows import Rows
from rsjs.formulations.rsjs_leaders_data import LeaderModel


def arrays(data: LeaderModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    crews = data.crews
    followers, leaders, _ = crews.sizes
    f, leader = np.arange(followers), followers + np.arange(leaders)
    follower, first = data.follows
    sizes = data.instance.cluster.class_sizes.astype(float)
    rows = Rows()
    add_rows(rows, crews)
    rows.add(followers, -np.inf, 0.0, (f, f, 1.0), (follower, followers + first, -1.0))
    rows.add(len(sizes), -np.inf, sizes, (data.node_class[crews.leader_place], leader, 1.0))
    if data.required is not None:
        required = float(data.required)
        rows.add(1, required, required, (np.zeros_like(leader), leader, 1.0))
    return rows.model(
        cost=crews.cost,
        upper=crews.upper,
        kind=np.full(crews.columns, Kind.INTEGER, np.uint8),
        offset=crews.offset,
    )
