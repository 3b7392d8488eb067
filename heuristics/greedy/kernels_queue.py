"""
A queue on nodes and GPUs that are shared, on arrays: `dispatching.queues` for decisions by the
thousand.

The jobs that wait, in the order of the queue, take the best of their modes that find room, if one
does. No modes are sorted: of those that find room the best is the first of `candidates.ranking`.
Nodes are those of `placement.FreeCapacity`, in the sets of `NodeLevels`.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import at, compiled, inlined, smallest
from rsjs.heuristics.greedy.arrays import LAST, SHIFT, NodeLevels, NodeTables, Placement, settled
from rsjs.heuristics.greedy.kernels_placement import (
    FreeCapacityArrays,
    all_free,
    close_all,
    comes_before,
    first_level,
    most,
    new_state,
    place_share,
    place_tightly,
    take,
)
from rsjs.heuristics.greedy.rules import GREEDY_RULES, cluster_tables
from rsjs.heuristics.sts.power_model import PowerModel
from rsjs.instances.cluster import Cluster
from rsjs.instances.solution import Solution


class QueueJobs(NamedTuple):
    """All jobs of a workload; T GPU types, G GPUs of the largest node."""

    rate: Floats  # (J, T, G + 1) h per epoch on k GPUs; k = 0: on the smallest share
    power: Floats  # (J, T, G + 1) $/h
    level: Ints  # (J, T) of that share
    units: Ints  # (J, T) of that share
    due: Floats  # (J,) h; -inf = the fastest mode is the best


class QueueRules(NamedTuple):
    """How jobs are placed."""

    keeps: bool  # whether jobs that run are left alone
    alone: bool  # one job per node
    any_node: bool  # fit "all" of `placement.FITS`


class JobQueue:
    """Decisions on the jobs of a workload, with memory that they share."""

    def __init__(self, cluster: Cluster, model: PowerModel, due: Floats, rules: QueueRules) -> None:
        tables = cluster_tables(cluster, GREEDY_RULES["code"])
        self._nodes, self._closed, self._rules = tables.nodes, tables.all_closed, rules
        self._jobs = settled(QueueJobs(model.rate, model.power, model.level, model.units, due))
        self._free = all_free(cluster, tables, new_state(tables.nodes, jobs=0, listed=0))
        self._units = units_of_levels(cluster)

    def decide(
        self, current: Solution, rows: Ints, order: Ints, epochs: Floats, now: float
    ) -> Solution:
        """
        Return the solution of the jobs at hand.

        Parameters
        ----------
        current : Solution
            Of these jobs until now.
        rows : (A,) int, the jobs at hand by position in the workload
        order : (A,) int, positions in `rows`: the queue
        epochs : (A,) float, what each job is taken to have left
        """
        placed = place_queue(
            *(self._nodes, self._closed, self._free, self._jobs, self._units, self._rules),
            *(Placement.of(current), rows, order, epochs, now),
        )
        return Solution(
            job_node=placed.node,
            job_gpus=placed.gpus,
            job_level=placed.level,
            node_type=placed.node_type,
        )


def units_of_levels(cluster: Cluster) -> Ints:
    """Return (T, L) units of each share level; 0 beyond the last one of a GPU type."""
    most_levels = max(len(gpu.levels) for gpu in cluster.gpu_types)
    units = np.zeros((len(cluster.gpu_types), most_levels), dtype=np.int64)
    for i, gpu in enumerate(cluster.gpu_types):
        units[i, : len(gpu.levels)] = [level.units for level in gpu.levels]
    return units


@compiled
def place_queue(
    nodes: NodeTables,
    closed: NodeLevels,
    free: FreeCapacityArrays,
    jobs: QueueJobs,
    units: Ints,
    rules: QueueRules,
    before: Placement,
    rows: Ints,
    order: Ints,
    epochs: Floats,
    now: float,
) -> Placement:
    """Return the placement that `JobQueue.decide` makes of the one before."""
    close_all(closed, free)
    node, gpus = np.full(len(rows), -1), np.zeros(len(rows), dtype=np.int64)
    level = np.full(len(rows), -1)
    if rules.keeps:
        node[:], gpus[:], level[:] = before.node, before.gpus, before.level
        occupy(nodes, free, units, rules.alone, before)
    for i in order:
        if node[i] >= 0:
            continue
        j = rows[i]
        gpu, g = best_that_fits(jobs, free, j, epochs[i], now)
        if gpu < 0:
            continue
        gpus[i] = g
        if g > 0:
            node[i] = place_whole(nodes, free, rules, gpu, g)
            continue
        level[i] = jobs.level[j, gpu]
        if jobs.units[j, gpu] <= free.divided.room[gpu]:
            node[i] = free.divided.node[place_share(nodes, free, gpu, jobs.units[j, gpu])]
        else:
            node[i] = place_whole(nodes, free, rules, gpu, 1)
            left = 0 if rules.alone else free.divided.whole[gpu] - jobs.units[j, gpu]
            divide(free, node[i], gpu, left)
    kind = free.state.node_type.copy()
    if rules.keeps:
        for n in before.node:
            if n >= 0:
                kind[n] = before.node_type[n]
    return Placement(node, gpus, level, kind)


@inlined
def best_that_fits(
    jobs: QueueJobs, free: FreeCapacityArrays, job: int, epochs: float, now: float
) -> tuple[int, int]:
    """Return a job's best mode (kind, g) that finds room; kind -1 = there is none."""
    best_kind, best_g, best_late, best_key, best_cost = -1, 0, True, inf, inf
    for kind in range(free.levels.room.shape[0]):
        room = most(free.levels, kind)
        for g in range(room + 1):
            time, price = jobs.rate[job, kind, g] * epochs, jobs.power[job, kind, g]
            if time == inf:
                continue
            if g == 0 and room == 0 and jobs.units[job, kind] > free.divided.room[kind]:
                continue
            cost = time * price
            late = now + time > jobs.due[job]
            key = time if late else cost
            better = comes_before(late, key, cost, best_late, best_key, best_cost)
            if better or best_kind < 0:
                best_kind, best_g, best_late, best_key, best_cost = kind, g, late, key, cost
    return best_kind, best_g


