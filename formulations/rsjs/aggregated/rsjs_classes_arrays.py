"""The class-aggregated RS-JS model assembled without Pyomo."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from rsjs.formulations.milp.matrix import Kind, MatrixModel
from rsjs.formulations.milp.rows import Rows
from rsjs.formulations.rsjs.aggregated.rsjs_classes_data import ClassModel


def arrays(data: ClassModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    n, splits = len(data.role), data.split_matrix.shape[1]
    jobs, cover = np.unique(data.job, return_inverse=True)
    by_role = csr_array(data.matrix.T)
    entries = np.diff(by_role.indptr)[data.role]
    column = np.repeat(np.arange(n), entries)
    within = np.arange(len(column)) - np.repeat(np.cumsum(entries) - entries, entries)
    at = by_role.indptr[data.role][column] + within
    row, split = np.nonzero(data.split_matrix)
    rows = Rows()
    rows.add(len(jobs), -np.inf, 1.0, (cover, np.arange(n), 1.0))
    rows.add(
        len(data.upper),
        data.lower,
        data.upper,
        (by_role.indices[at], column, by_role.data[at]),
        (row, n + split, data.split_matrix[row, split]),
    )
    return rows.model(
        cost=np.concatenate([data.gain, np.zeros(splits)]),
        upper=np.concatenate([np.ones(n), data.most_splits]),
        kind=np.full(n + splits, Kind.INTEGER, dtype=np.uint8),
        offset=data.offset,
    )
