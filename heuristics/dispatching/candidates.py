"""
What a rule looks at before it decides: prices of configurations, their order, the queue.

A configuration is (kind, g): g dedicated GPUs on a GPU type (greedy) or on a node type (FIFO, EDF,
priority). Tables have one row per job, then kinds, then g = 0, 1, ..., G.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance


def by_node_type(instance: Instance) -> tuple[Floats, Floats]:
    """
    Return hours to completion on g GPUs of a node type, and its price by GPUs in use.

    Returns
    -------
    (J, V, G + 1) float [h]
        inf if no node has so many GPUs.
    (V, G + 1) float [$/h]
    """
    price = full_price_by_node_type(instance.cluster)
    hours = costs.cost_tables(instance).hours[:, instance.cluster.gpu_of_type]
    return np.where(np.isfinite(price), hours, np.inf), price


def full_price_by_node_type(cluster: Cluster) -> Floats:
    """Return (V, G + 1) $/h of a node with g GPUs in use; inf beyond s_v or if no node has it."""
    present = np.flatnonzero(cluster.allowed_in_class.any(axis=0))
    price = np.full(cluster.cost_of_type.shape, np.inf)
    price[present] = cluster.cost_of_type[present]
    return price


def full_price_by_gpu_type(cluster: Cluster) -> Floats:
    """Return (T, G + 1) $/h of the cheapest node that has g GPUs of a type; inf where none has."""
    price = np.full((len(cluster.gpu_types), cluster.largest + 1), np.inf)
    np.minimum.at(price, cluster.gpu_of_type, full_price_by_node_type(cluster))
    return price


def share_price_by_node_type(cluster: Cluster) -> Floats:
    """
    Return (V, G + 1) $/h of g GPUs: g / s_v of a flat price, else the price of g in use.

    Kiros 2020, 3.1.3, third assumption: deployment costs increase linearly in the GPUs.
    """
    price = full_price_by_node_type(cluster)
    flat = np.array([node_type.flat for node_type in cluster.node_types])
    share = np.arange(cluster.largest + 1) / cluster.gpus_of_type[:, None]
    return np.where(flat[:, None] & np.isfinite(price), share * _finite(price), price)


def share_price_by_gpu_type(cluster: Cluster) -> Floats:
    """Return (T, G + 1) $/h of g GPUs of the cheapest node type; inf where no node has g."""
    price = np.full((len(cluster.gpu_types), cluster.largest + 1), np.inf)
    np.minimum.at(price, cluster.gpu_of_type, share_price_by_node_type(cluster))
    return price


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking:
    """Each job's modes in order, of those some job may use; inadmissible ones last."""

    code: Ints  # (J, C) kind * (G + 1) + g, best first
    order: Ints  # (J, C) columns of the arrays below, best first
    in_time: Bools  # (J, C)
    key: Floats  # (J, C) what sorts them: $ in time, then hours; inf where not admissible
    count: Ints  # (J,) admissible ones


def ranking(instance: Instance, hours: Floats, price: Floats, *, strict: bool) -> Ranking:
    """
    Return each job's admissible configurations, best first.

    First those that end by the due date (D*_j), the cheapest (t x price) first, then the late
    ones, the fastest first (Kiros 2020, 3.1.3, second assumption). Ties: the cheaper one, then
    the first kind, then the fewest GPUs.

    Parameters
    ----------
    hours : (J, kinds, G + 1)
    price : (kinds, G + 1) or (J, kinds, G + 1)
    strict : bool
        Whether the due date itself is late: now + t < d_j.
    """
    time = hours.reshape(len(instance.jobs), -1)
    usable = np.isfinite(time)
    columns = np.flatnonzero(usable.any(axis=0))
    time, usable = time[:, columns], usable[:, columns]
    end, due = instance.now + time, instance.jobs.due[:, None]
    in_time = end < due if strict else end <= due
    cost = _finite(time) * _finite(price).reshape(-1, hours[0].size)[:, columns]
    key = np.where(in_time, cost, time)
    # floats >= 0 sort as their bits do; with the sign bit, those in time come first
    bits = key.view(np.int64) ^ (in_time.astype(np.int64) << 63)
    order = np.lexsort((cost, bits))
    return Ranking(
        code=columns[order], order=order, in_time=in_time, key=key, count=usable.sum(axis=1)
    )


def ranked(instance: Instance, hours: Floats, price: Floats, *, strict: bool) -> list[list[int]]:
    """Return the codes of each job's `ranking`, inadmissible ones left out."""
    found = ranking(instance, hours, price, strict=strict)
    rows: list[list[int]] = found.code.tolist()
    for j in np.flatnonzero(found.count < found.code.shape[1]).tolist():
        del rows[j][found.count[j] :]
    return rows


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, 0.0)


def pressure(instance: Instance) -> Floats:
    """Return (J,) Delta_j = now + min t_j - d_j [h] (Kiros 2020, (3.1))."""
    fastest = instance.hours_per_epoch.min(axis=(1, 2)) * costs.epochs_left(instance)
    result: Floats = instance.now + fastest - instance.jobs.due
    return result


def by_pressure(instance: Instance) -> Ints:
    """Return (J,) jobs, the most pressing first; ties by position."""
    return np.argsort(-pressure(instance), kind="stable")


def by_release(instance: Instance) -> Ints:
    """Return (J,) jobs, first in first out; ties by position."""
    return np.argsort(instance.jobs.release, kind="stable")


def by_due_date(instance: Instance) -> Ints:
    """Return (J,) jobs, the earliest due date first; ties by position."""
    return np.argsort(instance.jobs.due, kind="stable")


def by_weight(instance: Instance) -> Ints:
    """Return (J,) jobs, the largest tardiness weight first; ties by position."""
    return np.argsort(-instance.jobs.weight, kind="stable")
