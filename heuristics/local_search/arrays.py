"""
One decision as arrays, for local search and path relinking.

A column is what a job gets on a node: 1, ..., G dedicated GPUs, or G + 1 + l for share level l.
With the GPU type it is a configuration, code = type * (G + 1 + L) + column. What is minimised is
the objective of the instance: energy, tardiness, postponement, idle (see rsjs.instances.costs).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rsjs.heuristics.dispatching import candidates
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.required_nodes import required_nodes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

PROPORTIONAL, FIRST_ENDING, NEXT_EVENT = range(3)
ENERGIES = {"proportional": PROPORTIONAL, "first_ending": FIRST_ENDING, "next_event": NEXT_EVENT}
AT_COMPLETION, AT_NEXT_EVENT = range(2)


class Tables(NamedTuple):
    """J jobs, A codes, T GPU types, V node types, N nodes, D classes of nodes, G largest node."""

    hours: Floats  # (J, A) to completion; inf = not admissible
    late: Floats  # (J, A) $ of tardiness at completion
    postponement: Floats  # (J,) P_j
    weight: Floats  # (J,)
    slack: Floats  # (J,) hours from now to the due date
    pressure: Floats  # (J,) hours
    by_pressure: Ints  # (J,) the most pressing job first
    by_due: Ints  # (J,)
    amount: Floats  # (A,) GPUs that a code takes, a share as its part
    columns: int  # G + 1 + L
    largest: int  # G
    gpu: Ints  # (V,) GPU type
    size: Ints  # (V,) s_v
    price: Floats  # (V, G + 1) $/h by GPUs in use
    node_class: Ints  # (N,)
    allowed: Bools  # (D, V)
    fewest: Ints  # (D,) GPUs of the smallest type allowed
    spares: Ints  # (D,) classes in the order in which spare nodes are selected
    selected: int  # nodes that must be selected; 0 = any number
    mu: float
    energy: int
    tardiness: int
    only_late: bool  # the lists of the neighbourhoods as printed


def tables(instance: Instance, *, only_late: bool = True) -> Tables:
    """
    Tables of an instance.

    Parameters
    ----------
    only_late : bool
        Whether neighbourhoods look at late jobs only, as printed; see local_search.py.
    """
    found, cluster, asked = costs.tables(instance), instance.cluster, instance.objective
    jobs = len(instance.jobs)
    hours = np.concatenate([found.hours, found.shared_hours], axis=2)
    late = np.concatenate([found.tardiness, found.shared_tardiness], axis=2)
    at_completion = asked.tardiness_at == "completion"
    fewest = np.where(cluster.allowed_in_class, cluster.gpus_of_type, cluster.largest + 1)
    return Tables(
        hours=_floats(hours.reshape(jobs, -1)),
        late=_floats(late.reshape(jobs, -1)),
        postponement=_floats(found.postponement),
        weight=_floats(instance.jobs.weight),
        slack=_floats(instance.jobs.due - instance.now),
        pressure=_floats(candidates.pressure(instance)),
        by_pressure=candidates.by_pressure(instance),
        by_due=np.argsort(instance.jobs.due, kind="stable"),
        amount=_amounts(instance),
        columns=hours.shape[2],
        largest=cluster.largest,
        gpu=np.array(cluster.gpu_of_type),
        size=np.array(cluster.gpus_of_type),
        price=_floats(cluster.cost_of_type),
        node_class=np.array(cluster.class_of_node),
        allowed=np.array(cluster.allowed_in_class),
        fewest=fewest.min(axis=1),
        spares=np.argsort(fewest.min(axis=1), kind="stable"),
        selected=required_nodes(instance) if asked.open_nodes == "jahani_eq" else 0,
        mu=float(asked.mu),
        energy=ENERGIES[asked.energy],
        tardiness=AT_COMPLETION if at_completion else AT_NEXT_EVENT,
        only_late=only_late,
    )


def _floats(values: ArrayLike) -> Floats:
    """A copy that is laid out the same way whatever was given: kernels are compiled once."""
    return np.array(values, dtype=np.float64, order="C")


def _amounts(instance: Instance) -> Floats:
    """(A,) GPUs of each code."""
    cluster, levels = instance.cluster, instance.jobs.inflation.shape[2]
    amount = np.zeros((len(cluster.gpu_types), cluster.largest + 1 + levels))
    amount[:, : cluster.largest + 1] = np.arange(cluster.largest + 1)
    for row, gpu in zip(amount, cluster.gpu_types, strict=True):
        for level, share in enumerate(gpu.levels):
            row[cluster.largest + 1 + level] = share.units / gpu.units
    return amount.reshape(-1)
