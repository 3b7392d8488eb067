"""
The problem as arrays for kernels: every job in every shape on every node type.

A shape is a share level (first, by units) or 1, 2, ..., s_v dedicated GPUs. A node of type v with
d dedicated GPUs and n_l shares of level l has k = d + bins(n) GPUs in use and costs

    energy_vk min theta + idle_vk + sum of late_vja,   idle_vk = mu (s_v - k)

where under "proportional" energy is 0 and late has each job's part of the node price. `bins` is
read from a table: sum_l n_l step_l is the index of the counts n. Nodes of the class c that stand
empty but count cost `spare_c` each (`open_nodes`, Jahani 2019 (9) with mu).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.ruin_recreate.share_bins import by_units, table_of_bins
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.required_nodes import required_nodes

Array = NDArray[np.float64]
Index = NDArray[np.int64]
ANY, SPARES, EXACTLY = range(3)  # rules for the number of nodes


class Shapes(NamedTuple):
    """
    A shapes, V node types, N nodes, C classes, G GPUs of the largest node.

    Attributes
    ----------
    late : (V, J, A) float [$]
        What a job adds by itself; inf where not admissible.
    hours : (V, J, A) float [h]
        theta, 0 where not admissible or where energy is not charged to the first ending.
    gpus, units, step : (V, A) int
        Dedicated GPUs; units taken; step in the table of bins.
    room : (V, A) float
        GPUs taken, a share as its part.
    choices : (V,) int
        Number of shapes of each type.
    bins : (B,) int
        GPUs that shares fill, tables of all GPU types.
    bins_of : (V,) int
        Where the table of each type begins.
    whole, size : (V,) int
        Units of a GPU; s_v.
    energy : (V, G + 1) float [$/h]
        Price of k GPUs in use until the first ending.
    idle : (V, G + 1) float [$]
    postponement : (J,) float [$]
    node_class : (N,) int
    types : (C, V) int
        Allowed types of each class, filled up with -1.
    type_count : (C,) int
    spare : (C,) float [$]
        Of an empty node that counts among those required.
    by_spare : (C,) int
        Classes, the cheapest spare nodes first.
    rule : (2,) int
        ANY number of nodes, SPARES are charged, EXACTLY so many have a job; how many.
    """

    late: Array
    hours: Array
    gpus: Index
    units: Index
    step: Index
    room: Array
    choices: Index
    bins: Index
    bins_of: Index
    whole: Index
    size: Index
    energy: Array
    idle: Array
    postponement: Array
    node_class: Index
    types: Index
    type_count: Index
    spare: Array
    by_spare: Index
    rule: Index


def shapes(instance: Instance) -> Shapes:
    """The arrays of an instance with energy "first_ending" or "proportional"."""
    cluster, objective, table = instance.cluster, instance.objective, costs.tables(instance)
    types, jobs, largest = len(cluster.node_types), len(instance.jobs), cluster.largest
    shared = instance.has_sharing
    most = max((len(gpu.levels) for gpu in cluster.gpu_types), default=0) if shared else 0
    late = np.full((types, jobs, most + largest), np.inf)
    hours = np.zeros(late.shape)
    gpus, units, step = (np.zeros((types, most + largest), dtype=np.int64) for _ in range(3))
    choices = np.zeros(types, dtype=np.int64)
    tables = [
        table_of_bins(cluster, i, jobs) if shared else None for i in range(len(cluster.gpu_types))
    ]
    parts = [np.zeros(1, dtype=np.int64) if part is None else part[0] for part in tables]
    starts = np.cumsum([0, *map(len, parts)])
    for v, node in enumerate(cluster.node_types):
        i = int(cluster.gpu_of_type[v])
        gpu, part = cluster.gpu_types[i], tables[i]
        a = 0
        for level, stride in zip(by_units(gpu), part[1] if part else (), strict=False):
            late[v, :, a] = table.shared_tardiness[:, i, level]
            hours[v, :, a] = table.shared_hours[:, i, level]
            units[v, a], step[v, a], a = gpu.levels[level].units, stride, a + 1
        counts = np.arange(1, node.gpus + 1)
        dedicated = slice(a, a + node.gpus)
        gpus[v, dedicated], units[v, dedicated] = counts, counts * (gpu.units if shared else 1)
        late[v, :, dedicated] = table.tardiness[:, i, 1 : node.gpus + 1]
        hours[v, :, dedicated] = table.hours[:, i, 1 : node.gpus + 1]
        choices[v] = a + node.gpus
    usable = np.isfinite(late)
    hours = np.where(usable, hours, 0.0)
    units_of_gpu = np.array([gpu.units if shared else 1 for gpu in cluster.gpu_types])
    whole = units_of_gpu[cluster.gpu_of_type]
    size = cluster.gpus_of_type
    room = units / whole[:, None]
    energy = np.where(np.isfinite(cluster.cost_of_type), cluster.cost_of_type, 0.0)
    if objective.energy == "proportional":
        price = energy[np.arange(types), size]
        part_of_node = room / size[:, None] * price[:, None]
        late = np.where(usable, late + part_of_node[:, None] * hours, np.inf)
        energy, hours = np.zeros_like(energy), np.zeros_like(hours)
    mu = float(objective.mu)  # a file may have an integer; kernels must not
    idle = mu * np.maximum(0, size[:, None] - np.arange(largest + 1))
    smallest = np.where(cluster.allowed_in_class, size, largest + 1).min(axis=1)
    charged = objective.open_nodes == "jahani_eq"
    spare = mu * smallest * charged
    rule = SPARES if charged and mu > 0 else ANY
    if objective.open_nodes in ("rsjs_eq", "rsjs_eq_feasible"):
        rule = EXACTLY
    return Shapes(
        late=late,
        hours=hours,
        gpus=gpus,
        units=units,
        step=step,
        room=room,
        choices=choices,
        bins=np.concatenate(parts),
        bins_of=starts[cluster.gpu_of_type],
        whole=whole,
        size=np.array(size),
        energy=energy,
        idle=idle,
        postponement=np.array(table.postponement),
        node_class=np.array(cluster.class_of_node),
        types=_padded(cluster.allowed_in_class),
        type_count=cluster.allowed_in_class.sum(axis=1),
        spare=spare,
        by_spare=np.argsort(spare, kind="stable"),
        rule=np.array([rule, 0 if rule == ANY else required_nodes(instance)]),
    )


def _padded(allowed: NDArray[np.bool_]) -> Index:
    types = np.full(allowed.shape, -1)
    for row, members in zip(types, allowed, strict=True):
        types_of_class = np.flatnonzero(members)
        row[: len(types_of_class)] = types_of_class
    return types