@inlined
def place_whole(
    nodes: NodeTables, free: FreeCapacityArrays, rules: QueueRules, kind: int, g: int
) -> int:
    """Return the node that gives g GPUs to a job; there is one."""
    levels = free.levels
    level = first_level(levels, kind, g)
    if rules.any_node and level < levels.closed:  # a closed node may be smaller than an open one
        for size in range(g, level):
            row = kind * levels.levels + levels.closed + size
            if levels.nodes[at(row * levels.width)] > 0:
                level = levels.closed + size
                break
    if rules.alone:
        g = level - levels.closed * int(level >= levels.closed)
    return int(place_tightly(nodes, free, kind, g, level))


@inlined
def divide(free: FreeCapacityArrays, node: int, kind: int, left: int) -> None:
    """Let a GPU of a node be shared, with units left."""
    divided = free.divided
    gpu = divided.number[0]
    divided.number[0] += 1
    divided.node[gpu], divided.kind[gpu], divided.left[gpu] = node, kind, left
    divided.room[kind] = max(divided.room[kind], left)


@compiled
def occupy(
    nodes: NodeTables, free: FreeCapacityArrays, units: Ints, alone: bool, before: Placement
) -> None:
    """Open the nodes on which jobs run; see `placement.FreeCapacity.occupy`."""
    levels = free.levels
    dedicated = np.zeros(len(before.node_type), dtype=np.int64)
    shares = np.full(len(before.node_type), -1)  # jobs on shares; -1 = no job is there
    for i in range(len(before.node)):
        n = before.node[i]
        if n >= 0:
            dedicated[n] += before.gpus[i]
            shares[n] = max(shares[n], 0) + int(before.level[i] >= 0)
    for n in range(len(dedicated)):
        if shares[n] < 0:
            continue
        # out of the closed nodes of each kind
        word, d = n >> SHIFT, nodes.class_of_node[n]
        group, part, bit = (word >> SHIFT) + 1, word & LAST, n & LAST
        for other in range(levels.room.shape[0]):
            size = nodes.size_as[other, d]
            if size > 0:
                take(levels, other, levels.closed + size, group, part, bit)
        kind = nodes.gpu_of_type[before.node_type[n]]
        idle = nodes.gpus_of_type[before.node_type[n]] - dedicated[n]
        if shares[n] > 0:
            bins = packed(units[kind], free.divided.whole[kind], n, shares[n], before)
            idle -= len(bins)
            if idle >= 0 and not alone:
                for left in bins:
                    divide(free, n, kind, left)
        if alone or idle < 0:  # these shares are packed more cleverly: no room for others
            idle = 0
        # into the open ones
        row = kind * levels.levels + idle
        levels.nodes[row * levels.width] += 1
        levels.nodes[row * levels.width + group] |= 1 << part
        levels.nodes[row * levels.width + 1 + levels.groups + word] |= 1 << bit
        levels.present[kind * levels.parts + (idle >> SHIFT)] |= 1 << (idle & LAST)


@compiled
def packed(units: Ints, whole: int, node: int, shares: int, before: Placement) -> Ints:
    """Return the units left of the GPUs that the shares on a node need, first fit decreasing."""
    size, found = np.empty(shares, dtype=np.int64), 0
    for i in range(len(before.node)):
        if before.node[i] == node and before.level[i] >= 0:
            size[found] = units[before.level[i]]
            found += 1
    left, bins = np.empty(shares, dtype=np.int64), 0
    for share in np.sort(size)[::-1]:
        b = 0
        while b < bins and left[b] < share:
            b += 1
        if b == bins:
            left[b] = whole
            bins += 1
        left[b] -= share
    return left[:bins]


def compile_kernels(*_: object) -> None:
    """Compile or load the kernels; the arguments are not used."""
    instance = smallest()
    rules = QueueRules(keeps=False, alone=False, any_node=False)
    queue = JobQueue(instance.cluster, PowerModel.of(instance), instance.jobs.due, rules)
    jobs = np.arange(1)
    jobs.setflags(write=False)
    queue.decide(Solution.empty(1, 1), jobs, np.arange(1), np.ones(1), 0.0)
