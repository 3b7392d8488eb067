"""
Arrays of ruin and recreate: the problem, and the state of the nodes that kernels change.

A mode is a share level (first, by units) or 1, 2, ..., s_v dedicated GPUs. A node of type v with
d dedicated GPUs and n_l shares of level l has k = d + bins(n) GPUs in use and costs

    energy_vk min theta + idle_vk + sum of late_vja and changes,   idle_vk = mu (s_v - k)

where under "proportional" energy is 0 and late has each job's part of the node price. `bins` is
read from a table over the number of shares of each level: sum_l n_l step_l is the index of the
counts n. Nodes of the class c that stand empty but count cost `spare_c` each (`open_nodes`, Jahani
2019 (9) with mu).
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster, GpuType
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes, select_required_nodes
from rsjs.instances.solution import Solution

MAX_FILLINGS = 4_000_000  # entries of a table


def by_units(gpu: GpuType) -> list[int]:
    """Return the share levels of a GPU type, the smallest first."""
    return sorted(range(len(gpu.levels)), key=lambda a: gpu.levels[a].units)


def table_of_bins(cluster: Cluster, i: int, jobs: int) -> tuple[Ints, list[int]] | None:
    """
    Return how many GPUs shares fill, and the step of each level in that table, levels by units.

    Counts n fit on b GPUs iff n less some maximal filling of one GPU fits on b - 1.
    """
    gpu, most = cluster.gpu_types[i], int(cluster.largest_of_gpu[i])
    units = [gpu.levels[level].units for level in by_units(gpu)]
    if not units or not most:
        return None
    counts = [min(jobs, most * gpu.units // u) + 2 for u in units]
    if np.prod(counts, dtype=float) > MAX_FILLINGS:
        found = f"{np.prod(counts, dtype=float):.0f} sets of shares of {gpu.name} on one node"
        raise ValueError(f"{found}; ruin_recreate serves up to {MAX_FILLINGS}")
    # (F, levels) maximal fillings of one GPU
    ranges = [range(gpu.units // u + 1) for u in units]
    fillings = np.array(list(product(*ranges)))
    taken = fillings @ units
    maximal = fillings[(taken <= gpu.units) & (taken > gpu.units - min(units))].tolist()
    # fits[n] whether the counts n fit on b GPUs, for b = 0, 1, ...
    fits = np.zeros(counts, dtype=bool)
    fits[(0,) * len(units)] = True
    least = np.where(fits, 0, most + 1)
    for b in range(1, most + 1):
        after = [
            fits[np.ix_(*(np.maximum(np.arange(c) - n, 0) for c, n in zip(counts, f, strict=True)))]
            for f in maximal
        ]
        fits = np.logical_or.reduce(after)
        least[fits & (least > b)] = b
    steps = [int(np.prod(counts[level + 1 :], dtype=np.int64)) for level in range(len(units))]
    return least.ravel(), steps


ANY, SPARES, EXACTLY = range(3)  # rules for the number of nodes


class ModeTables(NamedTuple):
    """Cost tables: A modes, V node types, N nodes, C classes, G GPUs of the largest node."""

    late: Floats  # (V, J, A) $ that a job adds by itself; inf where not admissible
    hours: Floats  # (V, J, A) h, theta; 0 where not admissible or energy is not charged to it
    gpus: Ints  # (V, A) dedicated GPUs
    units: Ints  # (V, A) units taken
    step: Ints  # (V, A) step in the table of bins
    room: Floats  # (V, A) GPUs taken, a share as its part
    mode_count: Ints  # (V,) modes of each type
    bins: Ints  # (B,) GPUs that shares fill, tables of all GPU types
    bins_of: Ints  # (V,) where the table of each type begins
    whole: Ints  # (V,) units of a GPU
    size: Ints  # (V,) s_v
    energy: Floats  # (V, G + 1) $/h of k GPUs in use until the first ending
    idle: Floats  # (V, G + 1) $
    postponement: Floats  # (J,) $
    node_class: Ints  # (N,)
    types: Ints  # (C, V) allowed types of each class, filled up with -1
    type_count: Ints  # (C,)
    spare: Floats  # (C,) $ of an empty node that counts among those required
    by_spare: Ints  # (C,) classes, the cheapest spare nodes first
    charge: Floats  # (J,) $ of a job that does not stay where and how it ran; see `ChangeCosts`
    # home, home_kind, home_mode: (J,) where and how it ran; -1 = it did not
    home: Ints
    home_kind: Ints
    home_mode: Ints
    rule: Ints  # (2,) ANY number of nodes, SPARES are charged, EXACTLY so many have a job; how many


def mode_tables(instance: Instance) -> ModeTables:
    """Return the arrays of an instance with energy "first_ending" or "proportional"."""
    cluster, objective, table = instance.cluster, instance.objective, costs.cost_tables(instance)
    types, jobs, largest = len(cluster.node_types), len(instance.jobs), cluster.largest
    shared = instance.has_sharing
    most = max((len(gpu.levels) for gpu in cluster.gpu_types), default=0) if shared else 0
    late = np.full((types, jobs, most + largest), np.inf)
    hours = np.zeros(late.shape)
    gpus, units, step = (np.zeros((types, most + largest), dtype=np.int64) for _ in range(3))
    mode_count = np.zeros(types, dtype=np.int64)
    # tables of bins, one after another: `bins` and where each GPU type begins
    tables = [
        table_of_bins(cluster, i, jobs) if shared else None for i in range(len(cluster.gpu_types))
    ]
    parts = [np.zeros(1, dtype=np.int64) if part is None else part[0] for part in tables]
    starts = np.cumsum([0, *map(len, parts)])
    # modes of each node type: share levels first, then dedicated GPUs
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
        mode_count[v] = a + node.gpus
    usable = np.isfinite(late)
    hours = np.where(usable, hours, 0.0)
    units_of_gpu = np.array([gpu.units if shared else 1 for gpu in cluster.gpu_types])
    whole = units_of_gpu[cluster.gpu_of_type]
    size = cluster.gpus_of_type
    room = units / whole[:, None]
    energy = np.where(np.isfinite(cluster.cost_of_type), cluster.cost_of_type, 0.0)
    # "proportional": the node's price is dealt out to its jobs, nothing is left for the node
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
    changes = costs.change_costs(instance)
    return ModeTables(
        late=late,
        hours=hours,
        gpus=gpus,
        units=units,
        step=step,
        room=room,
        mode_count=mode_count,
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
        charge=np.array(changes.charge),
        home=np.array(changes.node),
        home_kind=np.array(changes.node_type),
        home_mode=_home_modes(instance, changes),
        rule=np.array([rule, 0 if rule == ANY else required_nodes(instance)]),
    )


def _home_modes(instance: Instance, changes: costs.ChangeCosts) -> Ints:
    """Return (J,) modes in which jobs ran; -1 = it did not run."""
    mode = np.full(len(changes.node), -1)
    for j in np.flatnonzero(changes.node_type >= 0).tolist():
        gpu = int(instance.cluster.gpu_of_type[changes.node_type[j]])
        mode[j] = mode_of(instance, gpu, int(changes.gpus[j]), int(changes.level[j]))
    return mode


def mode_of(instance: Instance, i: int, gpus: int, level: int) -> int:
    """Return the mode of so many dedicated GPUs of a type or of a share level; -1 = of neither."""
    order = by_units(instance.cluster.gpu_types[i]) if instance.has_sharing else []
    if level >= 0:
        return order.index(level) if level in order and not gpus else -1
    return len(order) + gpus - 1 if gpus else -1


def _padded(allowed: Bools) -> Ints:
    types = np.full(allowed.shape, -1)
    for row, members in zip(types, allowed, strict=True):
        types_of_class = np.flatnonzero(members)
        row[: len(types_of_class)] = types_of_class
    return types


class RuinState(NamedTuple):
    """Jobs of each node, and postponed jobs; M is the max number of jobs of a node."""

    kind: Ints  # (N,) node type; an empty node has one too
    load: Ints  # (N,) jobs on the node
    jobs: Ints  # (N, M + 1) its jobs, in the first `load` entries
    mode: Ints  # (N, M + 1) their modes
    dedicated: Ints  # (N,) dedicated GPUs in use
    shares: Ints  # (N,) index of the shares in the table of bins
    first: Floats  # (N,) h, least theta; inf if empty
    base: Floats  # (N,) $ of the node apart from its jobs' own costs, of an empty one as a spare
    cost: Floats  # (N,) $ with them; 0 if empty
    waiting: Ints  # (J,) postponed jobs, in the first `size[0]` entries
    size: Ints  # (1,)
    empty: Ints  # (C,) empty nodes of each class


def empty_state(problem: ModeTables, kind: Ints) -> RuinState:
    """Return a state of empty nodes of the given types, (N,), with all jobs postponed."""
    nodes, jobs = len(kind), len(problem.postponement)
    least = np.where(problem.units > 0, problem.units, 1 << 40).min(axis=1)
    most = int(min(jobs, (problem.size * problem.whole // least).max()))
    classes = len(problem.type_count)
    return RuinState(
        kind=kind.astype(np.int64),
        load=np.zeros(nodes, dtype=np.int64),
        jobs=np.zeros((nodes, most + 1), dtype=np.int64),
        mode=np.zeros((nodes, most + 1), dtype=np.int64),
        dedicated=np.zeros(nodes, dtype=np.int64),
        shares=np.zeros(nodes, dtype=np.int64),
        first=np.full(nodes, np.inf),
        base=problem.spare[problem.node_class],
        cost=np.zeros(nodes),
        waiting=np.arange(jobs),
        size=np.array([jobs]),
        empty=np.bincount(problem.node_class, minlength=classes),
    )


def to_solution(instance: Instance, problem: ModeTables, state: RuinState) -> Solution:
    """Return the solution, completed as `open_nodes` asks."""
    jobs, cluster = len(instance.jobs), instance.cluster
    node, level = np.full(jobs, -1), np.full(jobs, -1)
    gpus = np.zeros(jobs, dtype=np.int64)
    for n in np.flatnonzero(state.load).tolist():
        v, count = int(state.kind[n]), int(state.load[n])
        job, mode = state.jobs[n, :count], state.mode[n, :count]
        node[job], gpus[job] = n, problem.gpus[v, mode]
        shared = problem.gpus[v, mode] == 0
        if shared.any():
            order = by_units(cluster.gpu_types[cluster.gpu_of_type[v]])
            level[job[shared]] = np.array(order)[mode[shared]]
    kind = np.where(state.load > 0, state.kind, -1)
    return select_required_nodes(instance, Solution.of(node, gpus, kind, level))


def from_solution(instance: Instance, problem: ModeTables, start: Solution) -> RuinState:
    """Return the state of a feasible solution; node costs are left to be computed."""
    kind = np.where(start.node_type >= 0, start.node_type, problem.types[problem.node_class, 0])
    state = empty_state(problem, kind)
    gpu = instance.cluster.gpu_of_type
    for j in np.flatnonzero(start.job_node >= 0).tolist():
        n = int(start.job_node[j])
        level, v = int(start.job_level[j]), int(kind[n])
        a = mode_of(instance, int(gpu[v]), int(start.job_gpus[j]), level)
        i = int(state.load[n])
        state.jobs[n, i], state.mode[n, i] = j, a
        state.load[n] += 1
    waits = np.flatnonzero(start.job_node < 0)
    state.waiting[: len(waits)] = waits
    state.size[0] = len(waits)
    busy = state.load > 0
    state.empty[:] = np.bincount(problem.node_class[~busy], minlength=len(state.empty))
    return state
