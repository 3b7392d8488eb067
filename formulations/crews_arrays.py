"""The rows that models of crews have in common, assembled without Pyomo."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.crews import Crews
from rsjs.formulations.rows import Rows


def add_rows(rows: Rows, crews: Crews) -> None:
    """(cover), (shares) and (gpus)."""
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
