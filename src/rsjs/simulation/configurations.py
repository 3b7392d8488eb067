"""
What the jobs of a workload may run on, flat, for the bounds: times, prices, room that is taken.

A configuration q is a GPU type with k dedicated GPUs, or with a share of one. It costs p_q $/h at
least, wherever it is: k times the least $/h per GPU in use of a node type with that GPU, under the
accounting of the simulation; a share costs its part of one GPU.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.instance import Workload
from rsjs.simulation import billing
from rsjs.simulation.options import Options
from rsjs.simulation.real_times import real_times
from rsjs.simulation.state import whole


class Configurations(NamedTuple):
    """Q configurations of J jobs."""

    pace: Floats  # (J, Q) a_jq, real hours per epoch; inf where not admissible
    price: Floats  # (Q,) p_q [$/h]
    gpu: Ints  # (Q,) GPU type
    amount: Floats  # (Q,) GPUs, or the part of one


def configurations(workload: Workload, options: Options) -> Configurations:
    """The configurations of a workload under the options of a simulation."""
    cluster = workload.cluster
    dedicated, shared = real_times(whole(workload), workload.digest, options)
    per_gpu = _least_price_per_gpu(workload, options)
    gpus = np.arange(dedicated.shape[2])
    part = np.zeros(shared.shape[1:])
    for i, gpu in enumerate(cluster.gpu_types):
        for level, share in enumerate(gpu.levels):
            part[i, level] = share.units / gpu.units
    amount = np.hstack([np.broadcast_to(gpus, dedicated.shape[1:]), part])
    pace = np.concatenate([dedicated, shared], axis=2)
    return Configurations(
        pace=pace.reshape(len(pace), -1),
        price=(amount * per_gpu[:, None]).reshape(-1),
        gpu=np.repeat(np.arange(len(amount)), amount.shape[1]),
        amount=amount.reshape(-1),
    )


def _least_price_per_gpu(workload: Workload, options: Options) -> Floats:
    """(T,) $/h of a GPU in use where it costs least; 0 for GPUs that no node has."""
    cluster = workload.cluster
    price = billing.prices(cluster, options.energy)[:, 1:]
    each = (price / np.arange(1, price.shape[1] + 1)).min(axis=1)
    least = np.full(len(cluster.gpu_types), np.inf)
    present = np.flatnonzero(cluster.allowed_in_class.any(axis=0))
    np.minimum.at(least, cluster.gpu_of_type[present], each[present])
    return np.where(np.isfinite(least), least, 0.0)
