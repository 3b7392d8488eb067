"""The node-indexed RS-JS model assembled without Pyomo."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.milp.matrix import Kind, MatrixModel
from rsjs.formulations.milp.rows import Rows
from rsjs.formulations.rsjs.leader_follower import Crews
from rsjs.formulations.rsjs.rsjs_nodes_data import NodeModel


def arrays(data: NodeModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    crews, places = data.crews, np.arange(len(data.node))
    nu = crews.columns + places
    column, leader = np.arange(len(crews.member)), np.flatnonzero(data.leads)
    rows = Rows()
    _add_crews(rows, crews)
    rows.add(len(places), 0.0, 0.0, (crews.place[leader], leader, 1.0), (places, nu, -1.0))
    job, place = np.array(data.links).T
    link = np.full((len(data.instance.jobs), len(places)), -1)
    link[job, place] = np.arange(len(job))
    linked = link[crews.configurations.job[crews.member], crews.place]
    rows.add(len(job), -np.inf, 0.0, (linked, column, 1.0), (np.arange(len(job)), nu[place], -1.0))
    several = [(row, p) for row, of in enumerate(data.free_nodes.values()) for p in of]
    node_row, p = np.array(several, dtype=np.int64).reshape(-1, 2).T
    rows.add(len(data.free_nodes), -np.inf, 1.0, (node_row, nu[p], 1.0))
    if data.required is not None:
        required = float(data.required)
        rows.add(1, required, required, (np.zeros_like(places), nu, 1.0))
    return rows.model(
        cost=np.concatenate([crews.cost, np.zeros(len(places))]),
        upper=np.concatenate([crews.upper, np.ones(len(places))]),
        kind=np.full(data.columns, Kind.INTEGER, np.uint8),
        offset=crews.offset,
    )


def _add_crews(rows: Rows, crews: Crews) -> None:
    """Add (cover), (shares) and (gpus)."""
    q, member, place = crews.configurations, crews.member, crews.place
    column = np.arange(len(member))
    fill = len(member) + np.arange(len(crews.fill))
    rows.add(len(crews.instance.jobs), -np.inf, 1.0, (q.job[member], column, 1.0))
    if crews.share_rows:
        row_of = np.full((len(crews.node_type), crews.shares.weight.shape[1]), -1)
        at, r = np.array(crews.share_rows).T
        row_of[at, r] = np.arange(len(at))
        weight = crews.shares.weight[crews.gpu_type[place], :, q.units[member]].astype(float)
        room = crews.shares.room[crews.gpu_type[crews.fill_place], :, crews.fill].astype(float)
        taken, r = np.nonzero(weight)
        given, s = np.nonzero(room)
        rows.add(
            len(at),
            -np.inf,
            0.0,
            (row_of[place[taken], r], column[taken], weight[taken, r]),
            (row_of[crews.fill_place[given], s], fill[given], -room[given, s]),
        )
    uses, row_of_place = np.flatnonzero(crews.gpus), np.full(len(crews.node_type), -1)
    row_of_place[crews.divided] = np.arange(len(crews.divided))
    rows.add(
        len(crews.divided),
        -np.inf,
        0.0,
        (row_of_place[place[uses]], column[uses], crews.gpus[uses].astype(float)),
        (row_of_place[crews.fill_place], fill, 1.0),
    )
