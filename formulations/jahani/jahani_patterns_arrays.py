"""The pattern model assembled without Pyomo."""

from __future__ import annotations

import numpy as np

from rsjs.formulations.jahani.jahani_patterns_data import PatternModel
from rsjs.formulations.milp.matrix import Kind, MatrixModel
from rsjs.formulations.milp.rows import Rows


def arrays(data: PatternModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    options, cuts = len(data.job), len(data.cut)
    x, L = np.arange(options), options + np.arange(cuts)
    jobs, cover = np.unique(data.job, return_inverse=True)
    slot_of = {slot: row for row, slot in enumerate(data.slots)}
    width = data.cost.shape[2]
    slot_at = np.full(data.cost.shape[1] * width, -1)
    slot_at[[v * width + g for v, g in data.slots]] = np.arange(len(data.slots))
    supply = np.array(
        [
            (slot_of[v, g], options + i, -parts.count(g))
            for i, (_, v, parts) in enumerate(data.cut)
            for g in sorted(set(parts))
            if (v, g) in slot_of
        ]
    ).reshape(-1, 3)
    least, most = data.selected_nodes
    rows = Rows()
    rows.add(len(jobs), -np.inf, 1.0, (cover, x, 1.0))
    rows.add(
        len(data.slots),
        -np.inf,
        0.0,
        (slot_at[data.node_type * width + data.gpus], x, 1.0),
        (supply[:, 0], supply[:, 1], supply[:, 2].astype(float)),
    )
    rows.add(1, least, most, (np.zeros(cuts, dtype=np.int64), L, 1.0))
    if data.several_classes:
        of_class = np.array([k for k, _, _ in data.cut])
        sizes = data.instance.cluster.class_sizes.astype(float)
        rows.add(len(sizes), -np.inf, sizes, (of_class, L, 1.0))
    idle = np.array([data.idle_cost(v) for _, v, _ in data.cut])
    return rows.model(
        cost=np.concatenate([data.gain, idle]),
        upper=np.concatenate([np.ones(options), np.full(cuts, most)]),
        kind=np.repeat(np.array([Kind.IMPLIED_INTEGER, Kind.INTEGER], np.uint8), [options, cuts]),
        offset=data.offset,
    )
