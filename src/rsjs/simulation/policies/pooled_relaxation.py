"""
One mode per job where GPUs of a type are one pool: a relaxation of placing jobs on nodes.

Sets     jobs j, GPU types i, modes q of a job: k_q GPUs of type i_q, or a share of u_q of
         the U_i units of one; classes c of n_c equal nodes, z_ci GPUs if one takes type i
Data     v_jq: what mode q saves over waiting
Columns  x_jq binary, j runs in q; y_ci integer, nodes of class c with type i, where there are
         several; w_i integer, GPUs of type i that are shared

    max  sum v_jq x_jq
    s.t. sum_q x_jq <= 1                                                 each job j            (1)
         sum_q floor(k_q / s) x_jq + [s = 1] w_i
             <= sum_c floor(z_ci / s) y_ci                               each i, s = 1, ...    (2)
         sum_q u_q x_jq <= U_i w_i                                       each i with shares    (3)
         sum_i y_ci <= n_c                                               each class c          (4)

floor(k / s) adds up to at most floor of the sum: k GPUs on nodes of z hold for every s. A placement
satisfies (2); what satisfies it need not be one, the jobs' GPUs may not pack into the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel
from rsjs.formulations.milp.row_builder import RowBuilder
from rsjs.instances.cluster import Cluster

SOLVER = "highs"


class Pools:
    """Capacity of a cluster by GPU type."""

    def __init__(self, cluster: Cluster) -> None:
        self.count = cluster.class_sizes  # (C,) n_c
        size = np.zeros((len(self.count), len(cluster.gpu_types)), dtype=np.int64)  # z_ci
        c, v = np.nonzero(cluster.allowed_in_class)
        np.maximum.at(size, (c, cluster.gpu_of_type[v]), cluster.gpus_of_type[v])
        alone = (size > 0).sum(axis=1) == 1
        each = size[alone][:, :, None] // np.arange(1, cluster.largest + 1)
        # (T, G) sum_c floor(z_ci / s) n_c over classes of one GPU type, s = 1, ..., G
        self.fixed = (each * self.count[alone][:, None, None]).sum(axis=0)
        # (Y,) class, GPU type and z_ci of each y_ci
        self.open_class, self.open_gpu = np.nonzero(np.where(alone[:, None], 0, size))
        self.open_size = size[self.open_class, self.open_gpu]
        self.units = np.array([gpu.units for gpu in cluster.gpu_types])  # (T,) U_i


@dataclass(frozen=True, kw_only=True, eq=False)
class Offers:
    """The O modes of all jobs, job by job, the one that saves most first."""

    job: Ints
    gpu: Ints
    count: Ints  # k; 0 = a share
    units: Ints  # u of a share
    saving: Floats  # v, positive


def choose(pools: Pools, offers: Offers, limits: Limits) -> Ints:
    """
    Return the positions of the offers taken, at most one of each job.

    Every job's best offer if that satisfies (2), else by HiGHS; TimeoutError if there is no answer
    within the limit.
    """
    best = np.flatnonzero(np.diff(offers.job, prepend=-1))
    if _fits(pools, offers, best):
        return best
    task = SolveTask(arrays(pools, offers), limits, seconds=limits.time_limit)
    found = backend(SOLVER).load()(task)
    if found.x is None:
        raise TimeoutError(f"HiGHS: {found.status}, no choice within {limits.time_limit:g} s")
    return np.flatnonzero(found.x[: len(offers.job)] > 0.5)


def _fits(pools: Pools, offers: Offers, taken: Ints) -> bool:
    """Return whether (2) and (3) hold with the classes of one GPU type alone."""
    gpu, used = offers.gpu[taken], np.zeros_like(pools.fixed)
    np.add.at(used, gpu, offers.count[taken, None] // np.arange(1, used.shape[1] + 1))
    shares = np.bincount(gpu, offers.units[taken], len(used)).astype(np.int64)
    used[:, 0] += -(-shares // pools.units)
    return bool((used <= pools.fixed).all())


def arrays(pools: Pools, offers: Offers) -> MatrixModel:
    """Return the model; columns are x in the order of the offers, y, w."""
    types, steps = pools.fixed.shape
    chosen, opened = len(offers.job), len(pools.open_class)
    x, y = np.arange(chosen), chosen + np.arange(opened)
    i, step, rows = np.arange(types), np.arange(1, steps + 1), RowBuilder()
    w = chosen + opened + i
    jobs, own = np.unique(offers.job, return_inverse=True)
    rows.add(len(jobs), -np.inf, 1.0, (own, x, 1.0))
    taken = (offers.count[:, None] // step).astype(float)
    size = (pools.open_size[:, None] // step).astype(float)
    q, s = np.nonzero(taken)
    o, t = np.nonzero(size)
    rows.add(
        types * steps,
        -np.inf,
        pools.fixed.ravel().astype(float),
        (offers.gpu[q] * steps + s, x[q], taken[q, s]),
        (i * steps, w, 1.0),
        (pools.open_gpu[o] * steps + t, y[o], -size[o, t]),
    )
    share = np.flatnonzero(offers.count == 0)
    entries = offers.gpu[share], x[share], offers.units[share].astype(float)
    rows.add(types, -np.inf, 0.0, entries, (i, w, -pools.units.astype(float)))
    several, at = np.unique(pools.open_class, return_inverse=True)
    rows.add(len(several), -np.inf, pools.count[several].astype(float), (at, y, 1.0))
    shared = np.bincount(offers.gpu[share], minlength=types)
    return rows.model(
        cost=np.concatenate([-offers.saving, np.zeros(opened + types)]),
        upper=np.concatenate([np.ones(chosen), pools.count[pools.open_class], shared]),
        kind=np.full(chosen + opened + types, ColumnKind.INTEGER, dtype=np.uint8),
    )
