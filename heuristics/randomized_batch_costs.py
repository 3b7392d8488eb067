"""
Postprocessing and costs of many schedules: kernels/postprocessing.py and schedule_cost.py in numpy.

Sums are made one summand after the other, in the order of the kernels, and 0 is added for what is
not there: so both agree to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.decision_tables import ENERGIES, Floats, Ints, NodeTables, Objective
from rsjs.heuristics.randomized_batch import Records


@dataclass(frozen=True, eq=False)
class Schedules:
    """
    Schedules after postprocessing, B of them; their M running jobs as one list.

    Attributes
    ----------
    where : (M,) position * B + schedule
    row : (M,) schedule
    job, node, gpus : (M,)
    node_type, idle : (B, N), type -1 = off, idle GPUs
    """

    where: Ints
    row: Ints
    job: Ints
    node: Ints
    gpus: Ints
    node_type: Ints
    idle: Ints


def postprocess(nodes: NodeTables, hours: Floats, records: Records, each_node: bool) -> Schedules:
    """Smaller nodes for what is in use, then GPUs that stay idle for jobs that gain from them."""
    batch, width = records.node_type.shape
    where = np.flatnonzero(records.node.ravel() >= 0)
    row = where % batch
    job, node, gpus = (
        values.ravel()[where] for values in (records.job, records.node, records.gpus)
    )
    flat = row * width + node
    used = np.bincount(flat, gpus, minlength=batch * width).astype(np.int64)
    used = used.reshape(batch, width)
    busy = used > 0
    node_type = nodes.equivalents[nodes.class_of_node, records.node_type, used]
    node_type[~busy] = -1
    idle = np.where(busy, nodes.gpus_of_type[node_type] - used, 0)
    some = np.flatnonzero(idle.ravel()[flat])
    if some.size:
        gpu = nodes.gpu_of_type[node_type.ravel()[flat[some]]]
        j, g, more = job[some], gpus[some], idle.ravel()[flat[some]]
        before, after = hours[j, gpu, g], hours[j, gpu, g + more]
        if each_node:
            won = _winners(before / after, 1.0, flat[some], j, batch * width)
        else:
            won = _winners(before - after, 0.0, row[some], j, batch)
        gpus[some[won]] += more[won]
        idle.ravel()[flat[some[won]]] = 0
    return Schedules(where, row, job, node, gpus, node_type, idle)


def _winners(gain: Floats, least: float, group: Ints, job: Ints, groups: int) -> NDArray[np.bool_]:
    """Who has the largest gain of a group, if it is above `least`; ties: the first job."""
    best = np.full(groups, least)
    np.maximum.at(best, group, gain)
    tied: NDArray[np.bool_] = (gain == best[group]) & (gain > least)
    first = np.full(groups, np.iinfo(np.int64).max)
    np.minimum.at(first, group[tied], job[tied])
    won: NDArray[np.bool_] = tied & (job == first[group])
    return won


def total_costs(
    nodes: NodeTables, objective: Objective, schedules: Schedules, waiting: Floats
) -> Floats:
    """(B,) tardiness + postponement + energy + idle [$]."""
    batch = len(waiting)
    job, row = schedules.job, schedules.row
    at = row, schedules.node
    v = schedules.node_type[at]
    gpu = nodes.gpu_of_type[v]
    hours = objective.hours[job, gpu, schedules.gpus]
    first = np.full(batch, np.inf)
    np.minimum.at(first, row, hours)
    if objective.at_completion:
        tardiness = objective.tardiness[job, gpu, schedules.gpus]
    else:
        late = (objective.now + first)[row] - objective.due[job]
        tardiness = np.where(late > 0.0, objective.weight[job] * late, 0.0)
    kind = ENERGIES[objective.energy]
    if kind == "proportional":
        size = nodes.gpus_of_type[v]
        price = nodes.cost_of_type[v, size - schedules.idle[at]]
        energy = _sums(schedules.gpus / size * price * hours, schedules.where, batch)
    else:
        energy = _prices(nodes, schedules, hours, kind == "first_ending")
    if kind == "next_event":
        energy *= np.where(np.isfinite(first), first, 0.0)
    idle = schedules.idle.sum(axis=1)
    if objective.selected > 0 and objective.mu > 0.0:
        idle += _completed(nodes, schedules.node_type, objective.selected)
    sums = _sums(tardiness, schedules.where, batch)
    result: Floats = sums + waiting + energy + objective.mu * idle
    return result


def _sums(values: Floats, where: Ints, batch: int) -> Floats:
    """(B,) sums over the running jobs of each schedule, as placed."""
    last = where[-1] // batch + 1 if where.size else 0
    table = np.zeros((last, batch))
    table.ravel()[where] = values
    return _added(table)


def _added(table: Floats) -> Floats:
    """The rows of a table, added one after the other."""
    total = np.zeros(table.shape[1])
    for line in table:
        total += line
    return total


def _prices(nodes: NodeTables, schedules: Schedules, hours: Floats, first_ending: bool) -> Floats:
    """(B,) sums of node prices, each times its first ending if asked for."""
    node_type, idle = schedules.node_type, schedules.idle
    on = node_type >= 0
    price = np.where(on, nodes.cost_of_type[node_type, nodes.gpus_of_type[node_type] - idle], 0.0)
    if first_ending:
        ends = np.full(node_type.shape, np.inf)
        np.minimum.at(ends.ravel(), schedules.row * node_type.shape[1] + schedules.node, hours)
        price *= np.where(on, ends, 0.0)
    return _added(np.ascontiguousarray(price.T))


def _completed(nodes: NodeTables, node_type: Ints, selected: int) -> Ints:
    """(B,) GPUs of the nodes that are selected without a job."""
    off = node_type[:, nodes.spare] < 0
    missing = selected - (node_type >= 0).sum(axis=1)
    taken = off & (np.cumsum(off, axis=1) <= missing[:, None])
    found: Ints = (taken * nodes.fewest[nodes.class_of_node[nodes.spare]]).sum(axis=1)
    return found
