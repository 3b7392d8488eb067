"""
One decision as plain arrays, which kernels read.

Sizes: J jobs, N nodes, V node types, T GPU types, G GPUs of the largest node, K kinds (what a
configuration asks for: the T GPU types, see `best_fit`), D classes of nodes. Code
kind * (G + 1) + g is a configuration. Tables are indexed as their comments say.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.dispatching.placement import Pool
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.required_nodes import required_nodes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
T = TypeVar("T", bound=NamedTuple)

ENERGIES = ("proportional", "first_ending", "next_event")


class NodeTables(NamedTuple):
    """The nodes of a cluster, as a rule sees them."""

    class_of_node: Ints  # (N,)
    members: Ints  # (N,) nodes by class, then by index
    start: Ints  # (D + 1,) where each class starts in `members`
    size_as: Ints  # (K, D) GPUs of a node that is opened for a kind; 0 = it is not
    opened_as: Ints  # (K, D) its node type; -1 = it is not
    price: Floats  # (K, G + 1) $/h that candidates are ordered by; inf = no node has so many
    equivalents: Ints  # (D, V, G + 1) what a type with some GPUs in use becomes
    gpu_of_type: Ints  # (V,)
    gpus_of_type: Ints  # (V,)
    cost_of_type: Floats  # (V, G + 1) $/h by GPUs in use
    spare: Ints  # (N,) nodes in the order in which completion.py selects them
    fewest: Ints  # (D,) GPUs of the smallest type a class allows


class Objective(NamedTuple):
    """What a schedule costs, by job and configuration."""

    hours: Floats  # (J, T, G + 1)
    tardiness: Floats  # (J, T, G + 1) $ at completion
    postponement: Floats  # (J,) P_j
    weight: Floats  # (J,)
    due: Floats  # (J,)
    now: float
    mu: float
    energy: int  # in ENERGIES
    at_completion: bool  # tardiness there, or at the next event
    selected: int  # nodes that must be selected; 0 = any number


def settled(tables: T) -> T:
    """The same, all arrays contiguous and read-only: so they are of one type for the compiler."""
    return type(tables)(*map(_settled, tables))


def _settled(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    array = np.ascontiguousarray(value)
    array.setflags(write=False)
    return array


def node_tables(cluster: Cluster, pool: Pool, price: Floats, equivalents: Ints) -> NodeTables:
    """Tables of a cluster from a rule's pool, prices, and what nodes with idle GPUs become."""
    _, first = np.unique(cluster.class_of_node, return_index=True)
    opened_as = np.array(pool.opened_as)[:, first]
    size = np.where(cluster.allowed_in_class, cluster.gpus_of_type, cluster.largest + 1)
    fewest = size.min(axis=1)
    tables = NodeTables(
        class_of_node=cluster.class_of_node,
        members=np.argsort(cluster.class_of_node, kind="stable"),
        start=np.concatenate([[0], np.cumsum(cluster.class_sizes)]),
        size_as=np.where(opened_as >= 0, cluster.gpus_of_type[opened_as], 0),
        opened_as=opened_as,
        price=price,
        equivalents=equivalents,
        gpu_of_type=cluster.gpu_of_type,
        gpus_of_type=cluster.gpus_of_type,
        cost_of_type=cluster.cost_of_type,
        spare=np.argsort(fewest[cluster.class_of_node], kind="stable"),
        fewest=fewest,
    )
    return settled(tables)


def objective(instance: Instance) -> Objective:
    """The objective of an instance as `costs.terms` has it."""
    table, asked = costs.tables(instance), instance.objective
    found = Objective(
        hours=table.hours,
        tardiness=table.tardiness,
        postponement=table.postponement,
        weight=instance.jobs.weight,
        due=instance.jobs.due,
        now=float(instance.now),
        mu=float(asked.mu),
        energy=ENERGIES.index(asked.energy),
        at_completion=asked.tardiness_at == "completion",
        selected=required_nodes(instance) if asked.open_nodes == "jahani_eq" else 0,
    )
    return settled(found)
